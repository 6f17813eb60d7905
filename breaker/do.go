package breaker

import (
	"context"
	"time"

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
func Do[T any](ctx context.Context, b *Breaker, fn func(context.Context) (T, error)) (T, error) {
	return do(ctx, b, nil, fn)
}

// DoJudged is [Do] with a classifier of its own for this call, which sees the
// result too. It takes the place of the breaker's classifier, in rule C1.5: marks,
// refusals and the caller's context come first where there is an error. It may
// return [switchgear.Undecided].
func DoJudged[T any](ctx context.Context, b *Breaker, judge func(T, error) switchgear.Outcome, fn func(context.Context) (T, error)) (T, error) {
	return do(ctx, b, judge, fn)
}

// do works with single variables where a Permit would be natural. Copying the
// struct costs more than everything else here.
func do[T any](ctx context.Context, b *Breaker, judge func(T, error) switchgear.Outcome, fn func(context.Context) (T, error)) (v T, err error) {
	var (
		start   time.Duration
		probe   uint64
		hurried bool
	)
	p := b.cur.Load()
	if !p.state.admits() || b.rules.slow > 0 || b.rules.cfg.EnoughTime > 0 {
		var permit Permit
		if err := b.admit(ctx, &permit); err != nil {
			return v, err
		}
		p, start, probe, hurried = permit.period, permit.start, permit.probe, permit.hurried
	}
	returned := false
	defer func() {
		if !returned {
			b.unwound(p, probe, start, recover())
		}
	}()
	v, err = fn(ctx)
	outcome := switchgear.Success
	switch {
	case judge != nil:
		outcome = judgeResult(ctx, b, hurried, judge, v, err)
	case err != nil || b.classify != nil:
		outcome = b.judge(ctx, hurried, err)
	}
	returned = true
	b.settle(p, probe, start, outcome, err)
	return v, err
}

// unwound settles a call whose function, or whose classifier, did not return:
// r is what it panicked with, or nil after runtime.Goexit.
func (b *Breaker) unwound(p *period, probe uint64, start time.Duration, r any) {
	if r == nil {
		b.settle(p, probe, start, switchgear.Undecided, nil)
		return
	}
	b.settle(p, probe, start, switchgear.Failure, panicked{r})
	panic(r)
}
