package cache_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/cache"
)

// The baseline: what any map that goroutines share costs.
func BenchmarkMapUnderMutex(b *testing.B) {
	var mu sync.Mutex
	m := map[string]int{"a": 1}
	b.ReportAllocs()
	for b.Loop() {
		mu.Lock()
		_ = m["a"]
		mu.Unlock()
	}
}

func BenchmarkDo(b *testing.B) {
	ctx := context.Background()
	good := func(context.Context) (int, error) { return 1, nil }
	bad := func(context.Context) (int, error) { return 0, errDown }
	for _, bb := range []struct {
		name string
		cfg  cache.Config
		call func(context.Context) (int, error)
	}{
		{"fresh", cache.Config{TTL: time.Hour}, good},
		{"called and stored", cache.Config{}, good},
		{"stale", cache.Config{}, bad},
	} {
		c := cache.Must(cache.New[string, int]("items", bb.cfg, nil))
		_, _, _ = cache.Do(ctx, c, "a", good)
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _, _ = cache.Do(ctx, c, "a", bb.call)
			}
		})
		b.Run(bb.name+", parallel", func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					_, _, _ = cache.Do(ctx, c, "a", bb.call)
				}
			})
		})
	}
}

// A new key every time, in a memory that is full: O(1), whatever its size.
func BenchmarkMemoryEvict(b *testing.B) {
	for _, entries := range []int{10, 1000, 100_000} {
		b.Run(fmt.Sprint("entries=", entries), func(b *testing.B) {
			m, err := cache.NewMemory[int, int](cache.MemoryConfig{Entries: entries}, nil)
			if err != nil {
				b.Fatal(err)
			}
			for i := range entries {
				_ = m.Put(background, -i, cache.Entry[int]{Keep: time.Hour})
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				_ = m.Put(background, i, cache.Entry[int]{Keep: time.Hour})
			}
		})
	}
}
