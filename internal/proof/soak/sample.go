package main

import (
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
)

// bounds are what no snapshot of a breaker may exceed.
type bounds struct {
	window  int64         // calls in the window of admitted calls; 0 is no bound
	probes  int64         // probes out, and calls in the probes' window
	retry   time.Duration // the longest wait
	slow    bool          // there is a slow-call rule
	version uint64        // the newest configuration there can be; 0 is no bound
}

// boundsOf returns the bounds of a breaker that may have any of these configurations.
func boundsOf(pool []*limits, longestMove time.Duration) bounds {
	b := bounds{retry: longestMove}
	for i, l := range pool {
		switch n := int64(l.cfg.Window.Calls); {
		case n == 0:
			b.window = 0
		case i == 0 || b.window > 0:
			b.window = max(b.window, n)
		}
		b.probes = max(b.probes, int64(l.cfg.HalfOpen.Probes))
		b.retry = max(b.retry, l.longest())
		b.slow = b.slow || l.cfg.SlowCall.Duration > 0
	}
	if len(pool) == 1 {
		b.version = 1
	}
	return b
}

// check returns what is wrong with one snapshot. brought is the number of outcomes that the
// window may owe to a restored state.
func (b *bounds) check(s *breaker.Snapshot, brought uint64) error {
	if err := consistent(s.Numbers); err != nil {
		return err
	}
	n, c := s.Numbers, s.Counters
	recorded, failed, slow := int64(c.Successful+c.Failed+brought), int64(c.Failed+brought), int64(c.Slow+brought)
	most := b.window
	switch s.State {
	case breaker.HalfOpen:
		most = b.probes
		recorded, failed, slow = recorded+int64(c.Overdue), failed+int64(c.Overdue), slow+int64(c.Overdue)
	case breaker.Open: // shows what it was entered with: the probes' numbers, perhaps
		most = max(most, b.probes)
		if b.window == 0 {
			most = 0
		}
		recorded, failed, slow = recorded+int64(c.Overdue), failed+int64(c.Overdue), slow+int64(c.Overdue)
	case breaker.Disabled, breaker.ForcedOpen:
		if n.Calls > 0 {
			return fmt.Errorf("W5: %v shows %+v", s.State, n)
		}
	}
	switch {
	case s.State > breaker.ForcedOpen:
		return fmt.Errorf("S4: state %v", s.State)
	case n.Calls > recorded || n.Failed > failed || n.Slow > slow:
		return fmt.Errorf("W6: the window of %v holds %+v, more than was recorded: %+v", s.State, n, c)
	case most > 0 && n.Calls > most:
		return fmt.Errorf("W1: %d calls in a window of %d", n.Calls, most)
	case !b.slow && c.Slow > 0:
		return fmt.Errorf("C3: %d slow calls without a slow-call duration", c.Slow)
	case s.ProbesOut < 0 || int64(s.ProbesOut) > b.probes || s.ProbesOut > 0 && s.State != breaker.HalfOpen:
		return fmt.Errorf("H1: %d probes out in %v, where %d are allowed", s.ProbesOut, s.State, b.probes)
	case s.RetryAfter < 0 || s.RetryAfter > b.retry || s.RetryAfter > 0 && s.IntervalPassed:
		return fmt.Errorf("P1: retry after %v of at most %v, interval passed: %v", s.RetryAfter, b.retry, s.IntervalPassed)
	case s.Consecutive < 0 || s.Evidence < 0 || s.Evidence > 1 || s.SlowEvidence < 0 || s.SlowEvidence > 1:
		return fmt.Errorf("T6: run %d, evidence %v and %v", s.Consecutive, s.Evidence, s.SlowEvidence)
	case s.Consecutive > int64(c.Failed+brought):
		return fmt.Errorf("T3: a run of %d among %d failures", s.Consecutive, c.Failed)
	case s.Period < 1 || s.ConfigVersion < 1 || b.version > 0 && s.ConfigVersion > b.version:
		return fmt.Errorf("S5: period %d, configuration %d", s.Period, s.ConfigVersion)
	case c.Overdue > c.Probes || c.GivenBack > c.Ignored+c.Released:
		return fmt.Errorf("N1: %+v", c)
	}
	return nil
}

// A sampler takes snapshots of one breaker, one after the other, and compares each with the one
// before.
type sampler struct {
	*bounds
	last    breaker.Snapshot
	brought uint64 // before last was taken
}

// add takes in the next snapshot. had and brought are the number of outcomes that were
// restored, read before the snapshot was taken and after it.
func (w *sampler) add(s breaker.Snapshot, had, brought uint64) error {
	before, since := w.last, w.brought
	w.last, w.brought = s, had
	if err := w.check(&s, brought); err != nil {
		return err
	}
	if before.Period == 0 { // the first
		return nil
	}
	if err := grown(before.Counters, s.Counters); err != nil {
		return err
	}
	switch {
	case s.Period < before.Period || s.ConfigVersion < before.ConfigVersion:
		return fmt.Errorf("S5: period %d, configuration %d, after %d and %d", s.Period, s.ConfigVersion, before.Period, before.ConfigVersion)
	case s.ListenerPanics < before.ListenerPanics || s.EventsDropped < before.EventsDropped:
		return fmt.Errorf("S7: listener panics or dropped events have become less: %+v", s)
	case s.Period == before.Period:
		if s.State != before.State {
			return fmt.Errorf("S5: period %d was %v and is %v", s.Period, before.State, s.State)
		}
		return nil
	}
	return w.checkNew(&s, &before, brought-since)
}

// checkNew checks a period that has begun since the snapshot before, and so has recorded nothing
// that was not recorded since then (W5).
func (w *sampler) checkNew(s, before *breaker.Snapshot, brought uint64) error {
	c, b := &s.Counters, &before.Counters
	failed, slow := c.Failed-b.Failed+brought, c.Slow-b.Slow+brought
	recorded := c.Successful - b.Successful + failed
	switch s.State {
	case breaker.HalfOpen:
		recorded += c.Overdue - b.Overdue
	case breaker.Closed, breaker.MetricsOnly:
	default:
		return nil
	}
	if uint64(s.Numbers.Calls) > recorded || uint64(s.Consecutive) > failed ||
		failed == 0 && s.Evidence > 0 || slow == 0 && s.SlowEvidence > 0 {
		return fmt.Errorf("W5: a new period (%v) shows %+v, a run of %d, evidence %v and %v; since the last one %d calls were recorded, %d failed, %d slow",
			s.State, s.Numbers, s.Consecutive, s.Evidence, s.SlowEvidence, recorded, failed, slow)
	}
	return nil
}
