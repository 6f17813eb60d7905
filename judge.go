package switchgear

import (
	"context"
	"errors"
	"time"
)

// Repeat is whether it makes sense to make a call again.
type Repeat uint8

const (
	// RepeatUndecided leaves the decision to the next rule.
	RepeatUndecided Repeat = iota
	// RepeatNever: the same call would end in the same way, or must not be made
	// twice.
	RepeatNever
	// RepeatYes: another attempt may succeed; if the judgement has a NotBefore,
	// not before that.
	RepeatYes
)

// String returns "never" or "yes".
func (r Repeat) String() string {
	switch r {
	case RepeatNever:
		return "never"
	case RepeatYes:
		return "yes"
	}
	return "undecided"
}

// Judgement is the two answers that a call's result gives. All policies of one
// pipeline read the same judgement, so that they cannot disagree: the health
// feeds breakers, limits and budgets, and the repeat feeds retries and hedges.
//
// The two are independent. A "conflict, read again" proves the dependency healthy
// and is worth repeating; a crash that came of this very request is a failure and
// is not.
type Judgement struct {
	// Health is what the result says about the dependency.
	Health Outcome
	// Repeat is whether another attempt makes sense.
	Repeat Repeat
	// NotBefore is how long another attempt should wait, as the dependency asked
	// (see [RetryAfter]); 0 if it did not ask.
	NotBefore time.Duration
}

// Judge gives err both answers; nil is a success. The first rule that decides
// about an answer wins.
//
// Health: [JudgeError], then classify, then rule C1.6: an error is a failure.
//
// Repeat: never if the caller is gone (ctx is done, or at its deadline); then a mark
// ([MarkRepeatable], [MarkFinal]); never after a refusal by another policy; then
// classify; then yes for a failure, and never for anything else.
//
// ctx is the caller's context and may be nil. now is the wall clock, see
// [JudgeError]. classify may be nil; it is asked about errors only, and may leave
// either answer undecided. It is user code: Judge must not be called under a lock.
func Judge(ctx context.Context, err error, now func() time.Time, classify func(error) Judgement) Judgement {
	if err == nil {
		return Judgement{Health: Success, Repeat: RepeatNever}
	}
	j := Judgement{Health: JudgeError(ctx, err, now, false)}
	var said Judgement
	if classify != nil {
		said = classify(err)
	}
	if j.Health == Undecided {
		j.Health = said.Health
	}
	if j.Health == Undecided || j.Health > Ignored {
		j.Health = Failure // C1.6
	}
	marked, isMarked := errors.AsType[*repeatable](err)
	switch {
	case gone(ctx, now):
		j.Repeat = RepeatNever
	case isMarked:
		j.Repeat = marked.repeat
	case errors.Is(err, ErrRejected):
		j.Repeat = RepeatNever
	case said.Repeat == RepeatYes || said.Repeat == RepeatNever:
		j.Repeat = said.Repeat
	case j.Health == Failure:
		j.Repeat = RepeatYes
	default:
		j.Repeat = RepeatNever
	}
	if j.NotBefore = max(said.NotBefore, 0); j.NotBefore == 0 {
		if wait, ok := RetryAfter(err); ok {
			j.NotBefore = max(wait, 0)
		}
	}
	return j
}

// JudgeError gives err the outcome that rules C1.1 to C1.4 decide, which come
// before any classifier, or Undecided. They judge errors: an answer that came
// without one is an answer, even if it came after the deadline.
//
// ctx is the caller's context; nil stands for a caller that never gives up. now
// returns the wall-clock time in which ctx's deadline is meant. hurried says that
// the call began with too little time left, so that the deadline it missed is not
// held against the dependency (rule C1.4).
func JudgeError(ctx context.Context, err error, now func() time.Time, hurried bool) Outcome {
	if err == nil {
		return Undecided
	}
	if o, ok := Marked(err); ok { // C1.1
		return o
	}
	if errors.Is(err, ErrRejected) { // C1.2
		return Ignored
	}
	if ctx == nil {
		return Undecided
	}
	switch ctx.Err() {
	case nil:
		if !gone(ctx, now) {
			return Undecided
		}
	case context.Canceled: // C1.3
		if errors.Is(err, context.Canceled) || errors.Is(err, context.Cause(ctx)) {
			return Ignored
		}
		return Undecided
	}
	if hurried { // C1.4
		return Ignored
	}
	return Failure
}

// gone reports whether the caller has given up, or its deadline has passed. A
// connection that was given the deadline may notice it a moment before the context
// does.
func gone(ctx context.Context, now func() time.Time) bool {
	if ctx == nil || ctx.Err() != nil {
		return ctx != nil
	}
	d, ok := ctx.Deadline()
	return ok && !now().Before(d)
}

// MarkRepeatable marks err at the call site: whatever it is, another attempt may
// succeed. It says nothing about health; marks may be combined. Where marks of
// this kind are nested, the outermost counts. MarkRepeatable(nil) is nil.
func MarkRepeatable(err error) error { return markRepeat(err, RepeatYes) }

// MarkFinal marks err as one that no further attempt can cure, such as a request
// that the dependency will never accept. See [MarkRepeatable].
func MarkFinal(err error) error { return markRepeat(err, RepeatNever) }

func markRepeat(err error, r Repeat) error {
	if err == nil {
		return nil
	}
	return &repeatable{err, r}
}

type repeatable struct {
	err    error
	repeat Repeat
}

func (r *repeatable) Error() string { return r.err.Error() }
func (r *repeatable) Unwrap() error { return r.err }
