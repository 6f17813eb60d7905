package hedge

import (
	"flag"
	"math"
	"math/rand"
	"slices"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/clock"
)

var seed = flag.Int64("seed", 0, "seed of the random tests; 0 picks one")

// random returns a source whose seed is logged, so that a failure can be repeated.
func random(t *testing.T) *rand.Rand {
	s := *seed
	for s == 0 {
		s = rand.Int63()
	}
	t.Logf("-seed=%d", s)
	return rand.New(rand.NewSource(s))
}

func rounds(n int) int {
	if testing.Short() {
		return max(n/10, 1)
	}
	return n
}

// naiveTail keeps every sample and sorts them when asked.
type naiveTail struct {
	length  time.Duration // of a slice
	newest  int64         // number of the newest slice
	samples []sample
}

type sample struct {
	d     time.Duration
	slice int64
}

func (n *naiveTail) at(now time.Duration) {
	n.newest = max(n.newest, int64(now/n.length))
	n.samples = slices.DeleteFunc(n.samples, func(s sample) bool { return s.slice <= n.newest-partCount })
}

func (n *naiveTail) add(d, now time.Duration) {
	n.at(now)
	n.samples = append(n.samples, sample{max(d, 0), n.newest})
}

func (n *naiveTail) percentile(p float64, now time.Duration) (time.Duration, bool) {
	n.at(now)
	if len(n.samples) == 0 {
		return 0, false
	}
	var all []time.Duration
	for _, s := range n.samples {
		all = append(all, s.d)
	}
	slices.Sort(all)
	rank := int(math.Ceil(p*float64(len(all))/100_00 - 1e-9))
	return all[max(rank, 1)-1], true
}

// The running percentile, and every other one, is that of the naive model, or up to
// 1/16 or a unit more, after any samples at any times.
func TestTailProperty(t *testing.T) {
	r := random(t)
	for range rounds(50) {
		hundredths := int64(1_00 + r.Intn(99_01))
		minimum := 1 + r.Intn(20)
		length := time.Duration(1 + r.Intn(1000))
		tl, model := newTail(hundredths, minimum, length*partCount, 0), &naiveTail{length: length}
		spread := 1 + r.Intn(45)
		now := time.Duration(0)
		for range 300 {
			switch r.Intn(12) {
			case 0:
				now += time.Duration(r.Int63n(int64(length) * 2))
			case 1:
				if r.Intn(5) == 0 {
					now += time.Duration(r.Int63n(int64(length) * 2 * partCount))
				}
			default:
				d := time.Duration(r.Int63n(1 << (1 + r.Intn(spread))))
				when := now
				if r.Intn(10) == 0 {
					when = max(now-time.Duration(r.Int63n(int64(length)*3)), 0) // a reading taken earlier
				}
				tl.add(d, when)
				model.add(d, when)
			}
			want, _ := model.percentile(float64(hundredths), now)
			got := tl.value(now)
			if len(model.samples) < minimum {
				equal(t, "too few samples", got, 0)
			} else {
				within(t, got, want)
			}
			equal(t, "samples", tl.samples(now), uint64(len(model.samples)))
			p := int64(r.Intn(100_01))
			want, known := model.percentile(float64(p), now)
			got, ok := tl.percentile(p, now)
			equal(t, "known", ok, known)
			if known {
				within(t, got, want)
			}
			if t.Failed() {
				return
			}
		}
	}
}

func within(t *testing.T, got, want time.Duration) {
	t.Helper()
	// The tail publishes an answer in no time as 1 ns, since 0 means too few samples.
	if got < want || got > want+max(want/16, 1023) {
		t.Errorf("percentile: got %d, want %d or a little more", got, want)
	}
}

// naiveRace is a race written down without care for cost: it keeps what happened and
// finds every answer by looking through all of it.
type naiveRace struct {
	delay   time.Duration
	extra   int
	safe    bool
	started []time.Duration
	ends    []naiveEnd
	stopped bool
	barred  bool // NoMore, or an extra attempt was refused
	due     []time.Duration
}

type naiveEnd struct {
	attempt int
	j       switchgear.Judgement
	late    bool
}

func (n *naiveRace) over() bool {
	if n.stopped {
		return true
	}
	failed := 0
	for _, e := range n.ends {
		if e.late {
			continue
		}
		if e.j.Health == switchgear.Success {
			return true
		}
		failed++
	}
	return failed == len(n.started)
}

func (n *naiveRace) next() (time.Duration, bool) {
	if n.over() || n.barred || !n.safe || len(n.started) > n.extra {
		return 0, false
	}
	for _, e := range n.ends {
		if e.j.Repeat == switchgear.RepeatNever {
			return 0, false
		}
	}
	// An earliest time that was asked for holds for the next attempt; the one after
	// that has its delay.
	at := n.started[len(n.started)-1] + n.delay
	for _, d := range n.due {
		at = max(at, d)
	}
	return at, true
}

func (n *naiveRace) end(attempt int, now time.Duration, j switchgear.Judgement) Verdict {
	if attempt < 1 || attempt > len(n.started) {
		return Late
	}
	for _, e := range n.ends {
		if e.attempt == attempt {
			return Late
		}
	}
	over := n.over()
	n.ends = append(n.ends, naiveEnd{attempt, j, over})
	switch {
	case over:
		return Late
	case j.Health == switchgear.Success:
		return Won
	}
	if j.NotBefore > 0 {
		n.due = append(n.due, now+j.NotBefore)
	}
	if n.over() {
		return Failed
	}
	return Open
}

// A race does what the naive one does, with any budget, under any operations in any
// order, and leaves counters, gauges and budget balanced.
func TestRaceProperty(t *testing.T) {
	r := random(t)
	for range rounds(6_000) {
		tokens := 1 + r.Intn(4)
		b := fixed(tokens)
		cfg := Config{Delay: time.Duration(1 + r.Intn(20)), MaxExtra: 1 + r.Intn(10)}
		probing := false
		h, _ := virtual(t, cfg, WithSharedBudget(b), WithProbing(func() bool { return probing }))
		now := time.Duration(r.Intn(100))
		n := &naiveRace{delay: cfg.Delay, extra: cfg.MaxExtra, safe: r.Intn(8) > 0, started: []time.Duration{now}}
		race := h.Begin(now, n.safe)
		for range 40 {
			now += time.Duration(r.Intn(8))
			switch op := r.Intn(20); {
			case op == 0:
				race.NoMore()
				n.barred = true
			case op == 1 && r.Intn(4) == 0:
				race.Stop()
				n.stopped = n.stopped || !n.over()
			case op < 12:
				probing = r.Intn(10) == 0
				at, may := n.next()
				may = may && now >= at
				granted := may && !probing && tokens > 0
				got, ok := race.Start(now)
				equal(t, "started", ok, granted)
				if granted {
					tokens--
					n.started, n.due = append(n.started, now), nil
					equal(t, "number", got, len(n.started))
				} else if may {
					n.barred = true
				}
			default:
				attempt := r.Intn(len(n.started)+3) - 1
				j := switchgear.Judgement{
					Health: switchgear.Outcome(r.Intn(4)),
					Repeat: switchgear.Repeat(r.Intn(3)),
				}
				if r.Intn(4) > 0 && j.Health == switchgear.Success {
					j.Health = switchgear.Failure
				}
				if r.Intn(4) == 0 {
					j.NotBefore = time.Duration(r.Intn(40) - 5)
				}
				was := b.Snapshot().Available
				equal(t, "verdict", race.End(attempt, now, j), n.end(attempt, now, j))
				tokens += int(b.Snapshot().Available - was) // a quota gives back for successes
			}
			at, ok := race.Next()
			wantAt, want := n.next()
			equal(t, "another one", ok, want)
			equal(t, "due", at, wantAt)
			if t.Failed() {
				return
			}
		}
		for attempt := range len(n.started) {
			race.End(attempt+1, now, bad)
		}
		race.Stop()
		atRest(t, h, 0)
		equal(t, "in use", b.Snapshot().InUse, uint64(0))
		equal(t, "hedges and withdrawals", h.Counters().Hedges, b.Counters().Granted)
		if t.Failed() {
			return
		}
	}
}

// With the 95th percentile one call in twenty is hedged: also in the long run, after
// the hedges have cut off the tail that the percentile is taken from, and whatever the
// delay was at first.
func TestShareOfHedgesProperty(t *testing.T) {
	r := random(t)
	for _, first := range []time.Duration{ms, 10 * ms, time.Second} {
		v := clock.NewVirtual(start)
		b := budget.Must(budget.New("extra", budget.Config{Ratio: budget.RatioConfig{Percent: 100}}, budget.WithClock(v)))
		h := made(t, Config{Delay: first, Percentile: 95, Window: 10 * time.Second}, WithClock(v), WithBudget(b))
		const calls = 40_000
		var before Counters
		for i := range calls {
			if i == calls/2 {
				before = h.Counters()
			}
			v.Advance(5 * ms)
			now := v.Mono()
			latency := func() time.Duration { return time.Duration((5 + r.ExpFloat64()*10) * float64(ms)) }
			race, base := h.Begin(now, true), latency()
			at, _ := race.Next()
			if now+base <= at {
				race.End(1, now+base, good)
				continue
			}
			n, _ := race.Start(at)
			if extra := at + latency(); extra < now+base {
				race.End(n, extra, good)
				race.End(1, extra, ignored)
			} else {
				race.End(1, now+base, good)
				race.End(n, now+base, ignored)
			}
		}
		c := h.Counters()
		share := float64(c.Hedges-before.Hedges) / float64(c.Calls-before.Calls)
		t.Logf("delay %v at first, %v at last: %.2f %% of the later calls were hedged", first, h.Snapshot().Delay, 100*share)
		if share < 0.03 || share > 0.065 {
			t.Errorf("%.2f %% of the calls were hedged, want about 5", 100*share)
		}
	}
}
