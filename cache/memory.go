package cache

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/internal/check"
)

// A Memory is a [Store] in this process. It is bounded: when it is full, the entry
// that has not been used for longest goes. Every operation takes a fixed time,
// under one lock that is held for a few instructions. An entry that has reached its
// Keep goes when its key is asked for, or when it is the least used one.
//
// Make it with [NewMemory]; it must not be copied. It is safe for concurrent use,
// and one Memory may serve several caches if their keys do not clash.
type Memory[K comparable, V any] struct {
	clk   clock.Clock
	weigh func(K, V) int
	cfg   MemoryConfig

	mu     sync.Mutex // guards what is below; weigh is never called under it
	index  map[K]*node[K, V]
	root   node[K, V] // of a ring: root.next was used last, root.prev goes first
	weight int64
	count  MemorySnapshot // the counters in it
}

type node[K comparable, V any] struct {
	prev, next *node[K, V]
	key        K
	value      V
	weight     int
	put, keep  time.Duration
}

// NewMemory makes a store for at most cfg.Entries answers. If weigh is not nil, the
// sum of what it returns for them is bounded by cfg.MaxWeight as well; it is called
// once for each Put, outside the lock, and a negative weight counts as none. The
// only option used is [WithClock]. The error is a [*switchgear.ConfigError].
func NewMemory[K comparable, V any](cfg MemoryConfig, weigh func(K, V) int, opts ...Option) (*Memory[K, V], error) {
	var c check.Checker
	cfg.settle(&c, weigh != nil)
	if err := c.Err(memoryKind, ""); err != nil {
		return nil, err
	}
	return newMemory[K, V](cfg, weigh, gather(opts).clk), nil
}

func newMemory[K comparable, V any](cfg MemoryConfig, weigh func(K, V) int, clk clock.Clock) *Memory[K, V] {
	m := &Memory[K, V]{clk: clk, weigh: weigh, cfg: cfg, index: map[K]*node[K, V]{}}
	m.root.prev, m.root.next = &m.root, &m.root
	return m
}

// Config returns the bounds in effect, every default filled in.
func (m *Memory[K, V]) Config() MemoryConfig { return m.cfg }

// Get returns the entry for key, if there is one younger than its Keep, and
// makes it the one used last. ctx is not used, and the error is always nil.
func (m *Memory[K, V]) Get(_ context.Context, key K) (Entry[V], bool, error) {
	now := m.clk.Mono()
	m.mu.Lock()
	defer m.mu.Unlock() // deferred: a key that cannot be hashed panics
	n := m.index[key]
	if n == nil {
		return Entry[V]{}, false, nil
	}
	// Another goroutine may have put the entry since we looked at the clock.
	age := max(now-n.put, 0)
	if age >= n.keep {
		m.remove(n)
		m.count.Expired++
		return Entry[V]{}, false, nil
	}
	m.unlink(n)
	m.pushFront(n)
	return Entry[V]{Value: n.value, Age: age, Keep: n.keep}, true, nil
}

// Put stores e for key in place of what is there, and makes room for it. An entry
// that outweighs the whole Memory is not stored, and neither is one whose key does
// not equal itself, as NaN does not: it could never be found again. The error is
// always nil.
func (m *Memory[K, V]) Put(_ context.Context, key K, e Entry[V]) error {
	weight := 0
	if m.weigh != nil && e.Keep > 0 {
		weight = min(max(m.weigh(key, e.Value), 0), math.MaxInt32)
	}
	now := m.clk.Mono()
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.index[key]
	tooHeavy := m.weigh != nil && weight > m.cfg.MaxWeight
	if e.Keep <= 0 || tooHeavy || !same(key, key) {
		if n != nil {
			m.remove(n)
		}
		if tooHeavy {
			m.count.TooHeavy++
		}
		return nil
	}
	if n != nil {
		m.unlink(n)
		m.weight -= int64(n.weight)
	} else if len(m.index) == m.cfg.Entries {
		n = m.evict() // and use its node again
	}
	for m.weigh != nil && m.weight+int64(weight) > int64(m.cfg.MaxWeight) {
		m.evict() // ends when nothing else is left, since this one fits by itself
	}
	if n == nil {
		n = new(node[K, V])
	}
	n.key, n.value, n.weight = key, e.Value, weight
	n.put, n.keep = now-max(e.Age, 0), e.Keep
	m.weight += int64(weight)
	m.index[key] = n
	m.pushFront(n)
	return nil
}

// same is false for keys that hold a NaN.
func same[K comparable](a, b K) bool { return a == b }

// evict removes and returns the entry used least lately. Called under mu.
func (m *Memory[K, V]) evict() *node[K, V] {
	n := m.root.prev
	m.remove(n)
	m.count.Evicted++
	return n
}

// remove is called under mu.
func (m *Memory[K, V]) remove(n *node[K, V]) {
	m.unlink(n)
	delete(m.index, n.key)
	m.weight -= int64(n.weight)
}

func (m *Memory[K, V]) unlink(n *node[K, V]) {
	n.prev.next, n.next.prev = n.next, n.prev
	n.prev, n.next = nil, nil
}

func (m *Memory[K, V]) pushFront(n *node[K, V]) {
	n.prev, n.next = &m.root, m.root.next
	n.prev.next, n.next.prev = n, n
}

// Clear drops all entries.
func (m *Memory[K, V]) Clear() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.index)
	m.root.prev, m.root.next = &m.root, &m.root
	m.weight = 0
}

// MemorySnapshot is what a [Memory] holds now, and what it has dropped so far.
type MemorySnapshot struct {
	// Entries are those kept, also such that have reached their Keep and that
	// nobody has asked for since.
	Entries int `json:"entries"`
	// Weight is the sum of their weights; 0 if they are not weighed.
	Weight int64 `json:"weight"`
	// Evicted counts entries dropped to make room, Expired those that had
	// reached their Keep when they were asked for, TooHeavy those that were never stored because
	// they outweigh the whole Memory. These only grow.
	Evicted  uint64 `json:"evicted"`
	Expired  uint64 `json:"expired"`
	TooHeavy uint64 `json:"too_heavy"`
}

// Snapshot returns the state of the Memory.
func (m *Memory[K, V]) Snapshot() MemorySnapshot {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.count
	s.Entries, s.Weight = len(m.index), m.weight
	return s
}
