package registry

import (
	"reflect"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/pipeline"
	"github.com/switchgear-go/switchgear/throttle"
)

// makeRoom takes out all entries that may go, as the package comment has it. It is
// called only when room is wanted.
//
// Callers that want room at the same time share the work, and none of them waits: an
// entry that one of them looks at is not due for the others.
func (r *Registry) makeRoom() {
	now := r.clk.Mono()
	for {
		r.mu.Lock()
		e := r.queue.first(now)
		if e == nil {
			r.mu.Unlock()
			return
		}
		r.queue.move(e, r.soon(now))
		r.mu.Unlock()
		r.look(e, now)
	}
}

// soon is when to look again at an entry that is idle and must stay: a call may end, or
// an operator change his mind, at any time.
func (r *Registry) soon(now time.Duration) time.Duration { return now + max(r.cfg.IdleAfter/64, 1) }

// look takes e out if it may go, and otherwise puts it off.
func (r *Registry) look(e *entry, now time.Duration) {
	var seen uint64
	var stay bool
	if time.Duration(e.used.Load())+r.cfg.IdleAfter <= now {
		// This can deliver events, and so run listeners: not under the lock.
		seen, stay = used(e.Entry), stays(e)
	}

	r.mu.Lock()
	lookedUp := e.used.Load()
	if lookedUp == gone { // another one was faster
		r.mu.Unlock()
		return
	}
	due := time.Duration(lookedUp) + r.cfg.IdleAfter
	switch {
	case due > now: // it was looked up
	case seen != e.seen: // it was used, some time since the last look
		e.seen, due = seen, now+r.cfg.IdleAfter
	case stay:
		due = r.soon(now)
	case e.used.CompareAndSwap(lookedUp, gone):
		r.counters.Expired++
		observers := r.takeOut(e)
		r.mu.Unlock()
		r.letGo(observers, e)
		return
	default: // it has been looked up this instant
		due = now + r.cfg.IdleAfter
	}
	r.queue.move(e, due)
	r.mu.Unlock()
}

// stays reports whether something would be lost with an idle entry: a limit on what runs
// in it, a refusal, or what an operator has done.
func stays(e *entry) bool {
	if b := e.Breaker; b != nil {
		// One that is OPEN past its interval admits a few probes, a new one everything.
		// HALF_OPEN has its probes out, and the other states are an operator's.
		if b.State() != breaker.Closed {
			return true
		}
	}
	if !reflect.DeepEqual(settingsOf(e.Entry), e.settings) {
		return true
	}
	return e.Pipeline != nil && (busy(e.Pipeline) || !atRest(e.Pipeline))
}

// busy reports whether a call is in the pipeline, as far as its policies know.
func busy(p *pipeline.Pipeline) bool {
	if l := p.Total(); l != nil && l.Snapshot().Running > 0 {
		return true
	}
	if l := p.Adaptive(); l != nil && l.Snapshot().Running > 0 {
		return true
	}
	if r := p.Retry(); r != nil && r.Snapshot().Waiting > 0 {
		return true
	}
	if h := p.Hedge(); h != nil && h.Snapshot().Running > 0 {
		return true
	}
	// Callers wait for a bulkhead only while as many run in it as may.
	if b := p.Bulkhead(); b != nil && b.Snapshot().Running > 0 {
		return true
	}
	if l := p.Attempt(); l != nil && l.Snapshot().Running > 0 {
		return true
	}
	b := p.Budget()
	return b != nil && b.Snapshot().InUse > 0
}

// atRest reports whether the policies of a pipeline that admit by what has been are as
// new ones are.
func atRest(p *pipeline.Pipeline) bool {
	if l := p.RateLimit(); l != nil {
		if s := l.Snapshot(); s.Available < float64(s.Burst) {
			return false
		}
	}
	if b := p.Budget(); b != nil {
		if s := b.Snapshot(); s.Available < s.Capacity {
			return false
		}
	}
	if t := p.Throttle(); t != nil && t.Snapshot().Requests > 0 {
		return false
	}
	i := p.Injector()
	return i == nil || !i.Snapshot().On
}

// settings are the configurations in effect of the policies that can be reconfigured.
type settings struct {
	breaker  breaker.Config
	bulkhead bulkhead.Config
	throttle throttle.Config
}

func settingsOf(e Entry) (s settings) {
	if e.Breaker != nil {
		s.breaker = e.Breaker.Config()
	}
	if e.Pipeline == nil {
		return s
	}
	if b := e.Pipeline.Bulkhead(); b != nil {
		s.bulkhead = b.Config()
	}
	if t := e.Pipeline.Throttle(); t != nil {
		s.throttle = t.Config()
	}
	return s
}

// used returns what the counters of the entry's policies add up to. It changes with use.
func used(e Entry) (sum uint64) {
	add := func(counts ...uint64) {
		for _, n := range counts {
			sum += n
		}
	}
	if e.Breaker != nil {
		c := e.Breaker.Counters()
		add(c.Successful, c.Failed, c.Ignored, c.Released, c.Rejected, c.Late, c.Probes)
	}
	p := e.Pipeline
	if p == nil {
		return sum
	}
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
	return sum
}
