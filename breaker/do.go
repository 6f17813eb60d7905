package breaker

import (
	"context"

	"github.com/switchgear-go/switchgear"
)

// Do runs fn through the breaker and returns what it returns, or a zero value and
// a [*Rejection] if the breaker refuses the call; then fn does not run.
//
// The error is judged by rules C1. A panic in fn counts as a failure and goes
// on; a runtime.Goexit releases the permit (rule P4). fn runs in the calling
// goroutine, outside every lock, and is never abandoned: pass it a context with
// a deadline if it must end.
//
// Do does not allocate, and neither does a closure written in its argument,
// also when it captures variables.
func Do[T any](ctx context.Context, b *Breaker, fn func(context.Context) (T, error)) (v T, err error) {
	p := b.cur.Load()
	if !p.plain.Load() {
		return do(ctx, b, nil, fn)
	}
	// A Permit is not needed here, and to fill one in costs as much as all the
	// rest.
	call := plainCall{p}
	defer call.unwind()
	v, err = fn(ctx)
	if err == nil {
		call.period = nil
		if tag := p.tag.Load(); p.timed.Load() || !b.cells.mine().count(tag) {
			b.settle(p, 0, untimed, switchgear.Success, nil)
		}
		return v, nil
	}
	outcome := b.judge(ctx, false, err)
	call.period = nil
	b.settle(p, 0, untimed, outcome, err)
	return v, err
}

// plainCall is the least that a call must leave behind for the case that it does
// not return: its period, until it is settled.
type plainCall struct{ period *period }

// unwind is [Permit.Unwind] for a plain call.
func (c *plainCall) unwind() {
	if c.period != nil {
		c.period.unwound(recover())
	}
}

func (p *period) unwound(r any) {
	permit := Permit{b: p.breaker, period: p, start: untimed}
	if r != nil {
		permit.settle(switchgear.Failure, panicOf(r))
		panic(r)
	}
	permit.Release()
}

// DoJudged is [Do] with a classifier of its own for this call, which sees the
// result too. It takes the place of the breaker's classifier, in rule C1.5: marks,
// refusals and the caller's context come first where there is an error. It may
// return [switchgear.Undecided].
func DoJudged[T any](ctx context.Context, b *Breaker, judge func(T, error) switchgear.Outcome, fn func(context.Context) (T, error)) (T, error) {
	return do(ctx, b, judge, fn)
}

// do is Do in general.
func do[T any](ctx context.Context, b *Breaker, judge func(T, error) switchgear.Outcome, fn func(context.Context) (T, error)) (v T, err error) {
	var permit Permit
	if err := b.admit(ctx, &permit); err != nil {
		return v, err
	}
	defer permit.Unwind()
	v, err = fn(ctx)
	outcome := switchgear.Success
	switch {
	case judge != nil:
		outcome = judgeResult(ctx, b, permit.hurried, judge, v, err)
	case err != nil || b.classify != nil:
		outcome = b.judge(ctx, permit.hurried, err)
	}
	permit.settle(outcome, err)
	return v, err
}

// Unwind settles a call that did not return (rule P4): a panic is a failure and goes
// on, and runtime.Goexit is a release. It does nothing to a permit that is settled.
// It must be deferred itself,
//
//	defer permit.Unwind()
//
// so that recover works in it.
func (p *Permit) Unwind() {
	if p.b == nil {
		return
	}
	if r := recover(); r != nil {
		p.settle(switchgear.Failure, panicOf(r))
		panic(r)
	}
	p.Release() // runtime.Goexit
}
