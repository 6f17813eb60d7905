package registry_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/registry"
)

const benchNames = 1_000

func filled(b *testing.B, cfg registry.Config) (*registry.Registry, []string) {
	b.Helper()
	r := newRegistry(b, cfg)
	names := make([]string, benchNames)
	for i := range names {
		names[i] = fmt.Sprintf("service-%d.example:8080", i)
		must(r.Breaker(names[i], breaker.Config{}))
	}
	return r, names
}

// A look-up beside the same in a sync.Map and in a map with a lock. The registry reads
// the clock as well, unless nothing expires.
func BenchmarkLookup(b *testing.B) {
	r, names := filled(b, registry.Config{})
	lasting, _ := filled(b, registry.Config{IdleAfter: off})
	var m sync.Map
	plain := map[string]registry.Entry{}
	for e := range r.Entries() {
		m.Store(e.Name, e)
		plain[e.Name] = e
	}
	var mu sync.RWMutex
	for _, way := range []struct {
		name string
		look func(string) bool
	}{
		{"registry", func(n string) bool { _, ok := r.Lookup(n); return ok }},
		{"registry, nothing expires", func(n string) bool { _, ok := lasting.Lookup(n); return ok }},
		{"sync.Map", func(n string) bool {
			v, ok := m.Load(n)
			_ = v.(registry.Entry)
			return ok
		}},
		{"map and RWMutex", func(n string) bool {
			mu.RLock()
			defer mu.RUnlock()
			_, ok := plain[n]
			return ok
		}},
	} {
		b.Run(way.name, func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for i := 0; pb.Next(); i++ {
					if !way.look(names[i%benchNames]) {
						b.Error("not found")
					}
				}
			})
		})
	}
}

// Asking for a breaker with its configuration, as a program may do with each call.
func BenchmarkBreaker(b *testing.B) {
	r, names := filled(b, registry.Config{})
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		_, _ = r.Breaker(names[i%benchNames], breaker.Config{})
	}
}

func BenchmarkMakeAndRemove(b *testing.B) {
	r := newRegistry(b, registry.Config{})
	b.ReportAllocs()
	for b.Loop() {
		_, _ = r.Breaker("stock", breaker.Config{})
		r.Remove("stock")
	}
}

func BenchmarkEntries(b *testing.B) {
	r, _ := filled(b, registry.Config{})
	b.ReportAllocs()
	for b.Loop() {
		for range r.Entries() {
		}
	}
}

// Names that are used once, in a registry that is full: each new one has the oldest go.
func BenchmarkNewNamesWhenFull(b *testing.B) {
	for _, size := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			c := clock.NewVirtual(start)
			r := newRegistry(b, registry.Config{Max: size, IdleAfter: time.Duration(size) * time.Second}, registry.WithClock(c))
			name := func(i int) string { return fmt.Sprintf("tenant-%d", i) }
			for i := range size {
				must(r.Breaker(name(i), breaker.Config{}))
				c.Advance(time.Second)
			}
			b.ReportAllocs()
			for i := size; b.Loop(); i++ {
				must(r.Breaker(name(i), breaker.Config{}))
				c.Advance(time.Second)
			}
		})
	}
}

// A new name that finds a full registry in use: the first one in a while looks at each
// entry, and those after it at none.
func BenchmarkNoRoom(b *testing.B) {
	r, _ := filled(b, registry.Config{})
	b.ReportAllocs()
	for b.Loop() {
		_, _ = r.Breaker("one too many", breaker.Config{})
	}
}
