package sghttp

import (
	"context"
	"net/http"
	"time"

	"github.com/switchgear-go/switchgear/adaptive"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/clock"
)

// A visit is what an admitted request has: its permits, and its context. It is a value,
// so that a request whose response needs no wrapper allocates nothing; there must be
// one copy only that settles it.
type visit struct {
	server   *Server
	adaptive adaptive.Permit
	bulkhead bulkhead.Permit
	ctx      context.Context
	cancel   context.CancelFunc // nil without a deadline
}

// admit takes a request through the policies. If it is not admitted it holds nothing,
// and the rejection says why. No user code runs while something is held.
func (s *Server) admit(r *http.Request) (v visit, by RefusedBy, err error) {
	v = visit{server: s, ctx: r.Context()}
	left := s.cfg.Deadline.begin(s.clk, r)
	if s.keyed != nil {
		if key, ok := s.key(r); ok {
			if err := s.keyed.Wait(v.ctx, key); err != nil {
				return v, RefusedByKey, err
			}
		}
	}
	if s.rate != nil {
		if err := s.rate.Wait(v.ctx); err != nil {
			return v, RefusedByRate, err
		}
	}
	if s.adaptive != nil {
		v.adaptive, err = s.adaptive.TryAcquire(s.priority(r))
		if err != nil {
			return v, RefusedByAdaptive, err
		}
	}
	if by, err = v.enter(left); err != nil {
		v.release()
		return v, by, err
	}
	return v, 0, nil
}

// enter begins the deadline and takes a place in the bulkhead.
func (v *visit) enter(left countdown) (by RefusedBy, err error) {
	s := v.server
	if left.on {
		rest := left.rest()
		if !s.cfg.Deadline.enough(rest) {
			return RefusedByDeadline, errNoTime
		}
		v.ctx, v.cancel = context.WithTimeout(v.ctx, rest)
	}
	if s.bulkhead == nil {
		return 0, nil
	}
	if v.bulkhead, err = s.bulkhead.Acquire(v.ctx); err != nil {
		return RefusedByBulkhead, err
	}
	if left.on && !s.cfg.Deadline.enough(left.rest()) {
		return RefusedByDeadline, errNoTime
	}
	return 0, nil
}

// release gives back what is held without a word about how the request ended. What has
// been settled before stays so.
func (v *visit) release() {
	v.adaptive.Release()
	v.bulkhead.Release()
	if v.cancel != nil {
		v.cancel()
	}
}

// countdown is the time that a request has, from its arrival.
type countdown struct {
	on    bool
	end   time.Duration
	clock clock.Clock
}

func (c *countdown) rest() time.Duration { return c.end - c.clock.Mono() }
