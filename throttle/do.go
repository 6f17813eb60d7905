package throttle

import (
	"context"

	"github.com/switchgear-go/switchgear"
)

// Do runs fn, unless the throttle refuses the call, and returns what it returns. A
// refused call returns a zero value and a [*Rejection], and fn does not run.
//
// The error is judged by [switchgear.Judge], with the classifier given to
// [WithClassifier]; its health settles the permit. A panic in fn, or in the classifier,
// counts as a failure and goes on; a runtime.Goexit releases the permit. fn runs in the
// calling goroutine, outside every lock, and is never abandoned. Do does not allocate
// where the call is admitted.
func Do[T any](ctx context.Context, t *Throttle, fn func(context.Context) (T, error)) (v T, err error) {
	permit, err := t.Acquire(ctx)
	if err != nil {
		return v, err
	}
	defer permit.unwind()
	v, err = fn(ctx)
	permit.Done(t.judge(ctx, err))
	return v, err
}

// Do runs fn, unless the throttle refuses the call, for calls without a result. See the
// function [Do].
func (t *Throttle) Do(ctx context.Context, fn func(context.Context) error) error {
	permit, err := t.Acquire(ctx)
	if err != nil {
		return err
	}
	defer permit.unwind()
	err = fn(ctx)
	permit.Done(t.judge(ctx, err))
	return err
}

func (t *Throttle) judge(ctx context.Context, err error) switchgear.Outcome {
	if err == nil {
		return switchgear.Success
	}
	return switchgear.Judge(ctx, err, t.clk.Now, t.classify).Health
}

// unwind settles a call that did not return. It must be deferred itself, so that recover
// works in it.
func (p *Permit) unwind() {
	if p.t == nil {
		return
	}
	if r := recover(); r != nil {
		p.Done(switchgear.Failure)
		panic(r)
	}
	p.Release() // runtime.Goexit
}
