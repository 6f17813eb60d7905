package cache_test

import (
	"context"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/cache"
	"github.com/switchgear-go/switchgear/clock"
)

var background = context.Background()

// newMemory returns a memory in virtual time.
func newMemory[K comparable, V any](t testing.TB, cfg cache.MemoryConfig, weigh func(K, V) int) (*cache.Memory[K, V], *clock.Virtual) {
	t.Helper()
	clk := clock.NewVirtual(start)
	m, err := cache.NewMemory(cfg, weigh, cache.WithClock(clk))
	if err != nil {
		t.Fatal(err)
	}
	return m, clk
}

// held returns which of keys m holds, without using them: it looks at a time when
// the order no longer matters.
func held[V any](m *cache.Memory[string, V], keys string) string {
	var b strings.Builder
	for _, k := range strings.Split(keys, "") {
		if _, ok, _ := m.Get(background, k); ok {
			b.WriteString(k)
		}
	}
	return b.String()
}

func TestMemory(t *testing.T) {
	entry := func(v int) cache.Entry[int] { return cache.Entry[int]{Value: v, Keep: time.Hour} }
	fill := func(m *cache.Memory[string, int], keys string) {
		for i, k := range strings.Split(keys, "") {
			_ = m.Put(background, k, entry(i))
		}
	}
	t.Run("the entry used least lately goes first", func(t *testing.T) {
		m, _ := newMemory[string, int](t, cache.MemoryConfig{Entries: 3}, nil)
		fill(m, "abc")
		_, _, _ = m.Get(background, "a")
		fill(m, "d")
		equal(t, "held", held(m, "abcd"), "acd")
		fill(m, "a") // a Put is a use too, and replaces
		fill(m, "ef")
		equal(t, "held", held(m, "abcdef"), "aef")
		equal(t, "snapshot", m.Snapshot(), cache.MemorySnapshot{Entries: 3, Evicted: 3})
	})
	t.Run("an entry knows its age, and is gone at its Keep", func(t *testing.T) {
		m, clk := newMemory[string, int](t, cache.MemoryConfig{}, nil)
		fill(m, "a")
		_ = m.Put(background, "b", cache.Entry[int]{Value: 5, Age: time.Minute, Keep: time.Hour})
		clk.Advance(time.Hour - time.Minute - 1)
		e, ok, _ := m.Get(background, "b")
		equal(t, "found", ok, true)
		equal(t, "entry", e, cache.Entry[int]{Value: 5, Age: time.Hour - 1, Keep: time.Hour})
		clk.Advance(1)
		equal(t, "held", held(m, "ab"), "a")
		clk.Advance(time.Minute)
		equal(t, "entries before anybody asks", m.Snapshot().Entries, 1)
		equal(t, "held", held(m, "ab"), "")
		equal(t, "snapshot", m.Snapshot(), cache.MemorySnapshot{Expired: 2})
	})
	t.Run("an entry with nothing to keep drops what is there", func(t *testing.T) {
		m, _ := newMemory[string, int](t, cache.MemoryConfig{}, nil)
		fill(m, "ab")
		_ = m.Put(background, "a", cache.Entry[int]{})
		_ = m.Put(background, "c", cache.Entry[int]{Keep: -1})
		equal(t, "held", held(m, "abc"), "b")
	})
	t.Run("weights", func(t *testing.T) {
		m, _ := newMemory(t, cache.MemoryConfig{MaxWeight: 10}, func(_ string, v int) int { return v })
		put := func(k string, w int) { _ = m.Put(background, k, entry(w)) }
		put("a", 4)
		put("b", 6)
		equal(t, "held when exactly full", held(m, "ab"), "ab")
		put("c", 5) // a and b have to go
		equal(t, "held", held(m, "abc"), "c")
		put("d", 5)
		put("d", 1) // replaced by a lighter one
		equal(t, "weight", m.Snapshot().Weight, 6)
		put("d", 10) // by a heavier one: c has to go
		equal(t, "held", held(m, "cd"), "d")
		put("d", 11) // outweighs everything: not stored, and the old one is no longer right
		put("e", math.MaxInt)
		put("f", -5)
		equal(t, "held", held(m, "cdef"), "f")
		equal(t, "snapshot", m.Snapshot(), cache.MemorySnapshot{Entries: 1, Evicted: 3, TooHeavy: 2})
	})
	t.Run("a panic of the function that weighs leaves no lock behind", func(t *testing.T) {
		m, _ := newMemory(t, cache.MemoryConfig{MaxWeight: 10}, func(string, int) int { panic("boom") })
		func() {
			defer func() { equal(t, "recovered", recover(), any("boom")) }()
			fill(m, "a")
		}()
		equal(t, "entries", m.Snapshot().Entries, 0)
	})
	t.Run("a function that weighs may use the memory", func(t *testing.T) {
		var m *cache.Memory[string, int]
		m, _ = newMemory(t, cache.MemoryConfig{MaxWeight: 10}, func(string, int) int { return 1 + m.Snapshot().Entries })
		fill(m, "ab")
		equal(t, "weight", m.Snapshot().Weight, 3)
	})
	t.Run("Clear", func(t *testing.T) {
		m, _ := newMemory(t, cache.MemoryConfig{Entries: 2, MaxWeight: 10}, func(string, int) int { return 3 })
		fill(m, "abc")
		m.Clear()
		equal(t, "snapshot", m.Snapshot(), cache.MemorySnapshot{Evicted: 1})
		fill(m, "def")
		equal(t, "held", held(m, "abcdef"), "ef")
	})
	t.Run("a bound of one", func(t *testing.T) {
		m, _ := newMemory[string, int](t, cache.MemoryConfig{Entries: 1}, nil)
		fill(m, "abab")
		equal(t, "held", held(m, "ab"), "b")
	})
	t.Run("K64: keys that never equal themselves take no room", func(t *testing.T) {
		m, _ := newMemory[float64, int](t, cache.MemoryConfig{Entries: 2}, nil)
		for range 100 {
			_ = m.Put(background, math.NaN(), entry(1))
		}
		equal(t, "entries", m.Snapshot().Entries, 0)
	})
	t.Run("0 and -0 are one key", func(t *testing.T) {
		m, _ := newMemory[float64, int](t, cache.MemoryConfig{Entries: 2}, nil)
		_ = m.Put(background, 0, entry(1))
		_ = m.Put(background, math.Copysign(0, -1), entry(2))
		_ = m.Put(background, 0, cache.Entry[int]{})
		equal(t, "entries", m.Snapshot().Entries, 0)
	})
}

// K64: as many keys as you like, in bounded memory.
func TestMemoryIsBounded(t *testing.T) {
	m, _ := newMemory[int, [1024]byte](t, cache.MemoryConfig{Entries: 100}, nil)
	heap := func() uint64 {
		var s runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&s)
		return s.HeapAlloc
	}
	fill := func(from, to int) {
		for i := from; i < to; i++ {
			_ = m.Put(background, i, cache.Entry[[1024]byte]{Keep: time.Hour})
		}
	}
	fill(0, 1000)
	before := heap()
	fill(1000, scale(200_000, 20_000))
	if after := heap(); after > before+1<<20 {
		t.Errorf("heap: %d bytes before, %d after", before, after)
	}
	equal(t, "entries", m.Snapshot().Entries, 100)
	runtime.KeepAlive(m)
}
