package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/event"
)

const states = 6

// nowhere stands for the state of a period whose event was dropped.
const nowhere = breaker.State(255)

// A history is everything a listener can know of one breaker. It checks each event on
// arrival, and remembers one byte a period. Events come one after the other (S7), so it
// has no lock; the race detector sees whether they do.
type history struct {
	name    string
	configs func(version uint64) *limits
	made    time.Time // at or before New, by the breaker's clock; zero if its wall clock may jump

	seq     uint64
	missed  uint64 // events that were dropped
	period  uint64
	version uint64
	state   breaker.State
	rules   *limits // in force; nil while that is not known

	// Of the period in force.
	linked    bool          // its beginning was seen
	untouched bool          // it was not reconfigured, nor restored
	wait      time.Duration // the open interval it began with; -1 if it has none, or a moved one
	stay      time.Duration // the time after which the operator's move expires; -1 if it does not

	states []breaker.State // by period, from 1
	sum    sums
}

// sums are what the events of a breaker add up to.
type sums struct {
	events  uint64
	pairs   [states][states]uint64 // transitions, and renewals on the diagonal
	rules   map[breaker.Rule]uint64
	trips   uint64 // by a rule, not by an operator
	refused uint64
	probes  uint64
	given   uint64 // slots given back

	expired, restored, reconfigured, warnings uint64
	hinted, grown                             uint64 // open intervals with a hint, or with growth
}

func (s *sums) add(o *sums) {
	s.events += o.events
	for i := range s.pairs {
		for j := range s.pairs[i] {
			s.pairs[i][j] += o.pairs[i][j]
		}
	}
	for r, n := range o.rules {
		s.rules[r] += n
	}
	s.trips += o.trips
	s.refused += o.refused
	s.probes += o.probes
	s.given += o.given
	s.expired += o.expired
	s.restored += o.restored
	s.reconfigured += o.reconfigured
	s.warnings += o.warnings
	s.hinted += o.hinted
	s.grown += o.grown
}

// newHistory begins with a new breaker: CLOSED, period 1, the first configuration.
func newHistory(name string, configs func(version uint64) *limits) *history {
	return &history{
		name: name, configs: configs, period: 1, version: 1, rules: configs(1),
		linked: true, untouched: true, wait: -1, stay: -1,
		states: []breaker.State{breaker.Closed}, sum: sums{rules: map[breaker.Rule]uint64{}},
	}
}

// stateOf returns the state of a period.
func (h *history) stateOf(period uint64) breaker.State {
	if period < 1 || period > uint64(len(h.states)) {
		return nowhere
	}
	return h.states[period-1]
}

// add takes in the next event and returns what is wrong with it.
func (h *history) add(e event.Event) error {
	if e.Seq <= h.seq {
		return fmt.Errorf("S7: event %d came after event %d", e.Seq, h.seq)
	}
	if gap := e.Seq - h.seq - 1; gap > 0 { // dropped; the sums at the end tell whether they really were
		h.missed += gap
		h.linked, h.untouched, h.rules = false, false, nil
	}
	h.seq = e.Seq
	h.sum.events++
	if e.Source != "breaker" || e.Name != h.name || e.Time.IsZero() {
		return fmt.Errorf("an event of %s %q at %v", e.Source, e.Name, e.Time)
	}
	switch e.Kind {
	case event.Transition, event.Renewed:
		return h.transition(e)
	case event.Reconfigured:
		return h.reconfigured(e)
	case event.Warning:
		h.sum.warnings++
		return h.inPeriod(e)
	}
	return fmt.Errorf("an event of unknown kind %q", e.Kind)
}

// inPeriod checks an event that begins no period.
func (h *history) inPeriod(e event.Event) error {
	if e.Period < h.period || h.linked && e.Period != h.period || e.From != "" || e.To != "" {
		return fmt.Errorf("S5: %s event of period %d, from %q to %q, in period %d", e.Kind, e.Period, e.From, e.To, h.period)
	}
	return nil
}

func (h *history) reconfigured(e event.Event) error {
	h.sum.reconfigured++
	r, ok := e.Detail.(*breaker.Reconfiguration)
	switch {
	case !ok || len(r.Changes) == 0:
		return fmt.Errorf("R1: reconfigured, with detail %v", e.Detail)
	case r.Version <= h.version || r.Version != h.version+1 && h.rules != nil:
		return fmt.Errorf("R1: configuration %d after %d", r.Version, h.version)
	}
	h.version, h.rules = r.Version, h.configs(r.Version)
	h.untouched, h.wait = false, -1
	if h.rules == nil {
		return fmt.Errorf("R1: nobody has given configuration %d", r.Version)
	}
	return h.inPeriod(e)
}

func (h *history) transition(e event.Event) error {
	var from, to breaker.State
	change, ok := e.Detail.(*breaker.Change)
	if err := errors.Join(from.UnmarshalText([]byte(e.From)), to.UnmarshalText([]byte(e.To))); err != nil || !ok {
		return fmt.Errorf("S7: a transition with detail %v: %w", e.Detail, err)
	}
	switch {
	case h.linked && e.Period != h.period+1, e.Period <= h.period:
		return fmt.Errorf("S5: period %d after period %d", e.Period, h.period)
	case h.linked && from != h.state:
		return fmt.Errorf("S7: from %v, but the state was %v", from, h.state)
	case (e.Kind == event.Renewed) != (from == to):
		return fmt.Errorf("S4: %s from %v to %v", e.Kind, from, to)
	}
	err := h.change(&e, from, to, change)

	for uint64(len(h.states)) < e.Period-1 {
		h.states = append(h.states, nowhere)
	}
	h.states = append(h.states, to)
	h.period, h.state, h.linked = e.Period, to, true
	h.sum.pairs[from][to]++
	h.sum.refused += change.Refused
	h.sum.probes += change.Probes
	h.sum.given += change.GivenBack
	h.begin(&e, to, change)
	return err
}

// begin notes what the new period promises.
func (h *history) begin(e *event.Event, to breaker.State, c *breaker.Change) {
	h.untouched, h.wait, h.stay = h.rules != nil, -1, -1
	if !c.Expires.IsZero() {
		h.stay = c.Expires.Sub(e.Time)
	}
	if byRestore(e) {
		h.sum.restored++
		h.untouched = false
		return
	}
	t := c.Trip
	if t == nil {
		return
	}
	h.sum.rules[t.Rule]++
	if to != breaker.Open {
		return
	}
	h.wait = t.Wait
	if t.Rule != breaker.RuleOperator {
		h.sum.trips++
	}
	if t.Hint > 0 {
		h.sum.hinted++
	}
	if t.Retrips > 0 {
		h.sum.grown++
	}
}

func byRestore(e *event.Event) bool {
	c, ok := e.Detail.(*breaker.Change)
	return ok && c.Restored
}

func byExpiry(e *event.Event) bool {
	c, ok := e.Detail.(*breaker.Change)
	return ok && c.Expired
}

// change checks what a transition tells of the period that it ends, and whether there
// may be such a transition.
func (h *history) change(e *event.Event, from, to breaker.State, c *breaker.Change) error {
	if err := consistent(c.Numbers); err != nil {
		return err
	}
	empty := from == breaker.Disabled || from == breaker.ForcedOpen
	switch {
	case c.Lasted < 0:
		return fmt.Errorf("C5: a period lasted %v", c.Lasted)
	case empty && c.Numbers.Calls > 0:
		return fmt.Errorf("W5: %v showed %+v", from, c.Numbers)
	case from != breaker.HalfOpen && (c.Probes > 0 || c.GivenBack > 0):
		return fmt.Errorf("S3: %d probes, %d given back, in %v", c.Probes, c.GivenBack, from)
	case c.GivenBack > c.Probes:
		return fmt.Errorf("H4: %d slots given back of %d", c.GivenBack, c.Probes)
	case from == breaker.HalfOpen && c.Numbers.Calls > int64(c.Probes-c.GivenBack):
		return fmt.Errorf("H8: %d outcomes of %d probes, of which %d gave their slot back", c.Numbers.Calls, c.Probes, c.GivenBack)
	}
	if from == breaker.HalfOpen && h.untouched && h.rules.cfg.HalfOpen.Verdict == breaker.ByRate &&
		c.Probes-c.GivenBack > uint64(h.rules.cfg.HalfOpen.Probes) {
		return fmt.Errorf("H1: %d probes admitted, %d given back, where %d are allowed", c.Probes, c.GivenBack, h.rules.cfg.HalfOpen.Probes)
	}
	if err := described(c.Trip); err != nil {
		return err
	}
	switch {
	case byRestore(e):
		return nil
	case byExpiry(e):
		h.sum.expired++
		return h.expired(from, to, c)
	case e.Author != "":
		return ordered(e, to, c)
	case e.Reason != "":
		return fmt.Errorf("S7: nobody's transition, for the reason %q", e.Reason)
	}
	return h.automatic(from, to, c)
}

// described checks the texts of a trip's record.
func described(t *breaker.Trip) error {
	if t == nil {
		return nil
	}
	n := 0
	for _, g := range t.Errors {
		n += g.Count
		if g.Count < 1 || g.Kind == "" || len(g.Sample) > 256 {
			return fmt.Errorf("T5: %d errors of kind %q, of which one is %q", g.Count, g.Kind, g.Sample)
		}
	}
	if n > 8 || t.Text() == "" {
		return fmt.Errorf("T5: the record of a trip holds %d errors and says %q", n, t.Text())
	}
	return nil
}

// expired checks the end of an operator's state (S4).
func (h *history) expired(from, to breaker.State, c *breaker.Change) error {
	want := map[breaker.State]breaker.State{
		breaker.ForcedOpen: breaker.Open, breaker.Disabled: breaker.Closed, breaker.MetricsOnly: breaker.Closed,
	}
	if next, ok := want[from]; !ok || next != to || c.Trip != nil {
		return fmt.Errorf("S4: expired from %v to %v", from, to)
	}
	if h.linked && (h.stay < 0 || c.Lasted < h.stay) {
		return fmt.Errorf("S4: expired after %v, where %v were given", c.Lasted, h.stay)
	}
	return nil
}

// ordered checks an operator's move.
func ordered(e *event.Event, to breaker.State, c *breaker.Change) error {
	opens := to == breaker.Open || to == breaker.ForcedOpen
	if opens != (c.Trip != nil) || opens && (c.Trip.Rule != breaker.RuleOperator || c.Trip.Author != e.Author || c.Trip.Wait < 0) {
		return fmt.Errorf("S4: %q moved to %v with the trip record %+v", e.Author, to, c.Trip)
	}
	return nil
}

// automatic checks a transition that the breaker made by itself.
func (h *history) automatic(from, to breaker.State, c *breaker.Change) error {
	untouched := h.untouched && h.linked
	switch {
	case (to == breaker.Open) != (c.Trip != nil):
		return fmt.Errorf("T5: from %v to %v with the trip record %+v", from, to, c.Trip)
	case to == breaker.Open && (from == breaker.Closed || from == breaker.HalfOpen):
		if h.rules == nil {
			return nil
		}
		// A period's own length will not do here: an outcome may be stamped before the grace
		// ended, and be the one that waited longest for the lock.
		if after := c.Trip.Time.Sub(h.made); h.period == 1 && untouched && !h.made.IsZero() && after < h.rules.cfg.Grace {
			return fmt.Errorf("T7: a trip after %v, in a grace of %v", after, h.rules.cfg.Grace)
		}
		return h.rules.checkTrip(c.Trip, from, c.Lasted, untouched)
	case from == breaker.HalfOpen && to == breaker.Closed:
		if h.rules == nil {
			return nil
		}
		return h.rules.checkRecovery(c, untouched)
	case from == breaker.Open && to == breaker.HalfOpen:
		if h.linked && c.Lasted < h.wait {
			return fmt.Errorf("O4: half-open after %v of an interval of %v", c.Lasted, h.wait)
		}
		return nil
	}
	return fmt.Errorf("S7: from %v to %v, by itself", from, to)
}
