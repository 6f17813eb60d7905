package registry

import (
	"iter"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/pipeline"
)

// An Entry is a name and what stands under it. It is a value, and remains usable when
// the registry has let go of it.
type Entry struct {
	// Name is the name in the registry. That of an attached entry has the prefix of
	// its source, so it need not be the name in the policy's events.
	Name string

	// Breaker is the breaker; that of the pipeline, if there is one. It is nil for a
	// pipeline without a breaker.
	Breaker *breaker.Breaker

	// Pipeline is nil if there is only a breaker.
	Pipeline *pipeline.Pipeline
}

// A Source has entries of its own: a [Registry], or an adapter that makes policies by
// itself. Names are unique in a source. Entries must hold no lock while it yields, and
// must be safe for concurrent use.
type Source interface {
	Entries() iter.Seq[Entry]
}

var _ Source = (*Registry)(nil)

// An entry is an [Entry] that the registry holds.
type entry struct {
	Entry

	request  request  // what it was made by, which knows what the same would be
	made     bool     // here: so it may expire
	settings settings // when it was made

	// used is the instant of the newest look-up, more or less, or of the making; or
	// gone. Whoever changes it from an instant to gone has taken the entry out of
	// service: a look-up that comes later finds that out.
	used atomic.Int64

	// Of those that may expire, guarded by Registry.mu: seen is what the counters of
	// the policies added up to when room was last wanted, due the instant of the next
	// look at them, and place where the entry is in the queue.
	seen  uint64
	due   time.Duration
	place int
}

const gone = math.MinInt64

// touch notes a look-up. It returns false if the entry is out of service. Usually there
// is nothing to write: many goroutines may look up the same entry, and an instant that
// is a little old does no harm.
func (e *entry) touch(now, grain time.Duration) bool {
	for {
		used := e.used.Load()
		if used == gone {
			return false
		}
		if int64(now)-used <= int64(grain) || e.used.CompareAndSwap(used, int64(now)) {
			return true
		}
	}
}

// close stops the timers of what stands in the entry.
func (e *entry) close() {
	if e.Pipeline != nil {
		e.Pipeline.Close()
	} else {
		e.Breaker.Close()
	}
}

// entries are those that a registry holds, by name. Reading takes no lock.
type entries struct{ m sync.Map }

// find returns the entry of that name, or nil.
func (s *entries) find(name string) *entry {
	e, _ := s.m.Load(name)
	found, _ := e.(*entry)
	return found
}

func (s *entries) insert(e *entry) { s.m.Store(e.Name, e) }

func (s *entries) remove(e *entry) { s.m.Delete(e.Name) }

// all visits every entry, and may be used while entries come and go.
func (s *entries) all() iter.Seq[*entry] {
	return func(yield func(*entry) bool) {
		s.m.Range(func(_, e any) bool { return yield(e.(*entry)) })
	}
}
