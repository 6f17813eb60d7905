package breaker

import (
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/event"
)

// A Move is an operator's order (rule S4).
type Move struct {
	// To is the state to move to; any is allowed, from any.
	To State
	// Author is who gives the order. It may be empty, but should not be.
	Author string
	// Reason is why. It must not be empty.
	Reason string
	// For limits the time in DISABLED, METRICS_ONLY or FORCED_OPEN. When it has
	// passed, a timer moves FORCED_OPEN to OPEN with its interval passed, and
	// the other two to CLOSED. Default 0: until somebody moves it; at most 30
	// days.
	For time.Duration
}

// Move carries out an operator's order. A move to the state already in force
// starts a new period there, and emits [event.Renewed] in place of
// [event.Transition]. If the order is not valid the error is a
// [*switchgear.ConfigError] and nothing has happened.
func (b *Breaker) Move(m Move) error {
	var c checker
	if m.To >= states {
		c.Wrong("To", m.To, "must be one of the six states")
	}
	if m.Reason == "" {
		c.Wrong("Reason", `""`, "must not be empty: the next operator will want to know")
	}
	c.Duration("For", &m.For, 0, 1, maxDuration, false)
	if m.For > 0 && m.To < states && !m.To.operator() {
		c.Wrong("For", m.For, "must be 0 for %v: only DISABLED, METRICS_ONLY and FORCED_OPEN expire", m.To)
	}
	if len(c.Problems) > 0 {
		return &switchgear.ConfigError{Policy: "breaker move", Name: b.name, Problems: c.Problems}
	}

	now := b.clk.Mono()
	b.mu.Lock()
	defer b.unlock()
	b.move(m, now)
	return nil
}

// Reset is a move to CLOSED that also forgets the growth of the open interval
// and ends the grace. Counters go on (rule N1). It starts a new period from any
// state.
func (b *Breaker) Reset(author, reason string) error {
	if reason == "" {
		return b.Move(Move{To: Closed, Author: author})
	}
	now := b.clk.Mono()
	b.mu.Lock()
	defer b.unlock()
	b.stop(b.cur.Load())
	b.endGrace(now)
	b.retrips, b.grace = 0, 0
	b.move(Move{To: Closed, Author: author, Reason: reason}, now)
	return nil
}

func (b *Breaker) move(m Move, now time.Duration) {
	s := step{to: m.To, at: now, kind: event.Transition, author: m.Author, reason: m.Reason}
	p := b.cur.Load()
	b.stop(p)
	b.endGrace(now)
	b.easeGrowth(p, now)
	if p.state == m.To {
		s.kind = event.Renewed
	}
	if m.For > 0 {
		s.expires = after(now, m.For)
	}
	if m.To == Open || m.To == ForcedOpen {
		t := &Trip{
			Rule: RuleOperator, Time: b.clk.Now(), Numbers: p.numbers(now),
			Author: m.Author, Reason: m.Reason, Retrips: b.retrips,
		}
		s.until = forever
		if m.To == Open {
			s.draw, s.retrips = b.draw(), b.retrips
			t.Wait = b.rules.Load().interval(s.retrips, 0, s.draw)
			s.until = after(now, t.Wait)
		} else if m.For > 0 {
			t.Wait = m.For
			s.until = s.expires
		}
		s.trip = t
	}
	b.enter(s)
}
