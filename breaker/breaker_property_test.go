package breaker_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/evidence"
)

// TestModel lets a breaker and the model live through the same random lives. Whoever
// looks at a breaker makes it book what it has saved up, so some lives are looked at
// often and some hardly ever.
func TestModel(t *testing.T) {
	for seed := range uint64(scale(4000, 400)) {
		source := rand.New(rand.NewPCG(seed, 1))
		if err := live(source, 300); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// FuzzModel does the same with choices made by the fuzzer.
func FuzzModel(f *testing.F) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 2))
		data := make([]byte, 1500)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d := dice(data)
		if err := live(&d, min(len(data), 300)); err != nil {
			t.Fatal(err)
		}
	})
}

// chooser makes choices: *rand.Rand by chance, dice from given bytes.
type chooser interface {
	IntN(n int) int
	Float64() float64
}

type dice []byte

func (d *dice) next() int {
	if len(*d) == 0 {
		return 0
	}
	b := (*d)[0]
	*d = (*d)[1:]
	return int(b)
}

func (d *dice) IntN(n int) int {
	if n > 256 {
		return (d.next()<<8 | d.next()) % n
	}
	return d.next() % n
}

func (d *dice) Float64() float64 { return float64(d.next()) / 255 }

func pick[T any](c chooser, from ...T) T { return from[c.IntN(len(from))] }

// randomConfig makes a configuration of small numbers, so that much happens.
func randomConfig(c chooser) breaker.Config {
	s := time.Second
	cfg := breaker.Config{
		MinimumCalls:        1 + c.IntN(12),
		FailureRate:         pick[switchgear.Percent](c, off, 10, 33.33, 50, 50, 75, 100),
		ConsecutiveFailures: pick(c, 0, 0, 0, 2, 4, 9),
		FailureCount:        pick(c, 0, 0, 0, 1),
		Grace:               pick(c, 0, 0, 0, 0, 7*s, time.Minute),
		Open: breaker.OpenConfig{
			Wait: pick(c, s, 5*s, 30*s), Factor: pick(c, 0, 0, 1.5, 3), Jitter: pick[switchgear.Percent](c, off, off, 10, 50),
			MaxHint: pick[time.Duration](c, 0, off, 8*s), Automatic: c.IntN(4) == 0,
		},
		HalfOpen: breaker.HalfOpenConfig{
			Probes: 1 + c.IntN(5), Verdict: pick(c, breaker.ByRate, breaker.ByRate, breaker.ByStreak),
			MaxWait: pick[time.Duration](c, off, off, 3*s, 40*s), ProbeLimit: pick[time.Duration](c, 0, off, s, 20*s),
		},
	}
	if c.IntN(2) == 0 {
		cfg.Window.Calls = 1 + c.IntN(20)
	} else {
		cfg.Window.Length = pick(c, s, 1500*time.Millisecond, 10*s, time.Minute)
		cfg.Window.Buckets = pick(c, 0, 0, 1, 3)
	}
	if cfg.FailureCount > 0 {
		cfg.FailureCount = 1 + c.IntN(max(cfg.Window.Calls, 5))
		if n := cfg.Window.Calls; n > 0 {
			cfg.FailureCount = min(cfg.FailureCount, n)
		}
	}
	if c.IntN(3) == 0 {
		cfg.SlowCall = breaker.SlowCallConfig{Duration: pick(c, ns, s, 3*s), Rate: pick[switchgear.Percent](c, 0, 50, 20, off)}
	}
	if c.IntN(3) == 0 {
		cfg.Evidence = &evidence.Config{
			Sick: pick(c, 0, 0.5, 0.9), CallsPerFalseTrip: pick(c, 0, 100.0), Memory: pick[time.Duration](c, 0, off, 20*s),
			MaxRise: pick(c, 0, 0, 2),
		}
	}
	if cfg.SlowCall.Duration > 0 && c.IntN(3) == 0 {
		cfg.SlowEvidence = &evidence.Config{CallsPerFalseTrip: pick(c, 0, 100.0), Memory: pick[time.Duration](c, 0, off, 20*s)}
	}
	return cfg
}

// a pair is one call in both worlds.
type pair struct {
	permit breaker.Permit
	model  *modelPermit
}

// live leads a breaker and a model through so many steps and returns the first
// difference.
func live(c chooser, steps int) error {
	cfg := randomConfig(c)
	clk := clock.NewVirtual(start)
	var m *model
	var heard []event.Event
	b, err := breaker.New("stock", cfg, breaker.WithClock(clk),
		breaker.WithListener(event.Func(func(e event.Event) {
			if e.Kind != event.Warning {
				heard = append(heard, e)
			}
		})),
		breaker.WithRandom(func() float64 {
			u := c.Float64()
			m.draws = append(m.draws, u)
			return u
		}))
	if err != nil {
		return err
	}
	m = newModel(b.Config())
	watched := pick(c, 1, 3, 10, steps) // a look at one step in so many
	health := 1 + c.IntN(9)             // successes in ten
	var calls []pair
	for i := range steps {
		what, err := step(c, b, m, clk, &calls, health)
		if err == nil && len(m.draws) > 0 {
			err = fmt.Errorf("%d random numbers too many", len(m.draws))
		}
		if err == nil && b.State() != m.state {
			err = fmt.Errorf("state: got %v, want %v", b.State(), m.state)
		}
		if err == nil && (c.IntN(watched) == 0 || i == steps-1) {
			err = m.compare(b.Snapshot())
		}
		if err == nil {
			err = told(heard, m.changes)
		}
		if err != nil {
			return fmt.Errorf("step %d (%s at %v): %w\nconfiguration: %+v", i, what, m.now, err, b.Config())
		}
		heard, m.changes = heard[:0], m.changes[:0]
	}
	return nil
}

// step does one thing in both worlds.
func step(c chooser, b *breaker.Breaker, m *model, clk *clock.Virtual, calls *[]pair, health int) (what string, err error) {
	switch n := c.IntN(100); {
	case n < 40:
		p, err := b.Acquire(context.Background())
		mp := m.acquire()
		if (err == nil) != (mp != nil) {
			return "acquire", fmt.Errorf("admitted: got %v, want %v", err == nil, mp != nil)
		}
		if rejection, ok := errors.AsType[*breaker.Rejection](err); ok {
			// An interval in virtual time is never over when a call is refused.
			if wait, known := rejection.RetryAfter(); known && wait <= 0 || rejection.State != m.state {
				return "acquire", fmt.Errorf("refused in %v with a wait of %v", rejection.State, wait)
			}
		} else {
			*calls = append(*calls, pair{p, mp})
		}
		return "acquire", nil

	case n < 75:
		if len(*calls) == 0 {
			return "nothing to settle", nil
		}
		k := c.IntN(len(*calls))
		p := (*calls)[k]
		if !p.model.probe || c.IntN(4) > 0 { // else a copy stays, to be settled again
			*calls = append((*calls)[:k], (*calls)[k+1:]...)
		}
		return "settle", settleBoth(c, p, m, health)

	case n < 93:
		d := pick(c, ns, 100*time.Millisecond, time.Second-ns, time.Second, time.Second, 3*time.Second, 10*time.Second, time.Hour)
		if left := m.until - m.now; m.state == breaker.Open && left > 0 {
			d = pick(c, d, left, max(left-ns, ns)) // a look at the breaker would disturb it
		}
		clk.Advance(d)
		m.advanceTo(clk.Mono())
		return "advance", nil

	case n < 98:
		move := breaker.Move{To: pick(c, everyState...), Reason: "chance"}
		if (move.To == breaker.Disabled || move.To == breaker.MetricsOnly || move.To == breaker.ForcedOpen) && c.IntN(3) > 0 {
			move.For = pick(c, time.Second, 20*time.Second)
		}
		err := b.Move(move)
		m.move(move.To, move.For)
		return "move", err

	default:
		m.reset()
		return "reset", b.Reset("", "chance")
	}
}

func settleBoth(c chooser, p pair, m *model, health int) error {
	switch n := c.IntN(24); {
	case n < 20:
		if c.IntN(10) < health {
			p.permit.Success()
			m.settle(p.model, switchgear.Success, 0)
			return nil
		}
		hint := pick(c, 0, 0, 0, 7*time.Second, time.Minute)
		p.permit.Failure(switchgear.WithRetryAfter(errDown, hint))
		m.settle(p.model, switchgear.Failure, hint)
	case n < 22:
		p.permit.Ignore()
		m.settle(p.model, switchgear.Ignored, 0)
	default:
		p.permit.Release()
		m.settle(p.model, switchgear.Undecided, 0)
	}
	return nil
}

// told compares what listeners heard with the changes of the model.
func told(heard []event.Event, want []modelChange) error {
	if len(heard) != len(want) {
		return fmt.Errorf("got %d events, want %d", len(heard), len(want))
	}
	for i, e := range heard {
		d, w := e.Detail.(*breaker.Change), want[i]
		got := modelChange{w.from, w.to, e.Period, d.Numbers.Counts, d.Lasted, d.Refused, ""}
		if d.Trip != nil {
			got.rule = d.Trip.Rule
		}
		if e.From != w.from.String() || e.To != w.to.String() || got != w {
			return fmt.Errorf("event %d: got %v with %+v, want %+v", i, e, got, w)
		}
	}
	return nil
}
