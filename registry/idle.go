package registry

import (
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/pipeline"
)

// expire takes out all entries that may go. It is done only when room is wanted.
func (r *Registry) expire() {
	idleAfter := r.cfg.IdleAfter
	if idleAfter < 0 {
		r.mu.Lock()
		r.look = forever
		r.mu.Unlock()
		return
	}
	now := r.clk.Mono()

	// Reading counters can deliver events, and so run listeners: not under the lock.
	type candidate struct {
		*entry
		seen uint64
		kept bool
	}
	var candidates []candidate
	for e := range r.entries.all() {
		if e.made {
			seen, kept := use(e.Entry)
			candidates = append(candidates, candidate{e, seen, kept})
		}
	}

	r.mu.Lock()
	var dropped []*entry
	look := now + idleAfter
	for _, c := range candidates {
		ok, again := c.drop(now, idleAfter, c.seen, c.kept)
		if ok {
			dropped = append(dropped, c.entry)
		} else {
			look = min(look, again)
		}
	}
	if len(dropped) > 0 {
		look = now
	}
	r.look = look
	r.counters.Expired += uint64(len(dropped))
	observers := r.takeOut(dropped...)
	r.mu.Unlock()
	r.letGo(observers, dropped...)
}

// drop takes the entry out of service, if it is idle and nothing is lost with it.
// Otherwise it returns the earliest instant at which asking again makes sense. Called
// under Registry.mu.
func (e *entry) drop(now, idleAfter time.Duration, seen uint64, kept bool) (ok bool, again time.Duration) {
	used := e.used.Load()
	if used == gone { // another one was faster
		return false, now + idleAfter
	}
	if seen != e.seen {
		e.seen, e.since = seen, now
	}
	if due := max(time.Duration(used), e.since) + idleAfter; due > now {
		return false, due
	}
	if kept || e.Breaker != nil && !expendable(e.Breaker) {
		// Its interval may end, or an operator move it, at any time.
		return false, now + idleAfter/64
	}
	return e.used.CompareAndSwap(used, gone), now + idleAfter
}

// expendable reports whether a new breaker in the place of b would admit no more calls
// than b does now, and overrule no operator.
func expendable(b *breaker.Breaker) bool {
	switch b.State() {
	case breaker.Closed:
		return true
	case breaker.Open, breaker.HalfOpen:
		return b.Ready()
	}
	return false
}

// use returns what the counters of the entry's policies add up to, which changes with
// use, and whether an operator has changed something that would be lost with it.
func use(e Entry) (seen uint64, kept bool) {
	add := func(counts ...uint64) {
		for _, n := range counts {
			seen += n
		}
	}
	if e.Breaker != nil {
		s := e.Breaker.Snapshot()
		c := s.Counters
		add(c.Successful, c.Failed, c.Ignored, c.Released, c.Rejected, c.Late, c.Probes)
		kept = s.ConfigVersion > 1
	}
	p := e.Pipeline
	if p == nil {
		return seen, kept
	}
	addPolicies(p, add)
	return seen, kept || p.Injector() != nil && p.Injector().Snapshot().On
}

func addPolicies(p *pipeline.Pipeline, add func(...uint64)) {
	if l := p.Total(); l != nil {
		c := l.Counters()
		add(c.TimedOut, c.Rejected)
	}
	if l := p.RateLimit(); l != nil {
		c := l.Counters()
		add(c.Admitted, c.Cancelled, c.Refused)
	}
	if l := p.Adaptive(); l != nil {
		c := l.Counters()
		add(c.Admitted, c.Rejected)
	}
	if t := p.Throttle(); t != nil {
		c := t.Counters()
		add(c.Accepted, c.Failed, c.Ignored, c.Released, c.Refused)
	}
	if r := p.Retry(); r != nil {
		add(r.Counters().Attempts)
	}
	if h := p.Hedge(); h != nil {
		add(h.Counters().Calls)
	}
	if b := p.Bulkhead(); b != nil {
		c := b.Counters()
		add(c.Admitted, c.Refused, c.TimedOut, c.GaveUp)
	}
	if l := p.Attempt(); l != nil {
		c := l.Counters()
		add(c.TimedOut, c.Rejected)
	}
	if i := p.Injector(); i != nil {
		add(i.Counters().Calls)
	}
}
