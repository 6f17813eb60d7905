package switchgear_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/switchgear-go/switchgear"
)

func equal[T any](t testing.TB, what string, got, want T) {
	if !reflect.DeepEqual(got, want) {
		t.Helper()
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

var errMissing = errors.New("not found")

// itemError is an error that errors.As can find.
type itemError struct{ item string }

func (e *itemError) Error() string { return "no " + e.item }

func TestOutcomeNames(t *testing.T) {
	for o, want := range map[switchgear.Outcome]string{
		switchgear.Undecided: "undecided", switchgear.Success: "success",
		switchgear.Failure: "failure", switchgear.Ignored: "ignored",
		99: "undecided",
	} {
		equal(t, fmt.Sprintf("name of %d", uint8(o)), o.String(), want)
	}
	var zero switchgear.Outcome
	equal(t, "zero value", zero, switchgear.Undecided)
}

func TestMarks(t *testing.T) {
	marks := map[switchgear.Outcome]func(error) error{
		switchgear.Success: switchgear.MarkSuccess,
		switchgear.Failure: switchgear.MarkFailure,
		switchgear.Ignored: switchgear.MarkIgnored,
	}
	for want, mark := range marks {
		t.Run("C1.1: a mark is found, "+want.String(), func(t *testing.T) {
			for _, err := range []error{
				mark(errMissing),
				fmt.Errorf("fetching: %w", mark(errMissing)),
				errors.Join(errMissing, mark(errMissing)),
				switchgear.WithRetryAfter(mark(errMissing), 1),
			} {
				got, ok := switchgear.Marked(err)
				equal(t, "found", ok, true)
				equal(t, "outcome", got, want)
			}
		})
		t.Run("C1.1: a mark hides nothing, "+want.String(), func(t *testing.T) {
			item := &itemError{"bolt"}
			err := mark(fmt.Errorf("fetching: %w", item))
			equal(t, "text", err.Error(), "fetching: no bolt")
			found, ok := errors.AsType[*itemError](err)
			equal(t, "found", ok, true)
			equal(t, "the error itself", found == item, true)
			equal(t, "errors.Is", errors.Is(err, item), true)
			equal(t, "errors.Unwrap", errors.Unwrap(mark(errMissing)), errMissing)
		})
		t.Run("C1.1: the outermost mark counts, "+want.String(), func(t *testing.T) {
			for _, inner := range marks {
				got, _ := switchgear.Marked(mark(fmt.Errorf("fetching: %w", inner(errMissing))))
				equal(t, "outcome", got, want)
			}
		})
		t.Run("C1.1: no error cannot be marked, "+want.String(), func(t *testing.T) {
			equal(t, "mark of nil", mark(nil), nil)
		})
	}
	t.Run("C1.1: an error without a mark has none", func(t *testing.T) {
		for _, err := range []error{nil, errMissing, switchgear.ErrRejected, switchgear.WithRetryAfter(errMissing, 1)} {
			got, ok := switchgear.Marked(err)
			equal(t, "found", ok, false)
			equal(t, "outcome", got, switchgear.Undecided)
		}
	})
}
