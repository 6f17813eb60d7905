package bulkhead_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/bulkhead"
)

func TestRejection(t *testing.T) {
	t.Run("says in a line who refused, why, and how things stood", func(t *testing.T) {
		for _, tt := range []struct {
			r    bulkhead.Rejection
			want string
		}{
			{bulkhead.Rejection{Running: 10, Limit: 10}, `bulkhead "stock" is full: 10 of 10 calls running`},
			{bulkhead.Rejection{Running: 10, Limit: 10, Waiting: 20, MaxWaiting: 20},
				`bulkhead "stock" is full: 10 of 10 calls running, 20 of 20 waiting`},
			{bulkhead.Rejection{Reason: bulkhead.TimedOut, Running: 2, Limit: 1, MaxWaiting: 3, Waited: time.Second},
				`bulkhead "stock" had no room within 1s: 2 of 1 calls running, 0 of 3 waiting`},
			{bulkhead.Rejection{Reason: bulkhead.GaveUp, Running: 1, Limit: 1},
				`bulkhead "stock" had no room until the caller gave up: 1 of 1 calls running`},
			{bulkhead.Rejection{Running: 1, Limit: 1, Waiting: 1}, // the queue was taken away
				`bulkhead "stock" is full: 1 of 1 calls running, 1 of 0 waiting`},
		} {
			tt.r.Name = "stock"
			equal(t, "text", tt.r.Error(), tt.want)
		}
	})
	t.Run("tells the facts of its instant", func(t *testing.T) {
		r := newRig(t, bulkhead.Config{MaxConcurrent: 2, MaxWaiting: 3})
		r.taken()
		r.taken()
		facts := func(waiting int) bulkhead.Rejection {
			return bulkhead.Rejection{Name: "stock", Running: 2, Limit: 2, Waiting: waiting, MaxWaiting: 3}
		}
		for waiting := range 4 {
			equal(t, "facts", *r.refused(), facts(waiting))
			r.enqueue()
		}
	})
	t.Run("matches both sentinels and no other, and knows no hint", func(t *testing.T) {
		r := newRig(t, bulkhead.Config{MaxConcurrent: 1})
		r.taken()
		err := error(r.refused())
		equal(t, "package's", errors.Is(err, bulkhead.ErrRejected), true)
		equal(t, "project's", errors.Is(err, switchgear.ErrRejected), true)
		equal(t, "a context's", errors.Is(err, context.Canceled), false)
		_, known := switchgear.RetryAfter(err)
		equal(t, "hint", known, false)
		equal(t, "judged", switchgear.Judge(context.Background(), err, time.Now, nil),
			switchgear.Judgement{Health: switchgear.Ignored, Repeat: switchgear.RepeatNever})
	})
}

func TestReasonTexts(t *testing.T) {
	for _, r := range []bulkhead.Reason{bulkhead.Full, bulkhead.TimedOut, bulkhead.GaveUp} {
		text, err := r.MarshalText()
		equal(t, "marshal", err, nil)
		equal(t, "text", string(text), r.String())
		var back bulkhead.Reason
		equal(t, "unmarshal", back.UnmarshalText(text), nil)
		equal(t, "there and back", back, r)
	}
	unknown := bulkhead.Reason(7)
	equal(t, "unknown", unknown.String(), "reason(7)")
	if _, err := unknown.MarshalText(); err == nil {
		t.Error("an unknown reason has a name")
	}
	if unknown.UnmarshalText([]byte("tired")) == nil {
		t.Error("tired is taken for a reason")
	}
}
