package breaker

import (
	"context"
	"time"

	"github.com/switchgear-go/switchgear/event"
)

// admit fills in the permit of one call, or returns the refusal.
func (b *Breaker) admit(ctx context.Context, permit *Permit) error {
	p := b.cur.Load()
	if !p.state.admits() {
		// The common refusal: nobody may pass before an instant that is known.
		if until := p.until.Load(); until == int64(forever) || int64(b.clk.Mono()) < until {
			b.cells.mine().rejected.Add(1)
			return p.rejection
		}
		var refusal error
		if p, refusal = b.admitLocked(&permit.probe); refusal != nil {
			return refusal
		}
	}
	permit.b, permit.period, permit.ctx, permit.start = b, p, ctx, untimed
	r := b.rules.Load()
	if r.slow > 0 {
		permit.start = b.clk.Mono()
	}
	if enough := r.cfg.EnoughTime; enough > 0 && ctx != nil {
		deadline, ok := ctx.Deadline()
		permit.hurried = ok && deadline.Sub(b.clk.Now()) < enough
	}
	return nil
}

// admitLocked decides what could not be decided without the lock: whether an
// interval has passed, and who gets a slot in HALF_OPEN.
func (b *Breaker) admitLocked(probe *uint64) (*period, error) {
	now := b.clk.Mono()
	b.mu.Lock()
	defer b.unlock()
	for {
		p := b.cur.Load()
		passed := int64(now) >= p.until.Load()
		switch {
		case p.state.admits():
			return p, nil
		case p.state == ForcedOpen && passed: // its timer is about to fire, or was closed
			b.expire(p, time.Duration(p.until.Load()))
			continue
		case p.state == Open && passed: // O4
			b.enter(step{to: HalfOpen, at: now, kind: event.Transition})
			continue
		case p.state == HalfOpen:
			if *probe = b.issueProbe(p, now); *probe != 0 {
				return p, nil
			}
			if b.reclaimProbes(p, now) { // H8
				continue
			}
		}
		b.total.Rejected++
		return nil, p.rejection
	}
}
