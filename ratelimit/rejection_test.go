package ratelimit_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/ratelimit"
)

func TestRejection(t *testing.T) {
	texts := []struct {
		want string
		cfg  ratelimit.Config
		wait time.Duration
		n    int
	}{
		{`ratelimit "stock" is used up: 10 calls a second, at most 2 at once; next in 100ms`, bucket(10, 2), 0, 1},
		{`ratelimit "stock" is used up: 0.5 calls a second, at most 2 at once; next in 2s, later than the 1.5s allowed`, bucket(0.5, 2), 1500 * ms, 1},
		{`ratelimit "stock" is used up: 0.01 calls a second, at most 2 at once; next in 1m40s`, bucket(0.01, 2), 0, 1},
		{`ratelimit "stock" is used up: 1000000 calls a second, at most 2 at once; next in 1µs`, bucket(1e6, 2), 0, 1},
		{`ratelimit "stock" is used up for good: 2 calls in all`, bucket(off, 2), 0, 1},
		{`ratelimit "stock" never admits 3 at once: its burst is 2`, bucket(10, 2), 0, 3},
	}
	for _, tt := range texts {
		r := newRig(t, tt.cfg)
		r.drain(2)
		_, err := r.Reserve(tt.n, tt.wait)
		equal(t, "text", err.Error(), tt.want)
		equal(t, "sentinel", errors.Is(err, ratelimit.ErrRejected), true)
		equal(t, "sentinel of all", errors.Is(err, switchgear.ErrRejected), true)
		rejection := refused(t, err)
		equal(t, "name", rejection.Name, "stock")
		equal(t, "requested", rejection.Requested, tt.n)
		equal(t, "wait", rejection.MaxWait, tt.wait)
	}
	t.Run("the time to come back runs down, and is right", func(t *testing.T) {
		r := newRig(t, bucket(10, 5))
		r.drain(5)
		err := r.AllowN(3)
		retryAfter(t, err, 300*ms)
		r.clock.Advance(200 * ms)
		retryAfter(t, err, 100*ms)
		r.clock.Advance(100*ms - 1)
		refused(t, r.AllowN(3))
		r.clock.Advance(1)
		retryAfter(t, err, 0)
		equal(t, "admitted", r.AllowN(3), nil)
	})
	t.Run("a local reason is not held against the dependency", func(t *testing.T) {
		r := newRig(t, bucket(10, 1))
		r.drain(1)
		j := switchgear.Judge(context.Background(), r.Allow(), r.clock.Now, nil)
		equal(t, "health", j.Health, switchgear.Ignored)
		equal(t, "repeat", j.Repeat, switchgear.RepeatNever)
		equal(t, "not before", j.NotBefore, 100*ms)
	})
	for want, reason := range map[string]ratelimit.Reason{
		"used up": ratelimit.UsedUp, "too many": ratelimit.TooMany, "caller gone": ratelimit.CallerGone,
	} {
		equal(t, "reason", reason.String(), want)
	}
}

func TestSnapshot(t *testing.T) {
	t.Run("a bucket", func(t *testing.T) {
		r := newRig(t, bucket(10, 4))
		equal(t, "name", r.Name(), "stock")
		equal(t, "full", r.Snapshot(), ratelimit.Snapshot{Available: 4, Burst: 4})
		r.drain(4)
		equal(t, "empty", r.Snapshot().Next, 100*ms)
		r.clock.Advance(50 * ms)
		equal(t, "half a token", r.Snapshot().Available, 0.5)
		r.reserved(2, time.Second)
		s := r.Snapshot()
		equal(t, "reserved ahead", s.Available, 0)
		equal(t, "the next after that", s.Next, 250*ms)
		equal(t, "counts", s.Counters, ratelimit.Counters{Admitted: 5, Delayed: 1, Refused: 1})
	})
	t.Run("a window", func(t *testing.T) {
		r := newRig(t, window(4, 4))
		r.AllowN(3)
		equal(t, "available", r.Snapshot().Available, 1)
		equal(t, "next", r.Snapshot().Next, 0)
		r.clock.Advance(300 * ms)
		equal(t, "the last", r.Allow(), nil)
		equal(t, "next", r.Snapshot().Next, 700*ms)
		r.clock.Advance(700 * ms)
		equal(t, "available", r.Snapshot().Available, 3)
	})
	t.Run("as a document", func(t *testing.T) {
		text, err := json.Marshal(newRig(t, bucket(10, 4)).Snapshot())
		equal(t, "error", err, nil)
		equal(t, "text", string(text), `{"available":4,"burst":4,"next":0,"admitted":0,"delayed":0,"cancelled":0,"refused":0}`)
	})
}
