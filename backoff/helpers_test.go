package backoff_test

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/backoff"
)

const (
	ms    = time.Millisecond
	off   = switchgear.Off
	month = 30 * 24 * time.Hour
)

func equal[T any](t testing.TB, what string, got, want T) {
	if !reflect.DeepEqual(got, want) {
		t.Helper()
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// always is a source of chance that draws one number for ever.
func always(r float64) func() float64 { return func() float64 { return r } }

// seeded returns a source of chance, and says in the test's log how to get the
// same again.
func seeded(t *testing.T) *rand.Rand {
	t.Helper()
	seed := rand.Uint64()
	t.Logf("seed: %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

func made(t testing.TB, cfg backoff.Config) *backoff.Backoff {
	t.Helper()
	b, err := backoff.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
