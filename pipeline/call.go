package pipeline

import (
	"context"
	"errors"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
)

// A Call is one logical call: what is to be done, and what the policies cannot know
// about its result.
type Call[T any] struct {
	// Func makes one attempt. It may run several times, and with hedging several times
	// at once; its context tells which attempt it is ([switchgear.AttemptOf]).
	Func func(context.Context) (T, error)

	// Check looks at an answer that came without an error, and returns an error if it
	// is a bad one, like the answer 503 of an HTTP server. The policies treat that
	// error like one of Func, but the caller gets the answer itself and no error. It
	// may be nil.
	Check func(T) error

	// Discard disposes of an answer that nobody will get: one that another attempt
	// follows, or that has lost a race. It may be nil.
	Discard func(T)
}

// Do runs fn through the policies of p and returns what it returns, or the error of
// the policy that refused or ended the call. It allocates nothing besides what the
// policies need.
func Do[T any](ctx context.Context, p *Pipeline, fn func(context.Context) (T, error)) (T, error) {
	return Run(ctx, p, Call[T]{Func: fn})
}

// Do is the function [Do] for calls without a result.
func (p *Pipeline) Do(ctx context.Context, fn func(context.Context) error) error {
	_, err := Do(ctx, p, func(ctx context.Context) (struct{}, error) { return struct{}{}, fn(ctx) })
	return err
}

// Run is [Do] for a call about which there is more to say.
func Run[T any](ctx context.Context, p *Pipeline, call Call[T]) (T, error) {
	t, ok := p.flights.Get().(*typed[T])
	if !ok {
		// The first one, or the last call had a result of another type.
		t = newTyped[T](p)
	}
	t.call = call
	returned := false
	defer t.unwind(&returned)
	v, err := t.finish(ctx, t.next(ctx, 0))
	returned = true
	t.reset() // nobody else holds on to it: attempts that may outlive the call are forks
	p.flights.Put(t)
	return v, err
}

// Open is [Run] for an answer that goes on after Func has returned, like the body of
// an HTTP response. The limits on time end when Func returns, but the context that the
// winning attempt was given lives on until end is called; with keepLimits the limits
// go on as well. end must be called exactly once if err is nil, and may be called from
// any goroutine; otherwise it is nil.
//
// Limits that abandon ([timeout.Config].Abandon) end the context with the attempt,
// whatever it returned, and so do not go with Open.
func Open[T any](ctx context.Context, p *Pipeline, call Call[T], keepLimits bool) (v T, end func(), err error) {
	t := newTyped[T](p)
	t.call, t.open, t.keepLimits = call, true, keepLimits
	returned := false
	defer t.unwind(&returned)
	v, err = t.finish(ctx, t.next(ctx, 0))
	returned = true
	if err != nil {
		t.end()
		return v, nil, err
	}
	return v, t.end, nil
}

// A flight is one call on its way through the policies: what they share about it.
type flight struct {
	p      *Pipeline
	layers []layer // of p, and the attempt
	job    job

	// judgement is the one classification of the last error, if judged.
	judgement switchgear.Judgement
	judged    bool

	made   int  // attempts of the call that have begun, where they are numbered
	hedged bool // it makes its attempts beside an earlier one

	permit breaker.Permit
	around bool // the permit is for all attempts

	open, keepLimits bool
	kept             []func() // what to end when the answer ends
}

// job is the part of a call that knows the type of its result.
type job interface {
	// invoke makes an attempt and keeps its answer.
	invoke(context.Context) error
	// fork returns a job for another attempt at the same time.
	fork() *flight
	// adopt takes over the answer of a fork that has won.
	adopt(*flight)
	// answered reports whether there is an answer, good or bad.
	answered() bool
	// discard disposes of the answer, if there is one.
	discard()
}

type typed[T any] struct {
	flight
	call Call[T]
	v    T
	have bool // v is an answer that came without an error
}

func newTyped[T any](p *Pipeline) *typed[T] {
	t := new(typed[T])
	t.p, t.layers, t.job = p, p.layers, t
	return t
}

// reset makes t ready for another call, and forgets what the last one was about.
func (t *typed[T]) reset() {
	var none T
	t.call, t.v, t.have = Call[T]{}, none, false
	t.permit, t.judged, t.kept, t.made = breaker.Permit{}, false, nil, 0
}

func (t *typed[T]) invoke(ctx context.Context) error {
	t.judged = false
	v, err := t.call.Func(ctx)
	t.v = v
	if err != nil {
		return err
	}
	t.have = true
	if t.call.Check != nil {
		return t.call.Check(v)
	}
	return nil
}

func (t *typed[T]) fork() *flight {
	f := &typed[T]{call: t.call}
	f.flight = t.flight
	f.job, f.kept, f.judged = f, nil, false
	return &f.flight
}

func (t *typed[T]) adopt(f *flight) {
	won := f.job.(*typed[T])
	t.v, t.have = won.v, won.have
	t.kept = append(t.kept, won.kept...)
	t.judgement, t.judged = won.judgement, won.judged
}

func (t *typed[T]) answered() bool { return t.have }

func (t *typed[T]) discard() {
	v, have := t.v, t.have
	t.v, t.have = *new(T), false
	if have && t.call.Discard != nil {
		t.call.Discard(v)
	}
}

// finish returns what the caller gets. An answer that is still there is a bad one, and
// err says why; it is the caller's to read, unless the caller has given up.
func (t *typed[T]) finish(ctx context.Context, err error) (T, error) {
	switch {
	case err == nil:
		return t.v, nil
	case !t.have:
		return t.v, err // what Func returned beside its error
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		t.discard()
		return t.v, err
	}
	return t.v, nil
}

// next goes on to layer i, of which the last makes the attempt. It is small enough to be
// inlined where it is called: it is called once for each policy.
func (f *flight) next(ctx context.Context, i int) error { return f.layers[i].run(ctx, f, i+1) }

// The attempt stands behind all policies.
type attempt struct{}

func (attempt) run(ctx context.Context, f *flight, _ int) error { return f.job.invoke(ctx) }

// refused returns the error of a policy that refused the call. It is judged anew by
// whoever asks.
func (f *flight) refused(err error) error {
	f.judged = false
	return err
}

// judge gives the error of the last attempt both answers. All policies of the
// pipeline get the same ones: the innermost that asks has them made, by its context.
func (f *flight) judge(ctx context.Context, err error) switchgear.Judgement {
	if !f.judged {
		f.judgement = switchgear.Judge(ctx, err, f.p.clk.Now, f.p.classify)
		f.judged = true
	}
	return f.judgement
}

// unwind is deferred where an answer could be lost: Check or the classifier may panic, or
// leave by runtime.Goexit, when there is one already.
func (f *flight) unwind(returned *bool) {
	if !*returned {
		drop(f)
	}
}

// end ends what was kept alive for the answer.
func (f *flight) end() {
	for _, end := range f.kept {
		end()
	}
	f.kept = nil
}
