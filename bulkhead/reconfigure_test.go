package bulkhead_test

import (
	"errors"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/event"
)

func TestReconfigure(t *testing.T) {
	t.Run("a higher limit admits those who wait, in order", func(t *testing.T) {
		r := newRig(t, bulkhead.Config{MaxConcurrent: 1, MaxWaiting: 5})
		r.taken()
		asks := []*ask{r.enqueue(), r.enqueue(), r.enqueue()}
		equal(t, "error", r.Reconfigure(bulkhead.Config{MaxConcurrent: 3, MaxWaiting: 5}), nil)
		equal(t, "first", asks[0].admitted(), true)
		equal(t, "second", asks[1].admitted(), true)
		equal(t, "third waits", asks[2].waiting(), true)
		r.now(3, 1)
	})
	t.Run("a lower limit lets running calls finish and begins no other before", func(t *testing.T) {
		r := newRig(t, bulkhead.Config{MaxConcurrent: 3, MaxWaiting: 5})
		permits := []*bulkhead.Permit{r.taken(), r.taken(), r.taken()}
		a := r.enqueue()
		equal(t, "error", r.Reconfigure(bulkhead.Config{MaxConcurrent: 1, MaxWaiting: 5}), nil)
		r.now(3, 1)
		equal(t, "facts", *r.refused(), bulkhead.Rejection{Name: "stock", Running: 3, Limit: 1, Waiting: 1, MaxWaiting: 5})
		permits[0].Release()
		permits[1].Release()
		equal(t, "waits", a.waiting(), true)
		r.now(1, 1)
		permits[2].Release()
		equal(t, "admitted", a.admitted(), true)
		r.now(1, 0)
	})
	t.Run("a refusal tells how many run over the new limit", func(t *testing.T) {
		r := newRig(t, bulkhead.Config{MaxConcurrent: 2})
		r.taken()
		r.taken()
		equal(t, "error", r.Reconfigure(bulkhead.Config{MaxConcurrent: 1}), nil)
		equal(t, "facts", *r.refused(), bulkhead.Rejection{Name: "stock", Running: 2, Limit: 1})
	})
	t.Run("a shorter queue, or none, leaves those who wait their place and their time", func(t *testing.T) {
		r := newRig(t, bulkhead.Config{MaxConcurrent: 1, MaxWaiting: 2, MaxWait: time.Second})
		p := r.taken()
		first, second := r.enqueue(), r.enqueue()
		equal(t, "error", r.Reconfigure(bulkhead.Config{MaxConcurrent: 1}), nil)
		r.now(1, 2)
		equal(t, "no other joins", rejection(t, r.enqueue().err).Waiting, 2)
		p.Release()
		equal(t, "first", first.admitted(), true)
		r.clock.Advance(time.Second)
		equal(t, "second", rejection(t, second.err).Waited, time.Second)
	})
	t.Run("another MaxWait is for those who come later", func(t *testing.T) {
		r := newRig(t, bulkhead.Config{MaxConcurrent: 1, MaxWaiting: 2, MaxWait: time.Minute})
		r.taken()
		first := r.enqueue()
		equal(t, "error", r.Reconfigure(bulkhead.Config{MaxConcurrent: 1, MaxWaiting: 2, MaxWait: time.Second}), nil)
		second := r.enqueue()
		r.clock.Advance(time.Second)
		equal(t, "first waits", first.waiting(), true)
		equal(t, "second", rejection(t, second.err).Reason, bulkhead.TimedOut)
		r.clock.Advance(time.Minute)
		equal(t, "first", rejection(t, first.err).Waited, time.Minute)
	})
	t.Run("is told to the listeners once, and not at all if nothing changes", func(t *testing.T) {
		r := newRig(t, bulkhead.Config{MaxConcurrent: 1})
		equal(t, "error", r.Reconfigure(bulkhead.Config{MaxConcurrent: 1, MaxWaiting: off}), nil)
		equal(t, "events", len(r.heard), 0)
		equal(t, "error", r.Reconfigure(bulkhead.Config{MaxConcurrent: 2, MaxWaiting: 2_000_000}), nil)
		equal(t, "events", len(r.heard), 2)
		equal(t, "kinds", []event.Kind{r.heard[0].Kind, r.heard[1].Kind}, []event.Kind{event.Reconfigured, event.Warning})
		d, ok := r.heard[0].Detail.(*bulkhead.Reconfiguration)
		equal(t, "detail", ok, true)
		equal(t, "text", d.String(), "MaxConcurrent: 1 → 2, MaxWaiting: off → 2000000, MaxWait: off → 1s")
		equal(t, "new", d.New, r.Config())
	})
	t.Run("is all or nothing", func(t *testing.T) {
		r := newRig(t, bulkhead.Config{MaxConcurrent: 1})
		before := r.Config()
		err := r.Reconfigure(bulkhead.Config{MaxConcurrent: 5, MaxWaiting: -3})
		equal(t, "error", errors.Is(err, switchgear.ErrConfig), true)
		equal(t, "configuration", r.Config(), before)
		equal(t, "events", len(r.heard), 0)
		r.taken()
		r.refused()
	})
	t.Run("a listener may use the bulkhead", func(t *testing.T) {
		var b *bulkhead.Bulkhead
		seen := 0
		b = bulkhead.Must(bulkhead.New("stock", bulkhead.Config{}, bulkhead.WithListener(event.Func(func(event.Event) {
			seen = b.Snapshot().Limit
			_ = b.Reconfigure(bulkhead.Config{MaxConcurrent: 7})
		}))))
		equal(t, "error", b.Reconfigure(bulkhead.Config{MaxConcurrent: 5}), nil)
		equal(t, "limit seen last", seen, 7)
	})
}
