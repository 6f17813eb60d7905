package main

import (
	"strings"
	"testing"

	"github.com/switchgear-go/switchgear/breaker"
)

// full returns a configuration with its defaults filled in, as the checkers want it.
func full(t *testing.T, cfg breaker.Config) *limits {
	t.Helper()
	b, err := breaker.New("sketch", cfg)
	if err != nil {
		t.Fatal(err)
	}
	return newLimits(b.Config())
}

// accuses fails the test unless err names the rule, or is nil where that is "".
func accuses(t *testing.T, err error, rule string) {
	t.Helper()
	switch {
	case rule == "" && err != nil:
		t.Errorf("a false accusation: %v", err)
	case rule != "" && err == nil:
		t.Errorf("not noticed: a violation of %s", rule)
	case rule != "" && !strings.HasPrefix(err.Error(), rule+":"):
		t.Errorf("noticed as another violation than of %s: %v", rule, err)
	}
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}
