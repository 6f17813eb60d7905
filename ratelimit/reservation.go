package ratelimit

import "time"

// A Reservation is the right to begin calls when its wait is over. [Limiter.Reserve]
// issues it. It needs no settlement: it may be forgotten once its time has come, and
// cancelled before. A Reservation is a small value and may be moved. It is not itself
// safe for concurrent use. The zero Reservation has no wait and nothing to cancel.
type Reservation struct {
	l     *Limiter
	n     int
	grant grant
}

// Wait returns how long it is, from now, until the calls may begin. It is never
// negative.
func (r *Reservation) Wait() time.Duration {
	if r.l == nil {
		return 0
	}
	return max(r.grant.due-r.l.now(), 0)
}

// Cancel says that the calls will not begin. If their time has not passed, their tokens
// are given back, as far as that leaves every other reservation its time and lets no
// more calls begin together than the limit allows: all of them, if nobody has reserved
// any since; otherwise those of a [TokenBucket] are lost, and those of a
// [SlidingWindow] are free for whoever comes next, if there is a place. A second Cancel
// does nothing.
func (r *Reservation) Cancel() {
	l := r.l
	if l == nil {
		return
	}
	r.l = nil
	l.tally.cancelled.Add(1)
	if l.store != nil && r.n > 0 && l.now() <= r.grant.due {
		l.store.cancel(r.grant, r.n)
	}
}
