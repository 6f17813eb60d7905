package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
)

// problems collects what is wrong.
type problems []error

func (p *problems) require(ok bool, format string, args ...any) {
	if !ok {
		*p = append(*p, fmt.Errorf(format, args...))
	}
}

// settleAccounts closes a breaker, when no call is in progress, and compares all that its callers
// (whose books are given) and its listeners know of it with what it says itself.
func (s *subject) settleAccounts(books *tally) {
	var p problems
	s.close()
	s.rest()
	quiet := s.b.Snapshot()
	all := *books
	all.add(&s.calls)
	p = append(p, all.compare(quiet.Counters))
	p = append(p, all.compareSlots(&quiet))
	if s.round.sc.focus == calm {
		p = append(p, s.compareWindow(&quiet, &all))
	}

	if s.round.sc.focus != calm {
		p = append(p, s.compareNext(&quiet, books))
		s.use(books, 20)
		// One more transition, so that every period has ended and been told of.
		s.quiet = true
		p.require(s.b.Reset("soak", "the end") == nil, "S4: a reset was refused")
	}
	if s.async != nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		p.require(s.async.Close(ctx) == nil, "S7: the asynchronous listener does not come to an end")
	}
	end := s.b.Snapshot()
	all = *books
	all.add(&s.calls)
	p = append(p, all.compare(end.Counters), grown(quiet.Counters, end.Counters))
	s.compareEvents(&p, &end)
	s.fail(errors.Join(p...))
	s.round.run.totals.addSubject(s, &all, &end)
}

// compareNext makes a call, and checks that it is let through or refused as a snapshot that was
// taken just before lets one expect.
func (s *subject) compareNext(snap *breaker.Snapshot, books *tally) error {
	// Of a state that refuses calls, and will do so for some time, it is known only how long by
	// a clock that nobody moves.
	still := s.round.virtual != nil && !s.aside
	pass, refuse := admits(snap.State), false
	switch snap.State {
	case breaker.Open:
		pass, refuse = snap.IntervalPassed, still && !snap.IntervalPassed
	case breaker.ForcedOpen:
		refuse = snap.Expires.IsZero() || still && snap.RetryAfter > 0
	case breaker.HalfOpen: // with a slot out there may be another or not
		pass = snap.ProbesOut == 0
	}
	refused := books.refused
	s.use(books, 1)
	if was := books.refused > refused; was && pass || !was && refuse {
		return fmt.Errorf("S2: the next call was refused: %v; and before it the breaker was in %v, interval passed: %v, retry after %v, %d probes out",
			was, snap.State, snap.IntervalPassed, snap.RetryAfter, snap.ProbesOut)
	}
	return nil
}

// use makes some calls, after which each has ended.
func (s *subject) use(books *tally, calls int) {
	for i := range calls {
		if v := s.round.virtual; v != nil && i > 0 {
			v.Advance(s.round.sc.unit)
		}
		p, err := s.b.Acquire(context.Background())
		if err != nil {
			books.refused++
			continue
		}
		books.admitted++
		if p.Probe() {
			books.probes++
		}
		if i%3 == 0 {
			books.settled[failure]++
			p.Failure(errDown)
		} else {
			books.settled[success]++
			p.Success()
		}
	}
}

// compareSlots checks that only permits that were never settled have a slot.
func (t *tally) compareSlots(snap *breaker.Snapshot) error {
	if gone := t.lost + t.unknown; uint64(snap.ProbesOut) > gone {
		return fmt.Errorf("H4: %d slots are taken, and only %d permits were never settled", snap.ProbesOut, gone)
	}
	return nil
}

// compareWindow checks a breaker that cannot trip and on which nothing happened but calls: none
// was late or refused, and the window holds exactly what the callers did.
func (s *subject) compareWindow(snap *breaker.Snapshot, books *tally) error {
	c, n, w := snap.Counters, snap.Numbers, s.pool[0].cfg.Window
	if snap.Period != 1 || c.Late+c.Rejected+c.Probes+c.Overdue > 0 {
		return fmt.Errorf("T1: nothing can trip, but this is period %d and the counters are %+v", snap.Period, c)
	}
	if c.Successful != books.settled[success] {
		return fmt.Errorf("N1: %d successes, but successful is %d", books.settled[success], c.Successful)
	}
	recorded := int64(c.Successful + c.Failed)
	if w.Calls > 0 {
		if n.Calls != min(recorded, int64(w.Calls)) {
			return fmt.Errorf("W1: %d outcomes were recorded, and the window of %d holds %+v", recorded, w.Calls, n)
		}
		return nil
	}
	if n.Calls != recorded || n.Failed != int64(c.Failed) || n.Slow != int64(c.Slow) {
		return fmt.Errorf("W2: the counters are %+v, and the window, of which nothing has expired, holds %+v", c, n)
	}
	return nil
}

// compareEvents holds what the listeners heard, up to the last transition, against the breaker.
func (s *subject) compareEvents(p *problems, end *breaker.Snapshot) {
	h, c := s.history, end.Counters
	recent := s.b.Events() // takes the lock of the stream, which orders what the listeners wrote before this
	if n := len(recent); n > 0 {
		p.require(recent[n-1].Seq == h.seq, "S7: the newest event is %d, and the last that was heard %d", recent[n-1].Seq, h.seq)
		for i, e := range recent {
			p.require(e.Seq == recent[n-1].Seq-uint64(n-1-i), "S7: event %d is remembered at place %d of %d up to %d", e.Seq, i, n, recent[n-1].Seq)
			if st := h.stateOf(e.Period); e.To != "" && st != nowhere {
				p.require(st.String() == e.To, "S7: period %d is remembered as %s, and was heard to be %v", e.Period, e.To, st)
			}
		}
	}
	p.require(h.missed == end.EventsDropped, "S7: the listener missed %d events, and %d were dropped", h.missed, end.EventsDropped)
	p.require(end.ListenerPanics == s.panics.Load(), "S7: listeners panicked %d times, and %d were counted", s.panics.Load(), end.ListenerPanics)
	if s.async != nil {
		p.require(s.queued+s.async.Dropped() == h.sum.events,
			"S7: the asynchronous listener got %d events and dropped %d, of %d", s.queued, s.async.Dropped(), h.sum.events)
	}
	if !s.aside {
		for _, w := range s.round.workers {
			for _, seen := range w.sightings[s.index] {
				st := h.stateOf(seen.period())
				p.require(st == nowhere || st == seen.state(), "S5: period %d refused a call in %v, and was %v", seen.period(), seen.state(), st)
			}
		}
	}
	if h.missed > 0 {
		return
	}
	p.require(h.period == end.Period && h.state == end.State, "S7: period %d, %v was heard of, but it is %d, %v", h.period, h.state, end.Period, end.State)
	p.require(h.version == end.ConfigVersion, "R1: configuration %d was heard of, but it is %d", h.version, end.ConfigVersion)
	p.require(h.sum.trips == c.Trips, "N1: %d trips were heard of, but trips is %d", h.sum.trips, c.Trips)
	if s.round.sc.focus != calm {
		p.require(h.sum.refused == c.Rejected, "N1: the events tell of %d refusals, but rejected is %d", h.sum.refused, c.Rejected)
		p.require(h.sum.probes == c.Probes, "N1: the events tell of %d probes, but probes is %d", h.sum.probes, c.Probes)
		p.require(h.sum.given == c.GivenBack, "H4: the events tell of %d slots given back, but given back is %d", h.sum.given, c.GivenBack)
	}
}
