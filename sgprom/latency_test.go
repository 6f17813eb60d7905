package sgprom_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	dto "github.com/prometheus/client_model/go"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/sgprom"
)

func TestLatencyConfig(t *testing.T) {
	const ms = time.Millisecond
	many := make([]time.Duration, 101)
	for i := range many {
		many[i] = time.Duration(i + 1)
	}
	for _, tt := range []struct {
		cfg     sgprom.LatencyConfig
		problem string
	}{
		{sgprom.LatencyConfig{}, ""},
		{sgprom.LatencyConfig{MaxNames: 10_000, Buckets: many[:100], NativeFactor: 4}, ""},
		{sgprom.LatencyConfig{MaxNames: -1}, "MaxNames = -1: must be from 1 to 10000"},
		{sgprom.LatencyConfig{MaxNames: 10_001}, "MaxNames = 10001: must be from 1 to 10000"},
		{sgprom.LatencyConfig{Buckets: many}, "Buckets = 101: must be at most 100"},
		{sgprom.LatencyConfig{Buckets: []time.Duration{0, ms}}, "must be above 0, at most 720h0m0s, and each above the one before"},
		{sgprom.LatencyConfig{Buckets: []time.Duration{ms, ms}}, "must be above 0, at most 720h0m0s, and each above the one before"},
		{sgprom.LatencyConfig{Buckets: []time.Duration{1000 * time.Hour}}, "must be above 0, at most 720h0m0s, and each above the one before"},
		{sgprom.LatencyConfig{NativeFactor: 1}, "NativeFactor = 1: must be from 1.01 to 4"},
		{sgprom.LatencyConfig{NativeFactor: 5}, "NativeFactor = 5: must be from 1.01 to 4"},
	} {
		_, err := sgprom.NewLatency(tt.cfg)
		if tt.problem == "" {
			equal(t, "error", err, nil)
		} else if !errors.Is(err, switchgear.ErrConfig) || !strings.HasSuffix(err.Error(), tt.problem) {
			t.Errorf("got %v, want %s", err, tt.problem)
		}
	}
}

// histogram returns the histogram of a name and an outcome, nil if there is none.
func histogram(t *testing.T, l *sgprom.Latency, name, outcome string) *dto.Histogram {
	t.Helper()
	for _, f := range gather(t, l) {
		for _, m := range f.Metric {
			if m.Label[0].GetValue() == name && m.Label[1].GetValue() == outcome {
				return m.Histogram
			}
		}
	}
	return nil
}

func TestTime(t *testing.T) {
	for _, tt := range []struct {
		outcome string
		ctx     context.Context
		err     error
	}{
		{"success", background, nil},
		{"failure", background, errDown},
		{"ignored", background, switchgear.MarkIgnored(errDown)},
		{"success", background, switchgear.MarkSuccess(errDown)},
		{"ignored", background, fmt.Errorf("no: %w", switchgear.ErrRejected)},
	} {
		t.Run(fmt.Sprint(tt.outcome, " for ", tt.err), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := latency(t, sgprom.LatencyConfig{})
				fn := sgprom.Time(l.Timer("a"), func(context.Context) (int, error) {
					time.Sleep(20 * time.Millisecond)
					return 7, tt.err
				})
				v, err := fn(tt.ctx)
				equal(t, "value", v, 7)
				equal(t, "error", err, tt.err)
				h := histogram(t, l, "a", tt.outcome)
				equal(t, "observations", h.GetSampleCount(), 1)
				equal(t, "seconds", h.GetSampleSum(), 0.02)
				for _, b := range h.Bucket {
					want := uint64(0)
					if b.GetUpperBound() >= 0.02 {
						want = 1
					}
					equal(t, fmt.Sprint("bucket ", b.GetUpperBound()), b.GetCumulativeCount(), want)
				}
				equal(t, "native buckets", len(h.PositiveSpan), 1)
				equal(t, "series", series(gather(t, l)), 1)
			})
		})
	}
	t.Run("a panic is a failure and goes through", func(t *testing.T) {
		l := latency(t, sgprom.LatencyConfig{})
		func() {
			defer func() { equal(t, "panic", recover(), any("oh")) }()
			_, _ = sgprom.Time(l.Timer("a"), func(context.Context) (int, error) { panic("oh") })(background)
		}()
		equal(t, "failures", histogram(t, l, "a", "failure").GetSampleCount(), 1)
	})
	t.Run("so does a Goexit", func(t *testing.T) {
		l := latency(t, sgprom.LatencyConfig{})
		var wg sync.WaitGroup
		wg.Go(func() {
			_, _ = sgprom.Time(l.Timer("a"), func(context.Context) (int, error) { runtime.Goexit(); return 0, nil })(background)
		})
		wg.Wait()
		equal(t, "failures", histogram(t, l, "a", "failure").GetSampleCount(), 1)
	})
	t.Run("the classifier is asked", func(t *testing.T) {
		l := latency(t, sgprom.LatencyConfig{}, sgprom.WithClassifier(func(error) switchgear.Judgement {
			return switchgear.Judgement{Health: switchgear.Success}
		}))
		_, _ = sgprom.Time(l.Timer("a"), func(context.Context) (int, error) { return 0, errDown })(background)
		equal(t, "successes", histogram(t, l, "a", "success").GetSampleCount(), 1)
	})
	t.Run("in a breaker it sees no refusals", func(t *testing.T) {
		b := breaker.Must(breaker.New("b", breaker.Config{}))
		l := latency(t, sgprom.LatencyConfig{})
		fn := sgprom.Time(l.Timer("a"), func(context.Context) (int, error) { return 0, nil })
		_, _ = breaker.Do(background, b, fn)
		if err := b.Move(breaker.Move{To: breaker.ForcedOpen, Reason: "test"}); err != nil {
			t.Fatal(err)
		}
		_, _ = breaker.Do(background, b, fn)
		equal(t, "series", series(gather(t, l)), 1)
		equal(t, "successes", histogram(t, l, "a", "success").GetSampleCount(), 1)
	})
	t.Run("an outcome that is none is not recorded", func(t *testing.T) {
		l := latency(t, sgprom.LatencyConfig{})
		l.Timer("a").Observe(1, switchgear.Undecided)
		l.Timer("a").Observe(1, switchgear.Ignored+1)
		equal(t, "series", series(gather(t, l)), 0)
	})
}

func TestNilOptionsOfLatency(t *testing.T) {
	l := latency(t, sgprom.LatencyConfig{}, nil, sgprom.WithClock(nil), sgprom.WithClassifier(nil))
	_, err := sgprom.Time(l.Timer("a"), func(context.Context) (int, error) { return 0, errDown })(background)
	equal(t, "error", err, errDown)
	equal(t, "failures", histogram(t, l, "a", "failure").GetSampleCount(), 1)
}

func TestTimers(t *testing.T) {
	t.Run("K64: names beyond the bound share one timer", func(t *testing.T) {
		l := latency(t, sgprom.LatencyConfig{MaxNames: 10})
		for i := range 10_000 {
			l.Timer(fmt.Sprint(i)).Observe(1, switchgear.Success)
		}
		equal(t, "series", series(gather(t, l)), 11)
		equal(t, "others", histogram(t, l, "other", "success").GetSampleCount(), 9990)
	})
	t.Run("K66: hostile names", func(t *testing.T) {
		l := latency(t, sgprom.LatencyConfig{})
		for _, name := range []string{"\xff", "", "a\n\"", "other", strings.Repeat("x", 9999)} {
			l.Timer(name).Observe(1, switchgear.Success)
			equal(t, fmt.Sprintf("the timer of %.9q", name), l.Timer(name), l.Timer(name))
		}
		equal(t, "series", series(gather(t, l)), 5)
	})
	t.Run("K61: a name that is forgotten has no series, and makes room", func(t *testing.T) {
		l := latency(t, sgprom.LatencyConfig{MaxNames: 1})
		l.Timer("a").Observe(1, switchgear.Success)
		equal(t, "was there", l.Forget("a"), true)
		equal(t, "series", series(gather(t, l)), 0)
		equal(t, "is there", l.Forget("a"), false)
		l.Timer("b").Observe(1, switchgear.Success)
		equal(t, "b", histogram(t, l, "b", "success").GetSampleCount(), 1)
	})
	// A program wraps its function once, and has the recorder forget the names that leave
	// its registry. The registry drops a breaker that is idle, and makes it anew with the
	// next call: the one timer goes on, and its histogram begins again.
	t.Run("a timer whose name was forgotten comes back when it is used", func(t *testing.T) {
		l := latency(t, sgprom.LatencyConfig{MaxNames: 1})
		fetch := sgprom.Time(l.Timer("stock"), func(context.Context) (int, error) { return 1, nil })
		for range 3 {
			_, _ = fetch(background)
			_, _ = fetch(background)
			equal(t, "observations", histogram(t, l, "stock", "success").GetSampleCount(), 2)
			equal(t, "was there", l.Forget("stock"), true)
			equal(t, "series", series(gather(t, l)), 0)
		}
	})
	t.Run("two timers of a name, made before and after it was forgotten, share its series and its end", func(t *testing.T) {
		l := latency(t, sgprom.LatencyConfig{MaxNames: 1})
		old := l.Timer("a")
		old.Observe(1, switchgear.Success)
		l.Forget("a")
		young := l.Timer("a")
		for range 2 {
			young.Observe(1, switchgear.Success)
			old.Observe(1, switchgear.Success)
			equal(t, "observations", histogram(t, l, "a", "success").GetSampleCount(), 2)
			equal(t, "was there", l.Forget("a"), true)
		}
		equal(t, "series", series(gather(t, l)), 0)
	})
	t.Run("who finds no room is among the others until there is some", func(t *testing.T) {
		l := latency(t, sgprom.LatencyConfig{MaxNames: 1})
		old := l.Timer("a")
		l.Forget("a")
		l.Timer("b").Observe(1, switchgear.Success)
		young := l.Timer("c")
		for _, timer := range []*sgprom.Timer{old, young} {
			timer.Observe(1, switchgear.Success)
		}
		equal(t, "series", series(gather(t, l)), 2)
		equal(t, "others", histogram(t, l, "other", "success").GetSampleCount(), 2)

		l.Forget("b")
		for _, timer := range []*sgprom.Timer{old, young, l.Timer("other")} {
			timer.Observe(1, switchgear.Success)
		}
		equal(t, "a", histogram(t, l, "a", "success").GetSampleCount(), 1)
		equal(t, "others", histogram(t, l, "other", "success").GetSampleCount(), 4)
	})
	t.Run("nothing is allocated, also after it came back", func(t *testing.T) {
		l := latency(t, sgprom.LatencyConfig{})
		timer := l.Timer("a")
		l.Forget("a")
		timer.Observe(1, switchgear.Success)
		equal(t, "allocations", testing.AllocsPerRun(100, func() { timer.Observe(1, switchgear.Success) }), 0)
	})
	t.Run("the others cannot be forgotten", func(t *testing.T) {
		l := latency(t, sgprom.LatencyConfig{})
		l.Timer("other").Observe(1, switchgear.Success)
		equal(t, "was there", l.Forget("other"), false)
	})
}
