package fallback

import (
	"context"
	"errors"
)

// A Trial decides, for one call, what is tried next. It runs nothing itself and
// never blocks, so it also serves code that does not wait in place, such as a
// simulator:
//
//	t := f.Begin()
//	v, err := call(ctx)
//	for err != nil {
//		step, ok := t.Next(ctx, err)
//		if !ok {
//			return zero, t.Err()
//		}
//		v, err = step.Run(ctx, err)
//	}
//	t.Done()
//	return v, nil
//
// [Fallback.Begin] makes trials. A Trial is not safe for concurrent use.
type Trial[T any] struct {
	steps  []Step[T]
	tally  *tally // nil: nobody counts
	at     int    // how many steps have been tried or passed over
	trying bool   // steps[at-1] is being tried
	ended  bool
	err    error    // the call's
	failed []Failed // the fallbacks'
}

// Next says that what was tried last, the call to begin with, failed with err, and
// returns what to try now. It returns false if nothing is left that matches err, or
// if the caller is gone; the call has then failed with [Trial.Err]. A nil err, or a
// trial that has ended, gives false and changes nothing.
func (t *Trial[T]) Next(ctx context.Context, err error) (*Step[T], bool) {
	if err == nil || t.ended {
		return nil, false
	}
	if t.err == nil {
		t.err = err
		t.tally.fell()
	}
	if t.trying {
		t.trying = false
		t.failed = append(t.failed, Failed{Name: t.steps[t.at-1].name, Err: err})
		t.tally.stepFailed(t.at - 1)
	}
	cancelled, late := gone(ctx)
	for !cancelled && t.at < len(t.steps) {
		s := &t.steps[t.at]
		t.at++
		if late && s.run != nil || !s.matches(err) {
			continue
		}
		t.trying = true
		t.tally.stepUsed(t.at - 1)
		return s, true
	}
	t.ended = true
	t.tally.lost()
	return nil, false
}

// gone tells whether the caller has cancelled, and whether its deadline has passed.
func gone(ctx context.Context) (cancelled, late bool) {
	err := ctx.Err()
	late = err != nil && errors.Is(err, context.DeadlineExceeded)
	return err != nil && !late, late
}

// Done says that what was tried last succeeded, and ends the trial. A second time
// does nothing.
func (t *Trial[T]) Done() {
	if t.ended {
		return
	}
	t.ended = true
	if t.err == nil {
		t.tally.primary()
	}
}

// Err returns the error to give to the caller once Next has returned false: that of
// the call, or an [*Error] if fallbacks failed too. It is nil as long as nothing
// failed.
func (t *Trial[T]) Err() error {
	if len(t.failed) == 0 {
		return t.err
	}
	return &Error{Call: t.err, Fallbacks: t.failed}
}

// Meta returns where the answer of a trial that succeeded comes from.
func (t *Trial[T]) Meta() Meta {
	if t.err == nil || !t.trying {
		return Meta{Err: t.Err()}
	}
	return Meta{Fallback: t.steps[t.at-1].name, Err: t.Err()}
}

// Meta tells where an answer comes from.
type Meta struct {
	// Fallback is the name of the handler or provider that answered; empty if it
	// was the call itself, or nobody.
	Fallback string
	// Err is what the fallback hides: the error of the call, or an [*Error] if
	// other fallbacks had failed before one answered. nil if the call succeeded.
	Err error
}
