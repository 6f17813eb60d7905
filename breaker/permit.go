package breaker

import (
	"context"
	"time"

	"github.com/switchgear-go/switchgear"
)

// A Permit is the right to make one call, and the duty to say how it ended.
// [Breaker.Acquire] issues it. Settle it once, with Done, Success, Failure,
// Ignore or Release; what comes after the first does nothing, so that
//
//	defer permit.Release()
//
// is the safe habit (rule P2). A Permit is a small value and may be moved, into
// the wrapper of a response body for instance. It must not be settled twice
// through two copies: of a probe's copies only the first counts, but two copies
// of a permit from a CLOSED breaker count twice. A Permit itself is not safe for
// concurrent use.
//
// The zero Permit is settled.
type Permit struct {
	b       *Breaker
	period  *period
	ctx     context.Context
	start   time.Duration // or untimed
	probe   uint64        // number of the probe, 0 if it is none
	hurried bool          // admitted with less than EnoughTime left (C1.4)
}

// untimed is the start of a call that was not timed, since no rule wanted it when
// the call was admitted. Such a call is never slow.
const untimed time.Duration = -1

// Acquire asks for permission to make one call. It returns a permit or a
// [*Rejection], at once: a breaker never waits. ctx is the caller's context; the
// breaker uses it only to judge errors, by rules C1.3 and C1.4, and so needs it
// to be the one given to the call or a parent of that.
func (b *Breaker) Acquire(ctx context.Context) (Permit, error) {
	var permit Permit
	if err := b.admit(ctx, &permit); err != nil {
		return Permit{}, err
	}
	return permit, nil
}

// AcquireInto is [Breaker.Acquire] for a permit that lies where it is needed, such as in
// what the caller keeps about a call anyway: it spares a copy. A refused call leaves
// the zero Permit there.
func (b *Breaker) AcquireInto(ctx context.Context, permit *Permit) error {
	*permit = Permit{}
	return b.admit(ctx, permit)
}

// Start says that the call begins now, after local waits (a queue of our own)
// that came after Acquire. The slow-call duration runs from here (rule C3).
func (p *Permit) Start() {
	if p.b != nil && p.b.rules.Load().slow > 0 {
		p.start = p.b.clk.Mono()
	}
}

// Probe reports whether the call is a probe: one that decides whether the
// breaker closes again. It is false once the permit is settled.
func (p *Permit) Probe() bool { return p.b != nil && p.probe != 0 }

// Current reports whether the period that issued the permit is still in force. Once
// it is not, the outcome will change nothing but a counter (rule S5), and a loop of
// attempts under one permit has lost its reason to go on. It is false once the permit
// is settled.
func (p *Permit) Current() bool { return p.b != nil && p.b.cur.Load() == p.period }

// Hurried reports whether the call was admitted with less than Config.EnoughTime left
// of its caller's deadline, so that missing the deadline is not held against the
// dependency (rule C1.4).
func (p *Permit) Hurried() bool { return p.hurried }

// Slow reports whether the call would count as slow if it ended now (rule C3).
func (p *Permit) Slow() bool {
	return p.b != nil && p.start != untimed && p.b.rules.Load().tooSlow(p.start, p.b.clk.Mono())
}

// Done settles the permit with the outcome that rules C1 give err; nil is a
// success. If the classifier panics, the permit is settled as a failure and the
// panic goes on.
func (p *Permit) Done(err error) {
	b := p.b
	if b == nil {
		return
	}
	if err == nil && b.classify == nil {
		p.settle(switchgear.Success, nil)
		return
	}
	defer p.Unwind()
	p.settle(b.judge(p.ctx, p.hurried, err), err)
}

// Settle settles the permit with an outcome that was found elsewhere, for all policies
// that the call passed; err is what Failure takes. Undecided is a release.
func (p *Permit) Settle(o switchgear.Outcome, err error) { p.settle(min(o, switchgear.Ignored), err) }

// Success settles the permit as a success.
func (p *Permit) Success() { p.settle(switchgear.Success, nil) }

// Failure settles the permit as a failure, whatever err is. The breaker may keep
// err for its trip record, and takes a hint in it into account (rule O3); nil is
// allowed.
func (p *Permit) Failure(err error) { p.settle(switchgear.Failure, err) }

// Ignore settles the permit without saying anything about the dependency.
func (p *Permit) Ignore() { p.settle(switchgear.Ignored, nil) }

// Release gives the permit up: there was no call, or no outcome. It differs from
// Ignore only in the counter.
func (p *Permit) Release() { p.settle(switchgear.Undecided, nil) }

// settle reports the outcome, once. Undecided stands for a release.
func (p *Permit) settle(o switchgear.Outcome, err error) {
	b := p.b
	if b == nil {
		return
	}
	p.b = nil
	b.settle(p.period, p.probe, p.start, o, err)
}
