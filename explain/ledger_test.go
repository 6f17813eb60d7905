package explain_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/explain"
)

func newLedger(t testing.TB, cfg explain.LedgerConfig) *explain.Ledger {
	t.Helper()
	l, err := explain.NewLedger(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func near(t testing.TB, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-4*max(1, math.Abs(want)) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func TestLedger(t *testing.T) {
	t.Run("an outage of two rounds", func(t *testing.T) {
		l := newLedger(t, explain.LedgerConfig{FailedCall: 2 * time.Second})
		r := newRig(t, "payments", plain(), breaker.WithListener(l))
		_, ok := l.Book("payments")
		equal(t, "a book before the first event", ok, false)

		r.trip()
		r.calls(100, nil)
		r.clock.Advance(27 * time.Second)
		p, _ := r.Acquire(t.Context())
		q, _ := r.Acquire(t.Context())
		s, _ := r.Acquire(t.Context())
		r.calls(10, nil) // no slot is free
		r.clock.Advance(time.Second)
		p.Failure(errDown)
		q.Failure(errDown)
		s.Failure(errDown) // 110 refused, 0 of 3 good
		r.calls(50, nil)
		r.clock.Advance(30 * time.Second)
		r.calls(2, nil)
		r.calls(1, errDown) // 50 refused, 2 of 3 good

		b, _ := l.Book("payments")
		equal(t, "state", b.State, "CLOSED")
		equal(t, "since", b.Since, start.Add(58*time.Second))
		equal(t, "trips", b.Trips, 2)
		equal(t, "recoveries", b.Recoveries, 1)
		equal(t, "open", b.Open, 57*time.Second)
		equal(t, "half-open", b.HalfOpen, time.Second)
		equal(t, "refused", b.Refused, 160)
		equal(t, "estimated", b.Estimated, 160)
		equal(t, "probes", b.Probes, 6)
		equal(t, "judged", b.ProbesJudged, 6)
		equal(t, "good", b.ProbesGood, 2)
		// Shares 0 [0, 0.56150] and 2/3 [0.20766, 0.93851].
		near(t, "estimate", b.WouldBeGood.Estimate, 50*2./3)
		near(t, "low", b.WouldBeGood.Low, 50*2./3-50*(2./3-0.2076597))
		near(t, "high", b.WouldBeGood.High, 50*2./3+math.Hypot(110*0.5614970, 50*(0.9385081-2./3)))
		near(t, "spared", b.WaitSpared.Estimate, (160-50*2./3)*2e9)
		near(t, "spared at least", b.WaitSpared.Low, (160-b.WouldBeGood.High)*2e9)
		near(t, "spared at most", b.WaitSpared.High, (160-b.WouldBeGood.Low)*2e9)
	})
	t.Run("without a time per failed call there is no time spared", func(t *testing.T) {
		l := newLedger(t, explain.LedgerConfig{})
		r := newRig(t, "payments", plain(), breaker.WithListener(l))
		r.trip()
		b, _ := l.Book("payments")
		equal(t, "spared", b.WaitSpared, nil)
		equal(t, "estimate", b.WouldBeGood, explain.Range{})
	})
	t.Run("S4: what an operator refuses is not the breaker's", func(t *testing.T) {
		l := newLedger(t, explain.LedgerConfig{})
		r := newRig(t, "payments", plain(), breaker.WithListener(l))
		r.move(breaker.Move{To: breaker.ForcedOpen, Reason: "drill"})
		r.calls(7, nil)
		r.clock.Advance(time.Minute)
		r.move(breaker.Move{To: breaker.Open, Reason: "drill"})
		r.calls(5, nil)
		r.move(breaker.Move{To: breaker.Closed, Reason: "drill"})
		b, _ := l.Book("payments")
		equal(t, "forced", b.RefusedForced, 7)
		equal(t, "time forced", b.Forced, time.Minute)
		equal(t, "refused", b.Refused, 5)
		equal(t, "estimated", b.Estimated, 0)
		equal(t, "trips", b.Trips, 0)
		equal(t, "recoveries", b.Recoveries, 0)
	})
	t.Run("a round that is cut short lends nothing to the next", func(t *testing.T) {
		l := newLedger(t, explain.LedgerConfig{})
		r := newRig(t, "payments", plain(), breaker.WithListener(l))
		r.trip()
		r.calls(100, nil)
		r.move(breaker.Move{To: breaker.Closed, Reason: "drill"})
		r.trip()
		r.calls(3, nil)
		r.clock.Advance(time.Minute)
		r.calls(3, nil)
		b, _ := l.Book("payments")
		equal(t, "refused", b.Refused, 103)
		equal(t, "estimated", b.Estimated, 3)
		equal(t, "recoveries", b.Recoveries, 1)

		r.trip()
		r.clock.Advance(time.Minute)
		r.calls(1, nil)
		r.move(breaker.Move{To: breaker.Closed, Reason: "enough"})
		b, _ = l.Book("payments")
		equal(t, "recoveries, without an operator's", b.Recoveries, 1)
		equal(t, "good probes, all the same", b.ProbesGood, 4)
	})
	t.Run("missed events are counted, and break the round", func(t *testing.T) {
		l := newLedger(t, explain.LedgerConfig{})
		r := newRig(t, "payments", plain())
		cfg := plain()
		cfg.FailureRate = 60
		if err := r.Reconfigure(cfg); err != nil { // 1, no gap
			t.Fatal(err)
		}
		r.trip() // 2
		r.calls(9, nil)
		cfg.FailureRate = 50
		if err := r.Reconfigure(cfg); err != nil { // 3
			t.Fatal(err)
		}
		r.clock.Advance(time.Minute)
		r.calls(3, nil) // 4, 5
		for _, e := range r.heard {
			l.OnEvent(e)
		}
		b, _ := l.Book("payments")
		equal(t, "missed", b.Missed, 0)
		equal(t, "estimated", b.Estimated, 9)

		l = newLedger(t, explain.LedgerConfig{})
		for i, e := range r.heard {
			if i != 2 {
				l.OnEvent(e)
			}
		}
		b, _ = l.Book("payments")
		equal(t, "missed", b.Missed, 1)

		l = newLedger(t, explain.LedgerConfig{})
		half := r.heard[3]
		half.Seq = 2
		l.OnEvent(half)
		half.Seq, half.From, half.To, half.Detail = 4, "HALF_OPEN", "CLOSED", r.heard[4].Detail
		l.OnEvent(half)
		b, _ = l.Book("payments")
		equal(t, "missed", b.Missed, 1)
		equal(t, "estimated", b.Estimated, 0)

		half.Seq = 1 // another breaker of the same name
		l.OnEvent(half)
		b, _ = l.Book("payments")
		equal(t, "missed", b.Missed, 1)
	})
	t.Run("other events are let pass", func(t *testing.T) {
		l := newLedger(t, explain.LedgerConfig{})
		l.OnEvent(event.Event{Source: "adaptive", Name: "x", Detail: &breaker.Change{}})
		l.OnEvent(event.Event{Source: "breaker", Name: "x", Kind: event.Warning})
		equal(t, "books", len(l.All()), 0)
	})
	t.Run("K61: books are bounded; the one idle for longest goes", func(t *testing.T) {
		l := newLedger(t, explain.LedgerConfig{Names: 3})
		for _, name := range []string{"d", "a", "b", "a", "c", "d"} {
			l.OnEvent(event.Event{Source: "breaker", Name: name, Kind: event.Transition, Detail: &breaker.Change{}})
		}
		var names []string
		for _, b := range l.All() {
			names = append(names, b.Name)
		}
		equal(t, "books, by name", fmt.Sprint(names), "[a c d]")
		equal(t, "dropped", l.Dropped(), 2)
	})
}
