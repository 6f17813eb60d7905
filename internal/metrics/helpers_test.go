package metrics

import (
	"context"
	"errors"
	"iter"
	"sync"
	"testing"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/registry"
)

var errDown = errors.New("connection refused")

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

// remove takes out the i-th entry.
func (s *source) remove(i int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entries = append(s.entries[:i:i], s.entries[i+1:]...)
}

// fail makes calls that fail, too few of them to trip.
func fail(b *breaker.Breaker, times int) {
	for range times {
		_ = b.Do(context.Background(), func(context.Context) error { return errDown })
	}
}

// key finds a point.
type key struct{ metric, name, label string }

func index(t *testing.T, points []Point) map[key]float64 {
	t.Helper()
	m := make(map[key]float64, len(points))
	for _, p := range points {
		k := key{p.Metric.Name, p.Name, p.Label}
		if _, twice := m[k]; twice {
			t.Fatalf("%v is there twice", k)
		}
		m[k] = p.Value
	}
	return m
}

// failures returns what "breaker.calls" has of failed calls, by name.
func failures(t *testing.T, points []Point) map[string]float64 {
	t.Helper()
	m := make(map[string]float64)
	for k, v := range index(t, points) {
		if k.metric == "breaker.calls" && k.label == "failed" {
			m[k.name] = v
		}
	}
	return m
}
