package cache_test

import (
	"context"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/cache"
	"github.com/switchgear-go/switchgear/clock"
)

// plainMemory is the model of a Memory: a slice, the entry used last in front, and
// loops.
type plainMemory struct {
	entries, maxWeight int // maxWeight 0: not weighed
	list               []plainEntry
	count              cache.MemorySnapshot
}

type plainEntry struct {
	key, value int
	put, keep  time.Duration
}

func (p *plainMemory) weight() (sum int64) {
	for _, e := range p.list {
		sum += int64(e.value)
	}
	return sum
}

func (p *plainMemory) take(key int) (plainEntry, bool) {
	for i, e := range p.list {
		if e.key == key {
			p.list = slices.Delete(p.list, i, i+1)
			return e, true
		}
	}
	return plainEntry{}, false
}

func (p *plainMemory) get(key int, now time.Duration) (plainEntry, bool) {
	e, ok := p.take(key)
	if !ok {
		return e, false
	}
	if now-e.put >= e.keep {
		p.count.Expired++
		return e, false
	}
	p.list = slices.Insert(p.list, 0, e)
	return e, true
}

func (p *plainMemory) put(key, value int, now, keep time.Duration) {
	p.take(key)
	if keep <= 0 {
		return
	}
	if p.maxWeight > 0 && value > p.maxWeight {
		p.count.TooHeavy++
		return
	}
	p.list = slices.Insert(p.list, 0, plainEntry{key, value, now, keep})
	for len(p.list) > p.entries || p.maxWeight > 0 && p.weight() > int64(p.maxWeight) {
		p.list = p.list[:len(p.list)-1]
		p.count.Evicted++
	}
}

func TestMemoryModel(t *testing.T) {
	for seed := range uint64(scale(400, 60)) {
		r := rand.New(rand.NewPCG(seed, 1))
		p := &plainMemory{entries: 1 + r.IntN(8)}
		cfg := cache.MemoryConfig{Entries: p.entries}
		var weigh func(int, int) int
		if r.IntN(2) == 0 {
			p.maxWeight = 1 + r.IntN(30)
			cfg.MaxWeight = p.maxWeight
			weigh = func(_, v int) int { return v }
		}
		m, clk := newMemory(t, cfg, weigh)
		for step := range 400 {
			key, now := r.IntN(12), clk.Mono()
			switch r.IntN(5) {
			case 0, 1:
				e, ok, _ := m.Get(background, key)
				want, found := p.get(key, now)
				if ok != found || ok && (e.Value != want.value || e.Age != now-want.put || e.Keep != want.keep) {
					t.Fatalf("seed %d, step %d: Get(%d) = %+v, %v, want %+v, %v", seed, step, key, e, ok, want, found)
				}
			case 2, 3:
				value, keep := r.IntN(12), time.Duration(r.IntN(20))
				_ = m.Put(background, key, cache.Entry[int]{Value: value, Keep: keep})
				p.put(key, value, now, keep)
			default:
				clk.Advance(time.Duration(r.IntN(4)))
			}
			want := p.count
			want.Entries = len(p.list)
			if p.maxWeight > 0 {
				want.Weight = p.weight()
			}
			if got := m.Snapshot(); got != want {
				t.Fatalf("seed %d, step %d: snapshot %+v, want %+v", seed, step, got, want)
			}
		}
	}
}

// The model of a Cache: what was answered last for each key, and when.
func TestCacheModel(t *testing.T) {
	results := []error{nil, nil, errDown, refusal{}, switchgear.MarkSuccess(errNotFound)}
	spans := []time.Duration{off, 5 * time.Millisecond, 20 * time.Millisecond}
	for seed := range uint64(scale(400, 60)) {
		r := rand.New(rand.NewPCG(seed, 2))
		cfg := cache.Config{TTL: spans[r.IntN(3)], StaleFor: spans[r.IntN(3)]}
		if cfg.TTL == off && cfg.StaleFor == off {
			continue
		}
		clk := clock.NewVirtual(start)
		c := cache.Must(cache.New[int, int]("items", cfg, nil, cache.WithClock(clk)))
		ttl, staleFor := max(0, cfg.TTL), max(0, cfg.StaleFor)
		type answer struct {
			value int
			at    time.Duration
		}
		last := map[int]answer{}
		var count cache.Counters
		for step := range 300 {
			clk.Advance(time.Duration(r.IntN(6)) * time.Millisecond)
			key, value, result := r.IntN(4), r.IntN(1000), results[r.IntN(len(results))]
			called := false
			v, meta, err := cache.Do(context.Background(), c, key, func(context.Context) (int, error) {
				called = true
				return value, result
			})

			a, known := last[key]
			age := clk.Mono() - a.at
			wantV, wantMeta, wantErr, wantCalled := value, cache.Meta{Err: result}, result, true
			switch {
			case known && age < ttl:
				wantV, wantMeta, wantErr, wantCalled = a.value, cache.Meta{Cached: true, Age: age}, nil, false
				count.Fresh++
			case result == nil:
				last[key] = answer{value, clk.Mono()}
				count.Called++
			case result == results[4]:
				delete(last, key)
				count.Failed++
			case known && age < ttl+staleFor:
				wantV, wantMeta, wantErr = a.value, cache.Meta{Cached: true, Stale: true, Age: age, Err: result}, nil
				count.Stale++
			default:
				count.Failed++
			}
			if v != wantV || !reflect.DeepEqual(meta, wantMeta) || err != wantErr || called != wantCalled {
				t.Fatalf("seed %d, step %d: got %d, %+v, %v, called %v, want %d, %+v, %v, %v",
					seed, step, v, meta, err, called, wantV, wantMeta, wantErr, wantCalled)
			}
			if got := c.Counters(); got != count {
				t.Fatalf("seed %d, step %d: counters %+v, want %+v", seed, step, got, count)
			}
		}
	}
}
