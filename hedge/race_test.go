package hedge

import (
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/budget"
)

// next checks when the next extra attempt is due; less than 0 means never.
func next(t testing.TB, r *Race, want time.Duration) {
	t.Helper()
	at, ok := r.Next()
	if !ok {
		at = -1
	}
	equal(t, "next", at, want)
}

// starts checks which attempt starts now; 0 means none.
func starts(t testing.TB, r *Race, now time.Duration, want int) {
	t.Helper()
	n, ok := r.Start(now)
	equal(t, "attempt started", n, want)
	equal(t, "started", ok, want > 0)
}

// fixed is a budget that grants n withdrawals.
func fixed(n int) *budget.Budget {
	return budget.Must(budget.New("extra", budget.Config{Kind: budget.Quota, Quota: budget.QuotaConfig{Capacity: n, Cost: 1, TimeoutCost: 1}}))
}

func TestRace(t *testing.T) {
	t.Run("an extra attempt is due after the delay, further ones after further delays", func(t *testing.T) {
		h, _ := virtual(t, Config{Delay: 10 * ms, MaxExtra: 2})
		r := h.Begin(100*ms, true)
		next(t, r, 110*ms)
		starts(t, r, 110*ms-1, 0)
		starts(t, r, 112*ms, 2)
		next(t, r, 122*ms)
		starts(t, r, 122*ms, 3)
		next(t, r, -1)
		starts(t, r, 200*ms, 0)
		equal(t, "running", h.Snapshot().Running, 3)
		equal(t, "third", r.End(3, 130*ms, good), Won)
		equal(t, "abandoned", h.Snapshot().Abandoned, 2)
		equal(t, "first", r.End(1, 131*ms, good), Late)
		equal(t, "second", r.End(2, 132*ms, ignored), Late)
		equal(t, "counters", h.Counters(), Counters{Calls: 1, Won: 1, WonByHedge: 1, Hedges: 2, Late: 2})
		atRest(t, h, 0)
	})
	t.Run("K46: after a winner nothing starts", func(t *testing.T) {
		h, _ := virtual(t, Config{Delay: 10 * ms, MaxExtra: 4})
		r := h.Begin(0, true)
		starts(t, r, 10*ms, 2)
		equal(t, "base attempt", r.End(1, 15*ms, good), Won)
		next(t, r, -1)
		for now := 15 * ms; now < 100*ms; now += ms {
			starts(t, r, now, 0)
		}
		equal(t, "loser", r.End(2, 15*ms, ignored), Late)
		equal(t, "won by a hedge", h.Counters().WonByHedge, 0)
		atRest(t, h, 0)
	})
	t.Run("K46: after Stop nothing starts", func(t *testing.T) {
		h, _ := virtual(t, Config{Delay: 10 * ms, MaxExtra: 4})
		r := h.Begin(0, true)
		starts(t, r, 10*ms, 2)
		r.Stop()
		r.Stop()
		next(t, r, -1)
		starts(t, r, 20*ms, 0)
		equal(t, "abandoned", h.Snapshot().Abandoned, 2)
		equal(t, "a good answer that comes too late", r.End(1, 20*ms, good), Late)
		equal(t, "the other", r.End(2, 20*ms, ignored), Late)
		equal(t, "counters", h.Counters(), Counters{Calls: 1, Stopped: 1, Hedges: 1, Late: 2})
		atRest(t, h, 0)
	})
	t.Run("K47: a failure decides nothing while another attempt runs", func(t *testing.T) {
		h, _ := virtual(t, Config{Delay: 10 * ms})
		r := h.Begin(0, true)
		starts(t, r, 10*ms, 2)
		equal(t, "hedge", r.End(2, 20*ms, bad), Open)
		equal(t, "base attempt", r.End(1, 60*ms, good), Won)
		atRest(t, h, 0)
	})
	t.Run("K47: the last failure fails the call, and no extra attempt takes its place", func(t *testing.T) {
		h, _ := virtual(t, Config{Delay: 10 * ms, MaxExtra: 2})
		r := h.Begin(0, true)
		equal(t, "only attempt", r.End(1, 5*ms, bad), Failed)
		next(t, r, -1)
		starts(t, r, 10*ms, 0)
		r.Stop() // of a race that is decided
		equal(t, "counters", h.Counters(), Counters{Calls: 1, Failed: 1, Failures: 1})
		atRest(t, h, 0)
	})
	t.Run("extra attempts go on while one runs, though others have failed", func(t *testing.T) {
		h, _ := virtual(t, Config{Delay: 10 * ms, MaxExtra: 2})
		r := h.Begin(0, true)
		starts(t, r, 10*ms, 2)
		equal(t, "base attempt", r.End(1, 12*ms, bad), Open)
		starts(t, r, 20*ms, 3)
		equal(t, "second", r.End(2, 21*ms, bad), Open)
		equal(t, "third", r.End(3, 22*ms, bad), Failed)
		atRest(t, h, 0)
	})
	for name, j := range map[string]switchgear.Judgement{"final": final, "a refusal": ignored} {
		t.Run("a failure that is "+name+" ends hedging, not the race", func(t *testing.T) {
			h, _ := virtual(t, Config{Delay: 10 * ms, MaxExtra: 2})
			r := h.Begin(0, true)
			starts(t, r, 10*ms, 2)
			equal(t, "hedge", r.End(2, 11*ms, j), Open)
			next(t, r, -1)
			starts(t, r, 20*ms, 0)
			equal(t, "base attempt", r.End(1, 30*ms, good), Won)
			atRest(t, h, 0)
		})
	}
	t.Run("the dependency's hint delays the next extra attempt", func(t *testing.T) {
		h, _ := virtual(t, Config{Delay: 10 * ms, MaxExtra: 3})
		r := h.Begin(0, true)
		starts(t, r, 10*ms, 2)
		j := bad
		j.NotBefore = 50 * ms
		equal(t, "hedge", r.End(2, 12*ms, j), Open)
		next(t, r, 62*ms)
		starts(t, r, 61*ms, 0)
		starts(t, r, 62*ms, 3)
		j.NotBefore = ms // sooner than due anyway
		equal(t, "third", r.End(3, 63*ms, j), Open)
		next(t, r, 72*ms)
		starts(t, r, 72*ms, 4)
		j.NotBefore = 1<<63 - 1
		equal(t, "fourth, which asks for ever", r.End(4, 73*ms, j), Open)
		equal(t, "first", r.End(1, 74*ms, good), Won)
		atRest(t, h, 0)
	})
	t.Run("an attempt ends once; one that never started does not end", func(t *testing.T) {
		h, _ := virtual(t, Config{Delay: 10 * ms, MaxExtra: 2})
		r := h.Begin(0, true)
		starts(t, r, 10*ms, 2)
		equal(t, "hedge", r.End(2, 11*ms, bad), Open)
		for _, n := range []int{2, 3, 0, -1, 64, 1 << 30} {
			equal(t, "again, or never", r.End(n, 12*ms, good), Late)
		}
		equal(t, "base attempt", r.End(1, 13*ms, bad), Failed)
		equal(t, "base attempt again", r.End(1, 13*ms, good), Late)
		equal(t, "counters", h.Counters(), Counters{Calls: 1, Failed: 1, Hedges: 1, Failures: 2})
		atRest(t, h, 0)
	})
	t.Run("a call that is not safe is one attempt", func(t *testing.T) {
		for _, j := range []switchgear.Judgement{good, bad} {
			h, _ := virtual(t, Config{Delay: 10 * ms})
			r := h.Begin(0, false)
			next(t, r, -1)
			starts(t, r, 20*ms, 0)
			want := Won
			if j == bad {
				want = Failed
			}
			equal(t, "verdict", r.End(1, 30*ms, j), want)
			equal(t, "counters", h.Counters(), Counters{Calls: 1, Plain: 1})
			atRest(t, h, 0)
		}
	})
	t.Run("and so is every call with hedging off", func(t *testing.T) {
		h, _ := virtual(t, Config{MaxExtra: off})
		r := h.Begin(0, true)
		next(t, r, -1)
		r.Stop()
		equal(t, "late", r.End(1, 30*ms, good), Late)
		equal(t, "counters", h.Counters(), Counters{Calls: 1, Plain: 1})
		atRest(t, h, 0)
	})
	t.Run("NoMore: what runs may win, nothing more starts", func(t *testing.T) {
		h, _ := virtual(t, Config{Delay: 10 * ms, MaxExtra: 3})
		r := h.Begin(0, true)
		starts(t, r, 10*ms, 2)
		r.NoMore()
		next(t, r, -1)
		starts(t, r, 20*ms, 0)
		equal(t, "hedge", r.End(2, 25*ms, good), Won)
		equal(t, "base attempt", r.End(1, 25*ms, ignored), Late)
		atRest(t, h, 0)
	})
	t.Run("no extra attempt while the dependency is probed", func(t *testing.T) {
		asked, probing := 0, true
		h, _ := virtual(t, Config{Delay: 10 * ms, MaxExtra: 3}, WithProbing(func() bool { asked++; return probing }))
		r := h.Begin(0, true)
		starts(t, r, 5*ms, 0)
		equal(t, "asked before it is due", asked, 0)
		starts(t, r, 10*ms, 0)
		equal(t, "asked", asked, 1)
		next(t, r, -1)
		probing = false
		starts(t, r, 20*ms, 0)
		equal(t, "asked again", asked, 1)
		equal(t, "suppressed", h.Counters().Suppressed, 1)
		equal(t, "end", r.End(1, 20*ms, good), Won)
	})
	t.Run("MaxAbandoned suspends hedging while attempts left behind run on", func(t *testing.T) {
		h, _ := virtual(t, Config{Delay: 10 * ms, MaxExtra: 3, MaxAbandoned: 1})
		underWay := h.Begin(0, true)
		a := h.Begin(0, true)
		starts(t, a, 10*ms, 2)
		equal(t, "a", a.End(2, 11*ms, good), Won)
		starts(t, underWay, 12*ms, 0) // one attempt of a runs on
		equal(t, "suppressed", h.Counters().Suppressed, 1)
		b := h.Begin(12*ms, true)
		next(t, b, -1)
		equal(t, "plain", h.Counters().Plain, 1)
		equal(t, "the attempt left behind", a.End(1, 13*ms, bad), Late)
		c := h.Begin(13*ms, true)
		next(t, c, 23*ms)
		for _, r := range []*Race{underWay, b, c} {
			equal(t, "end", r.End(1, 14*ms, good), Won)
		}
		atRest(t, h, 0)
	})
}

func TestRaceBudget(t *testing.T) {
	t.Run("an extra attempt draws when it starts; refused, there is none, and no other try", func(t *testing.T) {
		b := fixed(1)
		h, _ := virtual(t, Config{Delay: 10 * ms, MaxExtra: 3}, WithBudget(b))
		r := h.Begin(0, true)
		starts(t, r, 5*ms, 0)
		equal(t, "asked before it is due", b.Counters().Granted, 0)
		starts(t, r, 10*ms, 2)
		equal(t, "granted", b.Counters().Granted, 1)
		starts(t, r, 20*ms, 0)
		next(t, r, -1)
		starts(t, r, 30*ms, 0)
		equal(t, "refused by the budget", b.Counters().Refused, 1)
		equal(t, "refused", h.Counters().Refused, 1)
		equal(t, "in use", b.Snapshot().InUse, 1)
		equal(t, "base attempt", r.End(1, 40*ms, good), Won)
		equal(t, "in use while the loser runs on", b.Snapshot().InUse, 1)
		equal(t, "hedge", r.End(2, 41*ms, ignored), Late)
		equal(t, "in use", b.Snapshot().InUse, 0)
		equal(t, "settled", b.Counters().Settled, 1)
		atRest(t, h, 0)
	})
	t.Run("the budget hears of every call, hedged or not, and of how its first attempt ended", func(t *testing.T) {
		b := budget.Must(budget.New("extra", budget.Config{Kind: budget.Throttling}))
		h, _ := virtual(t, Config{Delay: 10 * ms}, WithBudget(b))
		full := b.Snapshot().Available
		for i, safe := range []bool{true, false} {
			r := h.Begin(0, safe)
			equal(t, "end", r.End(1, ms, bad), Failed)
			equal(t, "end again", r.End(1, ms, bad), Late)
			equal(t, "tokens", b.Snapshot().Available, full-float64(i+1))
		}
	})
	t.Run("a call counts once in a ratio, its hedge is extra", func(t *testing.T) {
		b := budget.Must(budget.New("extra", budget.Config{Ratio: budget.RatioConfig{Percent: 50, MinPerSecond: off}}))
		h, _ := virtual(t, Config{Delay: 10 * ms}, WithBudget(b))
		granted := 0
		for range 100 {
			if _, ok := h.Begin(0, true).Start(10 * ms); ok {
				granted++
			}
		}
		equal(t, "granted", granted, 50)
	})
	t.Run("a shared budget hears of the extra attempts only", func(t *testing.T) {
		b := budget.Must(budget.New("extra", budget.Config{Kind: budget.Throttling}))
		h, _ := virtual(t, Config{Delay: 10 * ms}, WithSharedBudget(b))
		full := b.Snapshot().Available
		r := h.Begin(0, true)
		starts(t, r, 10*ms, 2)
		equal(t, "first", r.End(1, 11*ms, bad), Open)
		equal(t, "tokens", b.Snapshot().Available, full)
		equal(t, "second", r.End(2, 11*ms, bad), Failed)
		equal(t, "tokens", b.Snapshot().Available, full-1)

		b = budget.Must(budget.New("extra", budget.Config{Ratio: budget.RatioConfig{Percent: 100, MinPerSecond: off}}))
		h, _ = virtual(t, Config{Delay: 10 * ms}, WithSharedBudget(b))
		starts(t, h.Begin(0, true), 10*ms, 0) // it was told of no call
		b.Begin()
		starts(t, h.Begin(0, true), 10*ms, 2)
	})
}

func TestDelay(t *testing.T) {
	cfg := Config{Delay: 70 * ms, Percentile: 90, MinimumSamples: 10, Window: 6 * time.Second}
	// answer makes a call that takes d.
	answer := func(t *testing.T, h *Hedge, now, d time.Duration) {
		t.Helper()
		equal(t, "end", h.Begin(now, true).End(1, now+d, good), Won)
	}
	t.Run("K65: the fixed delay until there are enough samples, then the percentile", func(t *testing.T) {
		h, v := virtual(t, cfg)
		for i := range 9 {
			answer(t, h, 0, 20*ms)
			equal(t, "samples", h.Snapshot().Samples, uint64(i+1))
			next(t, h.Begin(0, true), 70*ms)
		}
		equal(t, "measured", h.Snapshot().Measured, false)
		answer(t, h, 0, 20*ms)
		next(t, h.Begin(0, true), 20*ms) // all are equal, so it is exact
		s := h.Snapshot()
		equal(t, "snapshot", s, Snapshot{Name: "stock", Delay: 20 * ms, Measured: true, Samples: 10, Running: 10})
		v.Advance(6*time.Second - 1)
		next(t, h.Begin(v.Mono(), true), v.Mono()+20*ms)
		v.Advance(1)
		next(t, h.Begin(v.Mono(), true), v.Mono()+70*ms)
		equal(t, "samples after the window", h.Snapshot().Samples, 0)
	})
	t.Run("MinDelay bounds the percentile from below, not the fixed delay", func(t *testing.T) {
		c := cfg
		c.MinDelay, c.Delay = 5*ms, 2*ms
		h, _ := virtual(t, c)
		next(t, h.Begin(0, true), 2*ms)
		for range 10 {
			answer(t, h, 0, 0)
		}
		next(t, h.Begin(0, true), 5*ms)
	})
	t.Run("only good answers of calls that could be hedged are measured, from the call's begin", func(t *testing.T) {
		h, _ := virtual(t, cfg)
		h.Begin(0, false).End(1, 10*ms, good)
		h.Begin(0, true).End(1, 10*ms, bad)
		stopped := h.Begin(0, true)
		stopped.Stop()
		stopped.End(1, 10*ms, good)
		equal(t, "samples", h.Snapshot().Samples, 0)
		r := h.Begin(0, true)
		starts(t, r, 70*ms, 2)
		r.End(2, 75*ms, good)
		r.End(1, 76*ms, good)
		equal(t, "samples", h.Snapshot().Samples, 1)
		d, ok := h.Latency(50)
		equal(t, "median", d, 75*ms)
		equal(t, "known", ok, true)
	})
	t.Run("a delay, once begun with, stays for the call", func(t *testing.T) {
		c := cfg
		c.MaxExtra = 2
		h, _ := virtual(t, c)
		r := h.Begin(0, true)
		for range 10 {
			answer(t, h, 0, 20*ms)
		}
		starts(t, r, 70*ms, 2)
		next(t, r, 140*ms)
	})
}

func TestLatency(t *testing.T) {
	t.Run("K65: percentiles are right within 1/16, bad ones and an empty window have none", func(t *testing.T) {
		h, _ := virtual(t, Config{})
		bads := []switchgear.Percent{-1, 101, switchgear.Percent(nan()), off, 0.5, 99.999}
		for _, p := range append([]switchgear.Percent{0, 50, 99, 99.9, 100}, bads...) {
			if d, ok := h.Latency(p); ok || d != 0 {
				t.Errorf("percentile %v of nothing: %v", p, d)
			}
		}
		for i := range 1000 {
			h.Begin(0, true).End(1, time.Duration(i+1)*ms, good)
		}
		for _, test := range []struct {
			p            switchgear.Percent
			least, exact time.Duration
		}{{0, ms, ms}, {50, 500 * ms, 500 * ms}, {99, 990 * ms, 990 * ms}, {99.9, 999 * ms, 999 * ms}, {100, 1000 * ms, 1000 * ms}} {
			d, ok := h.Latency(test.p)
			if !ok || d < test.exact || d > test.exact+test.exact/16 || d > 1000*ms {
				t.Errorf("percentile %v: got %v, want %v or up to 1/16 more", test.p, d, test.exact)
			}
		}
		for _, p := range []switchgear.Percent{0, 100} {
			want := ms
			if p == 100 {
				want = 1000 * ms
			}
			d, _ := h.Latency(p)
			equal(t, "exact", d, want)
		}
		for _, p := range bads {
			if d, ok := h.Latency(p); ok || d != 0 {
				t.Errorf("percentile %v: %v", p, d)
			}
		}
	})
	t.Run("K65: one sample is every percentile, exactly", func(t *testing.T) {
		for _, want := range []time.Duration{0, 1, 1023, 1024, 17 * ms, 12345678901, 60 * month} {
			h, _ := virtual(t, Config{})
			h.Begin(0, true).End(1, want, good)
			for _, p := range []switchgear.Percent{0, 1, 50, 100} {
				d, ok := h.Latency(p)
				equal(t, "known", ok, true)
				equal(t, "latency", d, want)
			}
		}
	})
	t.Run("there is none with a fixed delay", func(t *testing.T) {
		h, _ := virtual(t, Config{Delay: ms})
		h.Begin(0, true).End(1, ms, good)
		_, ok := h.Latency(50)
		equal(t, "known", ok, false)
	})
}

func nan() float64 { zero := 0.0; return zero / zero }
