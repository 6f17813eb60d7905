package breaker_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/clock"
)

// tracesVariable names a folder with more traces to run.
const tracesVariable = "SWITCHGEAR_TRACES"

// TestConformance runs the breaker step by step along traces recorded on an
// independent implementation.
//
// Two things differ by intent and are translated. The recorded system admits the
// first probe after the interval, this one at its end (rule O4): so lazy traces,
// whose clock moves in whole milliseconds, get an interval a nanosecond longer. And
// calls refused are counted over the breaker's life (rule N1), not per state: so it
// is checked that the count grows with each refusal and never otherwise.
//
// Each trace is run twice: looking at everything after each step, and with nobody
// looking at more than the state until the end. A breaker books successes when
// somebody asks, and that must make no difference.
func TestConformance(t *testing.T) {
	traces, steps := 0, 0
	everyTrace(t, func(tr *trace) {
		traces++
		steps += len(tr.Steps)
		if err := tr.run(true); err != nil {
			t.Errorf("%s: %v", tr.Name, err)
		} else if err := tr.run(false); err != nil {
			t.Errorf("%s: when unobserved: %v", tr.Name, err)
		}
	})
	t.Logf("%d traces, %d steps", traces, steps)
}

func everyTrace(t *testing.T, do func(*trace)) {
	t.Helper()
	folders := []string{filepath.Join("testdata", "conformance")}
	if more := os.Getenv(tracesVariable); more != "" {
		folders = append(folders, more)
	}
	for _, folder := range folders {
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			name := e.Name()
			if !strings.HasSuffix(name, ".jsonl") && !strings.HasSuffix(name, ".jsonl.gz") {
				continue
			}
			if err := readTraces(filepath.Join(folder, name), do); err != nil {
				t.Error(err)
			}
		}
	}
}

// breaker returns the configuration in this project's terms. Everything the
// recorded system does not have is off.
func (c *traceConfig) breaker() breaker.Config {
	const ms = time.Millisecond
	cfg := breaker.Config{
		MinimumCalls: int(c.Minimum),
		FailureRate:  switchgear.Percent(c.FailureRate),
		SlowCall:     breaker.SlowCallConfig{Duration: time.Duration(c.SlowCall) * ms, Rate: switchgear.Percent(c.SlowRate)},
		Open:         breaker.OpenConfig{Wait: time.Duration(c.Wait) * ms, Jitter: off, MaxHint: off, Automatic: c.Automatic},
		HalfOpen: breaker.HalfOpenConfig{
			Probes: int(c.Probes), MaxWait: time.Duration(c.MaxHalfOpen) * ms, ProbeLimit: off,
		},
	}
	if !c.Automatic {
		cfg.Open.Wait += ns
	}
	if c.Window == "COUNT_BASED" {
		cfg.Window.Calls = int(c.Size)
	} else {
		cfg.Window.Length = time.Duration(c.Size) * time.Second
		if c.Size <= 3600 {
			cfg.Window.Buckets = int(c.Size) // the recorded system has one a second
		}
	}
	return cfg
}

// run drives a breaker along the trace and returns the first difference. Without
// look, numbers are compared only after the last step.
func (tr *trace) run(look bool) error {
	clk := clock.NewVirtual(start)
	b, err := breaker.New(tr.Name, tr.Config.breaker(), breaker.WithClock(clk))
	if err != nil {
		return err
	}
	permits := map[int64]breaker.Permit{}
	rejected := uint64(0)
	for i := range tr.Steps {
		s := &tr.Steps[i]
		clk.AdvanceTo(time.Duration(s.T) * time.Millisecond)
		refused, err := s.do(b, permits)
		if err != nil {
			return fmt.Errorf("step %d (%v): %w", i, s, err)
		}
		if refused {
			rejected++
		}
		if got := b.State(); got != s.After.State {
			return fmt.Errorf("step %d (%v): state: got %v, want %v", i, s, got, s.After.State)
		}
		if !look && i < len(tr.Steps)-1 {
			continue
		}
		if err := s.After.compare(b.Snapshot(), rejected); err != nil {
			return fmt.Errorf("step %d (%v): %w", i, s, err)
		}
	}
	return nil
}

// do carries out the step. Refused reports that a call was refused.
func (s *traceStep) do(b *breaker.Breaker, permits map[int64]breaker.Permit) (refused bool, err error) {
	if s.Op == "acquire" {
		p, err := b.Acquire(context.Background())
		if permitted := err == nil; permitted != *s.Permitted {
			return false, fmt.Errorf("permitted: got %v, want %v", permitted, *s.Permitted)
		}
		if err == nil {
			permits[s.ID] = p
		}
		return err != nil, nil
	}
	p := permits[s.ID]
	delete(permits, s.ID)
	switch s.Op {
	case "success":
		p.Success()
	case "error":
		p.Failure(errDown)
	case "ignored":
		p.Ignore()
	case "release":
		p.Release()
	case "transition":
		return false, b.Move(breaker.Move{To: *s.To, Author: "trace", Reason: "recorded"})
	case "reset":
		return false, b.Reset("trace", "recorded")
	}
	return false, nil
}

func (a *traceAnswer) compare(s breaker.Snapshot, rejected uint64) error {
	n := s.Numbers
	if math.Abs(rateOf(n.FailureRate())-a.FailureRate) > 1e-3 {
		return fmt.Errorf("failure rate: got %v, want %v", rateOf(n.FailureRate()), a.FailureRate)
	}
	if math.Abs(rateOf(n.SlowRate())-a.SlowRate) > 1e-3 {
		return fmt.Errorf("slow rate: got %v, want %v", rateOf(n.SlowRate()), a.SlowRate)
	}
	for _, c := range []struct {
		what      string
		got, want int64
	}{
		{"calls in the window", n.Calls, a.Buffered},
		{"failed", n.Failed, a.Failed},
		{"slow", n.Slow, a.Slow},
		{"slow failed", n.SlowFailed, a.SlowFailed},
		{"rejected", int64(s.Counters.Rejected), int64(rejected)},
	} {
		if c.got != c.want {
			return fmt.Errorf("%s: got %d, want %d", c.what, c.got, c.want)
		}
	}
	return nil
}

func rateOf(percent float64, defined bool) float64 {
	if !defined {
		return -1
	}
	return percent
}
