package sgotel_test

import (
	"context"
	"errors"
	"iter"
	"sync"
	"testing"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/registry"
)

var (
	background = context.Background()
	errDown    = errors.New("connection refused")
)

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// source is a list that a test changes.
type source struct {
	mu      sync.Mutex
	entries []registry.Entry
}

func (s *source) Entries() iter.Seq[registry.Entry] {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := append([]registry.Entry(nil), s.entries...)
	return func(yield func(registry.Entry) bool) {
		for _, e := range list {
			if !yield(e) {
				return
			}
		}
	}
}

func (s *source) add(name string) *breaker.Breaker {
	b := breaker.Must(breaker.New("b", breaker.Config{}))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entries = append(s.entries, registry.Entry{Name: name, Breaker: b})
	return b
}

func (s *source) remove(i int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entries = append(s.entries[:i:i], s.entries[i+1:]...)
}

func fail(b *breaker.Breaker, times int) {
	for range times {
		_ = b.Do(background, func(context.Context) error { return errDown })
	}
}
