package sghttp

import (
	"iter"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/pipeline"
)

// Breaker returns the breaker of a key, which may be part of a pipeline, and whether
// there is one. It makes none.
//
// An idle breaker may be dropped when room is needed, and then has no part in any
// call: look it up when it is wanted, and do not keep it.
func (t *Transport) Breaker(key Key) (*breaker.Breaker, bool) {
	if e := t.breakers.table.find(key); e != nil && e.breaker != nil {
		return e.breaker, true
	}
	return nil, false
}

// Breakers returns all breakers, in no particular order. It takes no lock:
// breakers that are made or dropped during the iteration may or may not appear,
// but no key appears twice.
func (t *Transport) Breakers() iter.Seq2[Key, *breaker.Breaker] {
	return func(yield func(Key, *breaker.Breaker) bool) {
		for e := range t.breakers.table.all() {
			if e.breaker != nil && !yield(e.key, e.breaker) {
				return
			}
		}
	}
}

// Pipeline returns the pipeline of a key, and whether there is one. It makes none.
// Like a breaker it may be dropped when it is idle: see [Transport.Breaker].
func (t *Transport) Pipeline(key Key) (*pipeline.Pipeline, bool) {
	if e := t.breakers.table.find(key); e != nil && e.pipeline != nil {
		return e.pipeline, true
	}
	return nil, false
}

// Pipelines returns all pipelines, in no particular order, as [Transport.Breakers]
// does breakers.
func (t *Transport) Pipelines() iter.Seq2[Key, *pipeline.Pipeline] {
	return func(yield func(Key, *pipeline.Pipeline) bool) {
		for e := range t.breakers.table.all() {
			if e.pipeline != nil && !yield(e.key, e.pipeline) {
				return
			}
		}
	}
}

// Counters count over the life of a transport, beside what its breakers count.
type Counters struct {
	// Unprotected are the calls that ran without a breaker, or a pipeline,
	// because there was no room for one.
	Unprotected uint64 `json:"unprotected"`
	// Exempt are the calls that have no key.
	Exempt uint64 `json:"exempt"`
	// Made and Dropped are breakers, or pipelines; the difference is how many
	// there are.
	Made    uint64 `json:"made"`
	Dropped uint64 `json:"dropped"`
}

// Counters returns the transport's counters. Each only grows.
func (t *Transport) Counters() Counters {
	s := &t.breakers
	s.mu.Lock()
	defer s.mu.Unlock()
	return Counters{Unprotected: s.unprotected, Exempt: t.exempt.Load(), Made: s.made, Dropped: s.dropped}
}
