package breaker_test

import (
	"context"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/clock"
)

// K09 to K12, K73 and K75: windows and thresholds. Package window has its own.

func faultWindowNotFull(t *testing.T) {
	r := newRig(t, with(func(c *breaker.Config) { c.Window.Calls, c.MinimumCalls = 100, 5 }))
	r.fail(4)
	r.in(breaker.Closed)
	r.fail(1)
	r.in(breaker.Open)
	r.refused()
}

// An erratic clock shows what it is told to, also an earlier time.
type erratic struct {
	*clock.Virtual
	mono time.Duration
}

func (c *erratic) Mono() time.Duration { return c.mono }

func faultClockBackwards(t *testing.T) {
	clk := &erratic{Virtual: clock.NewVirtual(start)}
	b := breaker.Must(breaker.New("stock", breaker.Config{
		Window: breaker.WindowConfig{Length: 10 * time.Second},
	}, breaker.WithClock(clk)))
	fail := func(n int) {
		for range n {
			p, err := b.Acquire(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			p.Failure(errDown)
		}
	}
	count := func() [2]int64 { c := b.Snapshot().Numbers; return [2]int64{c.Calls, c.Failed} }
	clk.mono = 9500 * time.Millisecond
	fail(5)
	clk.mono = 3200 * time.Millisecond
	fail(1) // goes into the newest bucket (W2)
	equal(t, "seen from the past", count(), [2]int64{6, 6})
	clk.mono = 9600 * time.Millisecond
	equal(t, "at 9.6 s", count(), [2]int64{6, 6})
	clk.mono = 20 * time.Second
	equal(t, "after 20 s", count(), [2]int64{0, 0})
}

func faultTruncation(t *testing.T) {
	for _, threshold := range []int{29, 57, 58} {
		for missing := range 2 {
			r := newRig(t, with(func(c *breaker.Config) {
				c.Window.Calls, c.MinimumCalls = 100, 100
				c.FailureRate = switchgear.Percent(threshold)
			}))
			r.succeed(100 - threshold + missing)
			r.fail(threshold - missing)
			r.in([]breaker.State{breaker.Open, breaker.Closed}[missing])
		}
	}
}

func faultMinimumTooLarge(t *testing.T) {
	r := newRig(t, with(func(c *breaker.Config) { c.Window.Calls, c.MinimumCalls = 5, 10 }))
	warnings := r.Warnings()
	if len(warnings) != 1 {
		t.Fatalf("warnings: got %v, want one", warnings)
	}
	equal(t, "warning", warnings[0], switchgear.Problem{
		Path: "MinimumCalls", Value: 10, Bound: "is more than Window.Calls = 5, so 5 calls are enough",
	})
	r.fail(4)
	r.in(breaker.Closed)
	r.fail(1)
	r.in(breaker.Open)
}

func faultPileUp(t *testing.T) {
	r := newRig(t, with(func(c *breaker.Config) { c.MinimumCalls = 5 }))
	permits := make([]breaker.Permit, 1000)
	for i := range permits {
		permits[i] = r.admitted()
	}
	r.clock.Advance(time.Second)
	for i := range permits {
		permits[i].Failure(errDown)
		want := breaker.Closed
		if i >= 4 {
			want = breaker.Open
		}
		r.in(want)
	}
	c := r.Counters()
	equal(t, "failed, late, trips", [3]uint64{c.Failed, c.Late, c.Trips}, [3]uint64{5, 995, 1})
	r.window(5, 5)
}
