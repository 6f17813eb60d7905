package timeout

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/switchgear-go/switchgear/clock"
)

// What Keep does must not depend on the clock.
func TestKeep(t *testing.T) {
	type rig struct {
		*Timeout
		pass func(time.Duration)
	}
	onBoth := func(t *testing.T, name string, f func(*testing.T, rig)) {
		cfg := Config{Limit: time.Second}
		t.Run(name+", on the real clock", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f(t, rig{Must(New("stock", cfg)), func(d time.Duration) { time.Sleep(d); synctest.Wait() }})
			})
		})
		t.Run(name+", in virtual time", func(t *testing.T) {
			v := clock.NewVirtual(time.Date(2030, time.May, 1, 12, 0, 0, 0, time.UTC))
			f(t, rig{Must(New("stock", cfg, WithClock(v))), v.Advance})
		})
	}
	open := func(t *testing.T, r rig, ctx context.Context) Handle {
		t.Helper()
		h, err := r.Open(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	background := context.Background()

	onBoth(t, "the limit is lifted", func(t *testing.T, r rig) {
		h := open(t, r, background)
		r.pass(time.Second - 1)
		end, err := h.Keep(nil, false)
		if err != nil {
			t.Fatal(err)
		}
		r.pass(time.Hour)
		if err := h.Ctx.Err(); err != nil {
			t.Errorf("an hour later: %v", err)
		}
		h.Release() // it has ended: nothing
		if err := h.Ctx.Err(); err != nil {
			t.Errorf("after Release: %v", err)
		}
		end()
		end()
		if err := h.Ctx.Err(); err != context.Canceled {
			t.Errorf("at the end: got %v, want %v", err, context.Canceled)
		}
		if n := r.Counters().TimedOut; n != 0 {
			t.Errorf("timed out: got %d", n)
		}
	})
	onBoth(t, "or holds for the answer too", func(t *testing.T, r rig) {
		h := open(t, r, background)
		end, err := h.Keep(nil, true)
		if err != nil {
			t.Fatal(err)
		}
		defer end()
		r.pass(time.Second)
		if err := h.Ctx.Err(); err != context.DeadlineExceeded || !errors.Is(context.Cause(h.Ctx), ErrTimeout) {
			t.Errorf("at the limit: got %v, because of %v", err, context.Cause(h.Ctx))
		}
	})
	onBoth(t, "the caller may still give up", func(t *testing.T, r rig) {
		ctx, cancel := context.WithCancel(background)
		h := open(t, r, ctx)
		end, err := h.Keep(nil, false)
		if err != nil {
			t.Fatal(err)
		}
		defer end()
		cancel()
		if err := h.Ctx.Err(); err != context.Canceled {
			t.Errorf("got %v, want %v", err, context.Canceled)
		}
	})
	onBoth(t, "a deadline of the caller's is not lifted", func(t *testing.T, r rig) {
		ctx, cancel := context.WithDeadline(background, r.clk.Now().Add(time.Second/2))
		defer cancel()
		h := open(t, r, ctx)
		if _, err := h.Keep(nil, false); err != nil {
			t.Fatal(err)
		}
		if d, ok := h.Ctx.Deadline(); !ok || !d.Equal(r.clk.Now().Add(time.Second/2)) {
			t.Errorf("deadline: got %v, %v", d, ok)
		}
	})
	onBoth(t, "K37: a call at the limit is ended", func(t *testing.T, r rig) {
		h := open(t, r, background)
		r.pass(time.Second)
		end, err := h.Keep(nil, false)
		if !errors.Is(err, ErrTimeout) || end != nil {
			t.Errorf("got %v, want %v", err, ErrTimeout)
		}
		if h.Ctx.Err() == nil {
			t.Error("its context has not ended")
		}
	})
	onBoth(t, "an error is returned, and the context ends", func(t *testing.T, r rig) {
		h := open(t, r, background)
		boom := errors.New("boom")
		end, err := h.Keep(boom, false)
		if err != boom || end != nil || h.Ctx.Err() != context.Canceled {
			t.Errorf("got %v, context %v", err, h.Ctx.Err())
		}
		if _, err := h.Keep(nil, false); err != nil {
			t.Errorf("again: %v", err)
		}
	})
}
