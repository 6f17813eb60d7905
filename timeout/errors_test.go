package timeout_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/timeout"
)

func TestErrorText(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want string
	}{
		{&timeout.Error{Name: "stock", Limit: time.Second, Elapsed: time.Second},
			`timeout "stock": not done within 1s`},
		{&timeout.Error{Name: "stock", Limit: time.Second, Elapsed: time.Second + 204_300*time.Microsecond},
			`timeout "stock": not done within 1s (took 1.204s)`},
		{&timeout.Error{Name: "stock", Limit: time.Second, Elapsed: time.Second + 1, Err: errDown},
			`timeout "stock": not done within 1s: connection refused`},
		{&timeout.Error{Name: "stock", Limit: 5, Elapsed: 7}, `timeout "stock": not done within 5ns (took 7ns)`},
		{&timeout.Rejection{Name: "stock", Left: 3 * ms, Minimum: 10 * ms},
			`timeout "stock" refuses the call: the caller's deadline leaves 3ms, at least 10ms are needed`},
		{&timeout.Rejection{Name: "stock", Reason: timeout.TooManyAbandoned, Abandoned: 101, MaxAbandoned: 100},
			`timeout "stock" refuses calls: 101 functions left behind are still running, 100 may be`},
	} {
		equal(t, "text", tt.err.Error(), tt.want)
	}
}

func TestErrorMatches(t *testing.T) {
	err := fmt.Errorf("stock: %w", &timeout.Error{Name: "stock", Limit: 1, Elapsed: 1, Err: errDown})
	matches(t, err, timeout.ErrTimeout, context.DeadlineExceeded, errDown)
	matches(t, &timeout.Error{}, timeout.ErrTimeout, context.DeadlineExceeded)
	if e, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](err); !ok || !e.Timeout() {
		t.Errorf("%v does not say that it is a timeout", err)
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		t.Error("a timeout must not claim to be temporary")
	}
	matches(t, &timeout.Rejection{}, timeout.ErrRejected, switchgear.ErrRejected)
	_, known := switchgear.RetryAfter(&timeout.Rejection{})
	equal(t, "wait known", known, false)
}

// What the function had to say is judged through the timeout, as long as it does
// not turn a timeout into a success.
func TestErrorIsJudged(t *testing.T) {
	now := func() time.Time { return time.Time{} }
	for _, tt := range []struct {
		name string
		err  error // what the function returned
		want switchgear.Judgement
	}{
		{"nothing", nil, switchgear.Judgement{Health: switchgear.Failure, Repeat: switchgear.RepeatYes}},
		{"a failure", errDown, switchgear.Judgement{Health: switchgear.Failure, Repeat: switchgear.RepeatYes}},
		{"a hint", switchgear.WithRetryAfter(errDown, time.Second),
			switchgear.Judgement{Health: switchgear.Failure, Repeat: switchgear.RepeatYes, NotBefore: time.Second}},
		{"never again", switchgear.MarkFinal(errDown), switchgear.Judgement{Health: switchgear.Failure, Repeat: switchgear.RepeatNever}},
		{"a refusal, which is local", fmt.Errorf("full: %w", switchgear.ErrRejected),
			switchgear.Judgement{Health: switchgear.Ignored, Repeat: switchgear.RepeatNever}},
		{"a mistake of ours", switchgear.MarkIgnored(errDown), switchgear.Judgement{Health: switchgear.Ignored, Repeat: switchgear.RepeatNever}},
		{"K37: a good answer that came too late", switchgear.MarkSuccess(errDown),
			switchgear.Judgement{Health: switchgear.Failure, Repeat: switchgear.RepeatYes}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			to := timeout.Must(timeout.New("stock", timeout.Config{Limit: 10}))
			err := to.Judge(0, 10, tt.err)
			equal(t, "what the function returned", timedOut(t, err).Err, tt.err)
			equal(t, "judgement", switchgear.Judge(context.Background(), err, now, nil), tt.want)
		})
	}
}

func TestReason(t *testing.T) {
	for r, name := range map[timeout.Reason]string{
		timeout.TooLittleTime: "too_little_time", timeout.TooManyAbandoned: "too_many_abandoned",
	} {
		text, err := r.MarshalText()
		equal(t, "error", err, nil)
		equal(t, "text", string(text), name)
		equal(t, "string", r.String(), name)
		back := timeout.Reason(9)
		equal(t, "error", back.UnmarshalText(text), nil)
		equal(t, "reason", back, r)
	}
	equal(t, "another", timeout.Reason(9).String(), "Reason(9)")
	if _, err := timeout.Reason(9).MarshalText(); err == nil {
		t.Error("a reason that there is not was written")
	}
	var r timeout.Reason
	if err := r.UnmarshalText([]byte("fatigue")); err == nil {
		t.Error("a reason that there is not was read")
	}
}
