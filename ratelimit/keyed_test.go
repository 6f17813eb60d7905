package ratelimit_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/ratelimit"
)

type keyedRig struct {
	*ratelimit.Keyed
	clock *clock.Virtual
	heard []event.Event
}

func newKeyedRig(t testing.TB, limit ratelimit.Config, keys int) *keyedRig {
	t.Helper()
	r := &keyedRig{clock: clock.NewVirtual(start)}
	k, err := ratelimit.NewKeyed("tenants", ratelimit.KeyedConfig{Limit: limit, MaxKeys: keys},
		ratelimit.WithClock(r.clock), ratelimit.WithListener(event.Func(func(e event.Event) { r.heard = append(r.heard, e) })))
	if err != nil {
		t.Fatalf("NewKeyed: %v", err)
	}
	r.Keyed = k
	return r
}

func (r *keyedRig) admits(key string, n int) (admitted int) {
	for range n {
		if r.Allow(key) == nil {
			admitted++
		}
	}
	return admitted
}

func TestKeyed(t *testing.T) {
	both(t, "a limit for each", bucket(10, 3), func(t *testing.T, cfg ratelimit.Config) {
		r := newKeyedRig(t, cfg, 10)
		for _, key := range []string{"ana", "ben", ""} {
			equal(t, key, r.admits(key, 9), 3)
		}
		s := r.Snapshot()
		equal(t, "keys", s.Keys, 3)
		equal(t, "counts", s.Counters, ratelimit.Counters{Admitted: 9, Refused: 18})
		ana, ok := r.KeySnapshot("ana")
		equal(t, "ana is known", ok, true)
		equal(t, "what ana has", ana.Available, 0)
		_, ok = r.KeySnapshot("cem")
		equal(t, "cem is not", ok, false)
	})
	t.Run("a rejection names the key", func(t *testing.T) {
		r := newKeyedRig(t, bucket(10, 1), 10)
		r.admits("a\"na", 1)
		err := r.Allow("a\"na")
		equal(t, "text", err.Error(), `ratelimit "tenants" for "a\"na" is used up: 10 calls a second, at most 1 at once; next in 100ms`)
		retryAfter(t, err, 100*ms)
	})
	both(t, "a new key takes the place of one at rest", bucket(1, 2), func(t *testing.T, cfg ratelimit.Config) {
		r := newKeyedRig(t, cfg, 2)
		r.admits("ana", 1)
		r.admits("ben", 1)
		equal(t, "cem shares", r.admits("cem", 9), 2)
		equal(t, "shared", r.Snapshot().Shared, 9)
		r.clock.Advance(2 * time.Second)
		r.admits("ben", 1)
		equal(t, "cem has his own", r.admits("cem", 9), 2)
		equal(t, "replaced", r.Snapshot().Replaced, 1)
		_, ok := r.KeySnapshot("ana")
		equal(t, "ana is gone", ok, false)
		equal(t, "ben kept his", r.admits("ben", 9), 1)
		equal(t, "keys", r.Snapshot().Keys, 2)
	})
	t.Run("one that waits is not at rest", func(t *testing.T) {
		r := newKeyedRig(t, bucket(1, 1), 1)
		r.admits("ana", 1)
		if _, err := r.Reserve("ana", 1, time.Minute); err != nil {
			t.Fatal(err)
		}
		r.clock.Advance(2*time.Second - 1)
		r.admits("ben", 1)
		equal(t, "replaced", r.Snapshot().Replaced, 0)
		r.clock.Advance(1)
		r.admits("ben", 1)
		equal(t, "replaced", r.Snapshot().Replaced, 1)
	})
	t.Run("used limiters without refill never give way", func(t *testing.T) {
		r := newKeyedRig(t, bucket(off, 1), 1)
		r.admits("ana", 1)
		r.clock.Advance(10_000 * time.Hour)
		r.admits("ben", 1)
		equal(t, "replaced", r.Snapshot().Replaced, 0)
		equal(t, "ana", r.admits("ana", 1), 0)
	})
	t.Run("long keys share", func(t *testing.T) {
		r := newKeyedRig(t, bucket(10, 3), 10)
		equal(t, "long", r.admits(strings.Repeat("x", 1025), 2)+r.admits(strings.Repeat("y", 5000), 9), 3)
		equal(t, "keys", r.Snapshot().Keys, 0)
		equal(t, "key in the rejection", refused(t, r.Allow(strings.Repeat("x", 1025))).Key, ratelimit.OtherKeys)
		equal(t, "not so long", r.admits(strings.Repeat("x", 1024), 9), 3)
	})
	t.Run("a shortage is told once a minute", func(t *testing.T) {
		r := newKeyedRig(t, bucket(off, 1), 1)
		for range 150 {
			r.admits("ana", 1)
			r.admits("ben", 1)
			r.clock.Advance(time.Second)
		}
		equal(t, "events", len(r.heard), 3)
		equal(t, "reason", r.heard[0].Reason, "all 1 keys are in use, so further keys share one limit")
		equal(t, "remembered", r.Events(), r.heard)
	})
	t.Run("waiting and doing", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			k := ratelimit.MustKeyed(ratelimit.NewKeyed("tenants", ratelimit.KeyedConfig{Limit: ratelimit.Config{Rate: 10, Burst: 1, MaxWait: time.Second}}))
			began := time.Now()
			for i := range 3 {
				n, err := ratelimit.DoKey(context.Background(), k, "ana", func(context.Context) (int, error) { return 42, nil })
				equal(t, "result", n, 42)
				equal(t, "error", err, nil)
				equal(t, "waited", time.Since(began), time.Duration(i)*100*ms)
			}
			boom := errors.New("boom")
			equal(t, "another key", k.Do(context.Background(), "ben", func(context.Context) error { return boom }), boom)
			ctx, cancel := context.WithCancel(context.Background())
			time.AfterFunc(10*ms, cancel)
			err := k.Do(ctx, "ben", func(context.Context) error { t.Error("it runs"); return nil })
			equal(t, "gone while waiting", refused(t, err).Reason, ratelimit.CallerGone)
			_, err = ratelimit.DoKey(ctx, k, "ben", func(context.Context) (int, error) { t.Error("it runs"); return 0, nil })
			equal(t, "gone before", refused(t, err).Key, "ben")
			equal(t, "too many", refused(t, k.AllowN("ben", 2)).Reason, ratelimit.TooMany)
			equal(t, "name", k.Name(), "tenants")
		})
	})
}

// K64: one limiter for each of an unbounded number of keys is a leak that anybody can
// open from outside.
func TestK64(t *testing.T) {
	t.Run("K64: a flood of keys", func(t *testing.T) {
		r := newKeyedRig(t, bucket(1, 5), 0)
		r.admits("ana", 3)
		before := heap()
		admitted := 0
		for i := range 100_000 {
			admitted += r.admits(fmt.Sprintf("/path/%d", i), 1)
		}
		grown := int64(heap()) - int64(before)
		s := r.Snapshot()
		equal(t, "keys", s.Keys, 1024)
		equal(t, "admitted: one for each place, and one limit for the rest", admitted, 1023+5)
		equal(t, "shared", s.Shared, 100_000-1023)
		if grown > 50<<20 {
			t.Errorf("the heap has grown by %d bytes", grown)
		}
		equal(t, "ana's limit is hers still", r.admits("ana", 9), 2)
		equal(t, "events", len(r.heard), 1)
	})
	t.Run("K64: over time, each in the place of one at rest", func(t *testing.T) {
		r := newKeyedRig(t, bucket(10, 1), 100)
		for i := range 10_000 {
			equal(t, "admitted", r.admits(fmt.Sprint("host-", i), 1), 1)
			r.clock.Advance(2 * ms) // 50 are in use at a time
		}
		s := r.Snapshot()
		equal(t, "keys", s.Keys, 100)
		equal(t, "shared", s.Shared, 0)
		equal(t, "replaced", s.Replaced, 9_900)
	})
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
