package fallback

import (
	"context"
	"errors"
	"slices"

	"github.com/switchgear-go/switchgear"
)

// A Cause says of an error whether a handler is for it. It is never given nil. It
// must be safe for concurrent use, and any function of this shape will do.
//
// A handler with several causes is for errors that match any of them; with none,
// its cause is [NoAnswer].
type Cause func(error) bool

// NoAnswer matches every error but one that proves the dependency did its work,
// see [switchgear.MarkSuccess]. It is the default.
func NoAnswer(err error) bool {
	outcome, marked := switchgear.Marked(err)
	return !marked || outcome != switchgear.Success
}

// Any matches every error.
func Any(error) bool { return true }

// Rejected matches the refusals of policies, such as an open breaker or a full
// bulkhead: all that match [switchgear.ErrRejected].
func Rejected(err error) bool { return errors.Is(err, switchgear.ErrRejected) }

// Timeout matches [context.DeadlineExceeded] and errors that call themselves a
// timeout, as those of package net do.
func Timeout(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	t, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](err)
	return ok && t.Timeout()
}

// Failure matches errors that count against the dependency's health, by the rules
// that need no classifier: not refusals, and not what was marked otherwise. Where
// other policies have a classifier, use [Judged] with the same one.
func Failure(err error) bool { return health(err, nil) == switchgear.Failure }

// Is returns a cause that matches errors for which errors.Is finds any of targets.
func Is(targets ...error) Cause {
	targets = slices.Clone(targets)
	return func(err error) bool {
		for _, target := range targets {
			if errors.Is(err, target) {
				return true
			}
		}
		return false
	}
}

// Judged returns a cause that matches errors whose health, judged by
// [switchgear.Judge] with this classifier, is one of outcomes. The classifier may be
// nil. [Failure] is Judged(nil, switchgear.Failure); the counterpart of the default
// [NoAnswer] is Judged(classify, switchgear.Failure, switchgear.Ignored).
func Judged(classify func(error) switchgear.Judgement, outcomes ...switchgear.Outcome) Cause {
	outcomes = slices.Clone(outcomes)
	return func(err error) bool { return slices.Contains(outcomes, health(err, classify)) }
}

// health judges without the caller's context: whether the caller is gone has been
// asked before any cause is.
func health(err error, classify func(error) switchgear.Judgement) switchgear.Outcome {
	return switchgear.Judge(context.Background(), err, nil, classify).Health
}
