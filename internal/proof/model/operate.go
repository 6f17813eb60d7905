package model

import "time"

// expired is the reason that the breaker itself gives when an expiry has passed.
const expired = "the operator's move has expired"

// A Move is an operator's order (S4). For is 0 where the state is to last.
type Move struct {
	To             State
	For            time.Duration
	Author, Reason string
}

// Move carries out an order. The reason must not be empty.
func (b *Breaker) Move(now time.Duration, m Move) {
	b.passTime(now)
	b.ease(now)
	e := Event{Author: m.Author, Reason: m.Reason, Expires: Never}
	if m.For > 0 {
		e.Expires = now + m.For
	}
	if m.To == Open || m.To == ForcedOpen {
		t := &Trip{
			Rule: "operator", At: now, Numbers: b.Numbers(now), Retrips: b.Retrips,
			Author: m.Author, Reason: m.Reason, Wait: m.For,
		}
		b.Until = e.Expires
		if m.To == Open { // not a trip of the period, so its hints do not count (O3)
			t.Wait = b.cfg.interval(b.Retrips, 0, b.draw())
			b.Until = now + t.Wait
		}
		e.Trip = t
	}
	b.enter(m.To, now, e)
}

// Reset is a move to CLOSED that also forgets the growth and ends the grace.
func (b *Breaker) Reset(now time.Duration, author, reason string) {
	b.passTime(now)
	b.graceEnd = 0
	b.Retrips = 0
	b.Move(now, Move{To: Closed, Author: author, Reason: reason})
}

// Reconfigure puts other trip conditions T1 to T4 into effect (R5), and another slow-call
// duration where there is one before and after (R2). The model knows no other
// reconfiguration.
func (b *Breaker) Reconfigure(now time.Duration, to Config) {
	b.passTime(now)
	c := &b.cfg
	c.FailureRate, c.SlowRate = to.FailureRate, to.SlowRate
	c.Consecutive, c.FailureCount = to.Consecutive, to.FailureCount
	if c.Slow > 0 && to.Slow > 0 {
		c.Slow = to.Slow
	}
}

// Close lets no timer run from now on.
func (b *Breaker) Close() { b.ended = true }

// Timer returns the instant at which the breaker moves by itself, if it does.
func (b *Breaker) Timer() (at time.Duration, ok bool) {
	switch {
	case b.ended:
	case b.Expires != Never: // S4
		return b.Expires, true
	case b.State == Open && b.cfg.Automatic: // O5
		return b.Until, true
	case b.State == HalfOpen && b.cfg.MaxStay > 0: // H6
		return b.Start + b.cfg.MaxStay, true
	}
	return 0, false
}

// Fire does what the timer does, at its instant.
func (b *Breaker) Fire() {
	at, _ := b.Timer()
	b.FireAt(at)
}

// FireAt is Fire for a timer whose instant had passed when it was set: it was then set
// for a later one.
func (b *Breaker) FireAt(at time.Duration) {
	b.passTime(at)
	switch b.State {
	case Open:
		b.enter(HalfOpen, at, Event{})
	case HalfOpen:
		b.trip(at, Trip{Rule: "probes_late"})
	default:
		b.expire(at)
	}
}

// expire ends an operator state (S4).
func (b *Breaker) expire(at time.Duration) {
	to := Closed
	if b.State == ForcedOpen {
		to = Open
		b.Until = at // its interval has passed
	}
	b.enter(to, at, Event{Reason: expired, Expired: true})
}
