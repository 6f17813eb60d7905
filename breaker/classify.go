package breaker

import (
	"context"

	"github.com/switchgear-go/switchgear"
)

// judge gives an error its outcome by rule C1: the first that matches wins. It
// calls user code, and so runs outside all locks.
func (b *Breaker) judge(ctx context.Context, hurried bool, err error) switchgear.Outcome {
	if o := b.judgeError(ctx, hurried, err); o != switchgear.Undecided {
		return o
	}
	o := switchgear.Undecided
	if b.classify != nil {
		o = b.classify(err)
	}
	return last(o, err)
}

// judgeResult is judge with a classifier that sees the result, in place of the
// breaker's own.
func judgeResult[T any](ctx context.Context, b *Breaker, hurried bool, judge func(T, error) switchgear.Outcome, v T, err error) switchgear.Outcome {
	if o := b.judgeError(ctx, hurried, err); o != switchgear.Undecided {
		return o
	}
	return last(judge(v, err), err)
}

// judgeError is C1.1 to C1.4.
func (b *Breaker) judgeError(ctx context.Context, hurried bool, err error) switchgear.Outcome {
	return switchgear.JudgeError(ctx, err, b.clk.Now, hurried)
}

// last is C1.5, where the classifier had an opinion, and else C1.6.
func last(o switchgear.Outcome, err error) switchgear.Outcome {
	switch {
	case o == switchgear.Success || o == switchgear.Failure || o == switchgear.Ignored:
		return o
	case err == nil:
		return switchgear.Success
	}
	return switchgear.Failure
}
