package fallback_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/fallback"
)

func TestCauses(t *testing.T) {
	wrapped := func(err error) error { return fmt.Errorf("stock: %w", err) }
	for _, tt := range []struct {
		name                                       string
		err                                        error
		noAnswer, rejected, timeout, failure, isIt bool
	}{
		{"failure", errDown, true, false, false, true, true},
		{"wrapped failure", wrapped(errDown), true, false, false, true, true},
		{"another failure", errOther, true, false, false, true, false},
		{"refusal", refusal{}, true, true, false, false, false},
		{"wrapped refusal", wrapped(refusal{}), true, true, false, false, false},
		{"deadline", wrapped(context.DeadlineExceeded), true, false, true, true, false},
		{"timeout of the network", wrapped(timeout(true)), true, false, true, true, false},
		{"no timeout of the network", wrapped(timeout(false)), true, false, false, true, false},
		{"deadline of a file", os.ErrDeadlineExceeded, true, false, true, true, false},
		{"somebody else's cancellation", context.Canceled, true, false, false, true, false},
		{"answer", switchgear.MarkSuccess(errNotFound), false, false, false, false, false},
		{"wrapped answer", wrapped(switchgear.MarkSuccess(errNotFound)), false, false, false, false, false},
		{"ignored", switchgear.MarkIgnored(errDown), true, false, false, false, true},
		{"marked as failure", switchgear.MarkFailure(errNotFound), true, false, false, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			equal(t, "NoAnswer", fallback.NoAnswer(tt.err), tt.noAnswer)
			equal(t, "Rejected", fallback.Rejected(tt.err), tt.rejected)
			equal(t, "Timeout", fallback.Timeout(tt.err), tt.timeout)
			equal(t, "Failure", fallback.Failure(tt.err), tt.failure)
			equal(t, "Is", fallback.Is(errDown)(tt.err), tt.isIt)
			equal(t, "Any", fallback.Any(tt.err), true)
			equal(t, "the default as Judged has it",
				fallback.Judged(nil, switchgear.Failure, switchgear.Ignored)(tt.err), tt.noAnswer)
		})
	}
}

func TestIs(t *testing.T) {
	targets := []error{errDown, errOther}
	is := fallback.Is(targets...)
	targets[0] = errNotFound
	equal(t, "first", is(errDown), true)
	equal(t, "second", is(errOther), true)
	equal(t, "none of them", is(errNotFound), false)
	equal(t, "no targets", fallback.Is()(errDown), false)
}

// The classifier that breaker and retry have decides here too.
func TestJudged(t *testing.T) {
	classify := func(err error) switchgear.Judgement {
		if errors.Is(err, errNotFound) {
			return switchgear.Judgement{Health: switchgear.Success}
		}
		return switchgear.Judgement{}
	}
	noAnswer := fallback.Judged(classify, switchgear.Failure, switchgear.Ignored)
	equal(t, "an answer", noAnswer(errNotFound), false)
	equal(t, "a failure", noAnswer(errDown), true)
	equal(t, "a refusal", noAnswer(refusal{}), true)
	equal(t, "a mark is stronger", noAnswer(switchgear.MarkFailure(errNotFound)), true)
}
