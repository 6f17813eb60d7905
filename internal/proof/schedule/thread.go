package schedule

import (
	"fmt"
	"iter"
	"path"
	"runtime"
	"slices"
	"strings"
)

// An access is what a step does to its variable.
type access uint64

const (
	read access = iota + 1
	write
	take // a lock
)

// A variable is what an exploration knows of something that threads share.
type variable struct {
	change uint64   // hash of the thread that has changed it last, as of then
	guard  *Mutex   // that every store happens under; a load has relied on it
	kind   any      // if guard is set
	locks  []*Mutex // that were held at every store so far
	stored bool
}

// A thread is a coroutine of a program.
type thread struct {
	index  int
	resume func() (struct{}, bool)
	yield  func(struct{}) bool

	hash  uint64 // of all that has influenced it
	ended bool
	held  []*Mutex
	fresh bool // the lock was taken by the step that is under way

	// The step that it is about to take.
	access access
	on     *variable
	mutex  *Mutex

	begun []*Span // operations that begin with the next step
	spans uint64  // operations that have ended

	program *run
	stack   []uintptr // where the step stands, if the run is traced
}

var (
	running   *thread // whose turn it is; nil while none is running
	exploring bool
)

func (r *run) start(index int, body func()) *thread {
	t := &thread{index: index, program: r, hash: mix(uint64(index) + 1), stack: make([]uintptr, 0, 16)}
	t.resume, _ = iter.Pull(func(yield func(struct{}) bool) {
		t.yield = yield
		body()
		t.ended = true
	})
	t.turn()
	return t
}

// turn lets the thread go on until it is about to take a step, or ends.
func (t *thread) turn() {
	running = t
	defer func() { running = nil }()
	t.resume()
}

// step waits for the thread's turn to take a step.
func (t *thread) step(a access, v *variable) {
	t.access, t.on = a, v
	if t.fresh {
		t.fresh = false // taken together with the lock
	} else {
		if t.program.traced {
			t.stack = t.stack[:runtime.Callers(2, t.stack[:cap(t.stack)])]
		}
		t.yield(struct{}{})
	}
	t.hash = t.next()
	t.begin()
	if a == write {
		v.change = t.hash
		t.checkGuard(v)
	}
	t.program.steps++
}

// also is a change of a variable as part of the step that was taken last.
func (t *thread) also(v *variable) {
	t.access, t.on = write, v
	t.hash = t.next()
	v.change = t.hash
}

// next returns the hash that the thread will have after the step it is about to take. A
// step is influenced by the last change of its variable; also a store, since it makes a
// difference which of two stores was the last. That others have loaded the variable in
// between shows in their own hashes.
func (t *thread) next() uint64 {
	h := t.hash
	for _, s := range t.begun {
		h = s.mixed(h)
	}
	return mix(h, uint64(t.access), t.on.change)
}

func (t *thread) enabled() bool {
	return !t.ended && (t.access != take || !t.mutex.held)
}

func (t *thread) lock(m *Mutex) {
	t.mutex, t.fresh = m, false
	t.step(take, &m.seen)
	if m.held {
		panic("schedule: a lock was given away twice")
	}
	m.held = true
	t.held = append(t.held, m)
	t.mutex, t.fresh = nil, true
}

func (t *thread) unlock(m *Mutex) {
	i := slices.Index(t.held, m)
	if i < 0 {
		panic("schedule: unlock of a lock that the thread does not hold")
	}
	t.held = slices.Delete(t.held, i, i+1)
	m.held = false
	m.seen.change = t.hash
	t.fresh = false
}

// holdsGuard reports whether the thread holds a lock that every store to the variable
// happens under, as far as is known, and relies on it from now on.
func (t *thread) holdsGuard(v *variable, kind any) bool {
	if v.guard != nil {
		return slices.Contains(t.held, v.guard)
	}
	if t.program.unguarded[kind] {
		return false
	}
	for _, m := range t.held {
		if !v.stored || slices.Contains(v.locks, m) {
			v.guard, v.kind = m, kind
			return true
		}
	}
	return false
}

// notGuarded is the panic of a thread that stores without the lock that was relied upon.
type notGuarded struct{ kind any }

func (n *notGuarded) Error() string { return fmt.Sprintf("a %T is stored to without a lock", n.kind) }

func (t *thread) checkGuard(v *variable) {
	if v.guard != nil && !slices.Contains(t.held, v.guard) {
		panic(&notGuarded{v.kind})
	}
	if !v.stored {
		v.stored, v.locks = true, slices.Clone(t.held)
		return
	}
	v.locks = slices.DeleteFunc(v.locks, func(m *Mutex) bool { return !slices.Contains(t.held, m) })
}

// where tells what step the thread is about to take, and by which way it got there.
func (t *thread) where() string {
	var calls []string
	frames := runtime.CallersFrames(t.stack)
	for more := true; more && len(calls) < 5; {
		var f runtime.Frame
		f, more = frames.Next()
		name := path.Base(f.Function) // schedule.(*Uint64).Load
		if !strings.HasPrefix(name, "schedule.") || strings.HasPrefix(name, "schedule.(*") && len(calls) == 0 && !strings.HasPrefix(name, "schedule.(*thread)") {
			calls = append(calls, fmt.Sprintf("%s %s:%d", name, path.Base(f.File), f.Line))
		}
	}
	return strings.Join(calls, " < ")
}

// mix makes a hash of hashes: FNV over words, with the finish of MurmurHash3.
func mix(words ...uint64) uint64 {
	h := uint64(14695981039346656037)
	for _, w := range words {
		h = (h ^ w) * 1099511628211
		h ^= h >> 33
		h *= 0xff51afd7ed558ccd
		h ^= h >> 33
		h *= 0xc4ceb9fe1a85ec53
		h ^= h >> 33
	}
	return h
}
