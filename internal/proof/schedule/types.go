package schedule

import (
	"sync"
	"sync/atomic"
)

// A Mutex stands for a [sync.Mutex].
type Mutex struct {
	mu   sync.Mutex
	held bool
	seen variable
}

// Lock stands for [sync.Mutex.Lock]. In an exploration it waits by not being scheduled.
func (m *Mutex) Lock() {
	if t := running; t != nil {
		t.lock(m)
		return
	}
	pause()
	m.mu.Lock()
	m.held = true
}

// Unlock stands for [sync.Mutex.Unlock].
func (m *Mutex) Unlock() {
	if t := running; t != nil {
		t.unlock(m)
		return
	}
	m.held = false
	m.mu.Unlock()
	pause()
}

// Held reports whether somebody holds the lock. It is for invariants that a [Program]
// checks between steps.
func (m *Mutex) Held() bool { return m.held }

// A Bool stands for an [atomic.Bool].
type Bool struct {
	v    atomic.Bool
	seen variable
}

// Load stands for [atomic.Bool.Load].
func (x *Bool) Load() bool { guarded(&x.seen, "Bool"); return x.v.Load() }

// Store stands for [atomic.Bool.Store].
func (x *Bool) Store(v bool) { step(write, &x.seen); x.v.Store(v) }

// An Int64 stands for an [atomic.Int64].
type Int64 struct {
	v    atomic.Int64
	seen variable
}

// Load stands for [atomic.Int64.Load].
func (x *Int64) Load() int64 { guarded(&x.seen, "Int64"); return x.v.Load() }

// Store stands for [atomic.Int64.Store].
func (x *Int64) Store(v int64) { step(write, &x.seen); x.v.Store(v) }

// Add stands for [atomic.Int64.Add].
func (x *Int64) Add(d int64) int64 { step(write, &x.seen); return x.v.Add(d) }

// A Uint64 stands for an [atomic.Uint64].
type Uint64 struct {
	v    atomic.Uint64
	seen variable
}

// Load stands for [atomic.Uint64.Load].
func (x *Uint64) Load() uint64 { step(read, &x.seen); return x.v.Load() }

// Store stands for [atomic.Uint64.Store].
func (x *Uint64) Store(v uint64) { step(write, &x.seen); x.v.Store(v) }

// Add stands for [atomic.Uint64.Add].
func (x *Uint64) Add(d uint64) uint64 { step(write, &x.seen); return x.v.Add(d) }

// Touch is a change that belongs to the step before, if that was a load of x in the same
// goroutine. It is for code that a test itself provides and that has no types of sync/atomic
// to be replaced, such as a clock.
func (x *Uint64) Touch() {
	if t := running; t != nil {
		t.also(&x.seen)
	}
}

// Swap stands for [atomic.Uint64.Swap].
func (x *Uint64) Swap(v uint64) uint64 { step(write, &x.seen); return x.v.Swap(v) }

// CompareAndSwap stands for [atomic.Uint64.CompareAndSwap].
func (x *Uint64) CompareAndSwap(old, v uint64) bool {
	step(write, &x.seen)
	return x.v.CompareAndSwap(old, v)
}

// A Pointer stands for an [atomic.Pointer].
type Pointer[T any] struct {
	v    atomic.Pointer[T]
	seen variable
}

// Load stands for [atomic.Pointer.Load].
func (x *Pointer[T]) Load() *T { guarded(&x.seen, (*T)(nil)); return x.v.Load() }

// Store stands for [atomic.Pointer.Store].
func (x *Pointer[T]) Store(v *T) { step(write, &x.seen); x.v.Store(v) }

// shaker is called before each step while no exploration is under way; nil is for
// nothing.
var shaker func()

// Shake has f called before each step of goroutines that no exploration runs, so that a
// test with real goroutines sees more of the orders that are possible. It must be called
// before there are such goroutines.
func Shake(f func()) { shaker = f }

func pause() {
	if shaker != nil {
		shaker()
	}
}

func step(a access, v *variable) {
	if t := running; t != nil {
		t.step(a, v)
		return
	}
	pause()
}

// guarded is a load of a variable that may be stored to under a lock only. The kind is
// what such variables have in common.
func guarded(v *variable, kind any) {
	if t := running; t != nil {
		if !t.holdsGuard(v, kind) {
			t.step(read, v)
		}
		return
	}
	pause()
}
