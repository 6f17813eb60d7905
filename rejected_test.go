package switchgear_test

import (
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
)

// refusal is an error with a time of its own, such as a policy's rejection.
type refusal struct {
	wait  time.Duration
	known bool
}

func (refusal) Error() string                       { return "refused" }
func (refusal) Is(target error) bool                { return target == switchgear.ErrRejected }
func (r refusal) RetryAfter() (time.Duration, bool) { return r.wait, r.known }

func TestRetryAfter(t *testing.T) {
	find := func(t *testing.T, err error, wait time.Duration, known bool) {
		t.Helper()
		got, ok := switchgear.RetryAfter(err)
		equal(t, "known", ok, known)
		equal(t, "wait", got, wait)
	}
	t.Run("O3: a hint is found, however deep", func(t *testing.T) {
		hinted := switchgear.WithRetryAfter(errMissing, time.Minute)
		find(t, hinted, time.Minute, true)
		find(t, fmt.Errorf("fetching: %w", hinted), time.Minute, true)
		find(t, errors.Join(errMissing, hinted), time.Minute, true)
		find(t, switchgear.MarkFailure(hinted), time.Minute, true)
	})
	t.Run("O3: a hint hides nothing", func(t *testing.T) {
		item := &itemError{"bolt"}
		err := switchgear.WithRetryAfter(item, time.Minute)
		equal(t, "text", err.Error(), "no bolt")
		equal(t, "errors.Is", errors.Is(err, item), true)
	})
	t.Run("O3: the outermost hint counts", func(t *testing.T) {
		find(t, switchgear.WithRetryAfter(switchgear.WithRetryAfter(errMissing, time.Second), time.Minute), time.Minute, true)
	})
	t.Run("O3: a wait that is not positive is no hint", func(t *testing.T) {
		for _, wait := range []time.Duration{0, -1, math.MinInt64} {
			err := switchgear.WithRetryAfter(errMissing, wait)
			equal(t, "the error itself", err, errMissing)
			find(t, err, 0, false)
		}
	})
	t.Run("O3: no error carries no hint", func(t *testing.T) {
		equal(t, "WithRetryAfter(nil)", switchgear.WithRetryAfter(nil, time.Minute), nil)
		find(t, nil, 0, false)
		find(t, errMissing, 0, false)
	})
	t.Run("P1: an error that knows its time is asked", func(t *testing.T) {
		find(t, fmt.Errorf("fetching: %w", refusal{time.Second, true}), time.Second, true)
		find(t, refusal{0, false}, 0, false)
	})
}

func TestErrRejected(t *testing.T) {
	err := fmt.Errorf("fetching: %w", refusal{})
	equal(t, "a policy's refusal matches", errors.Is(err, switchgear.ErrRejected), true)
	equal(t, "another error does not", errors.Is(errMissing, switchgear.ErrRejected), false)
	equal(t, "nor does a bad configuration", errors.Is(&switchgear.ConfigError{}, switchgear.ErrRejected), false)
}
