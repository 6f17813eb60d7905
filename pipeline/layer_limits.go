package pipeline

import (
	"context"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/adaptive"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/inject"
	"github.com/switchgear-go/switchgear/ratelimit"
	"github.com/switchgear-go/switchgear/throttle"
)

type rateLayer struct{ l *ratelimit.Limiter }

func (l rateLayer) run(ctx context.Context, f *flight, i int) error {
	if err := l.l.Wait(ctx); err != nil {
		return f.refused(err)
	}
	f.begin()
	return f.next(ctx, i)
}

type adaptiveLayer struct{ l *adaptive.Limiter }

func (l adaptiveLayer) run(ctx context.Context, f *flight, i int) error {
	permit, err := l.l.Acquire(ctx)
	if err != nil {
		return f.refused(err)
	}
	defer permit.Release()
	err = f.next(ctx, i)
	permit.Done(f.outcome(ctx, err))
	return err
}

type throttleLayer struct{ t *throttle.Throttle }

func (l throttleLayer) run(ctx context.Context, f *flight, i int) error {
	permit, err := l.t.Acquire(ctx)
	if err != nil {
		return f.refused(err)
	}
	returned := false
	defer func() {
		if !returned {
			unwound(recover(), permit.Done)
		}
	}()
	err = f.next(ctx, i)
	ended := f.outcome(ctx, err)
	returned = true
	permit.Done(ended)
	return err
}

type bulkheadLayer struct{ b *bulkhead.Bulkhead }

func (l bulkheadLayer) run(ctx context.Context, f *flight, i int) error {
	permit, err := l.b.Acquire(ctx)
	if err != nil {
		return f.refused(err)
	}
	defer permit.Release()
	f.begin()
	return f.next(ctx, i)
}

// begin says that the call begins now: the time spent in a queue of our own is not the
// dependency's (rule C3).
func (f *flight) begin() {
	if !f.around {
		f.permit.Start()
	}
}

type injectLayer struct{ i *inject.Injector }

func (l injectLayer) run(ctx context.Context, f *flight, i int) error {
	f.judged = false
	if err := l.i.Disturb(ctx); err != nil {
		return err
	}
	return f.next(ctx, i)
}

// outcome is what the end of a call says about the health of the dependency.
func (f *flight) outcome(ctx context.Context, err error) switchgear.Outcome {
	if err == nil {
		return switchgear.Success
	}
	return f.judge(ctx, err).Health
}

// unwound settles a call that did not return: a panic, which goes on, is a failure of the
// dependency for all policies alike (rule P4), and runtime.Goexit says nothing. It gets
// what recover returned.
func unwound(thrown any, done func(switchgear.Outcome)) {
	if thrown == nil {
		done(switchgear.Undecided)
		return
	}
	done(switchgear.Failure)
	panic(thrown)
}
