package sgotel

import (
	"errors"
	"strings"

	"go.opentelemetry.io/otel/attribute"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/adaptive"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/hedge"
	"github.com/switchgear-go/switchgear/ratelimit"
	"github.com/switchgear-go/switchgear/retry"
	"github.com/switchgear-go/switchgear/throttle"
	"github.com/switchgear-go/switchgear/timeout"
)

// notes know the errors of the policies, each its own: the event for it, and whether it
// is there.
var notes = []func(error) (event string, pairs []attribute.KeyValue, ok bool){
	refusal,
	note(func(e *timeout.Error) (string, []attribute.KeyValue) {
		return EventTimedOut, []attribute.KeyValue{KeyPolicy.String("timeout"), KeyName.String(e.Name), KeyLimit.Float64(e.Limit.Seconds())}
	}),
	note(func(e *hedge.Error) (string, []attribute.KeyValue) {
		return EventFailed, []attribute.KeyValue{KeyPolicy.String("hedge"), KeyName.String(e.Name), KeyAttempts.Int(len(e.Attempts))}
	}),
	note(func(e *retry.Error) (string, []attribute.KeyValue) {
		return EventGaveUp, []attribute.KeyValue{KeyPolicy.String("retry"), KeyName.String(e.Name), KeyAttempts.Int(e.Attempts), KeyReason.String(e.Limit.String())}
	}),
}

func note[E error](describe func(E) (string, []attribute.KeyValue)) func(error) (string, []attribute.KeyValue, bool) {
	return func(err error) (string, []attribute.KeyValue, bool) {
		e, ok := errors.AsType[E](err)
		if !ok {
			return "", nil, false
		}
		name, pairs := describe(e)
		return name, pairs, true
	}
}

// refusal notes whatever matches [switchgear.ErrRejected].
func refusal(err error) (string, []attribute.KeyValue, bool) {
	if !errors.Is(err, switchgear.ErrRejected) {
		return "", nil, false
	}
	policy, name, reason := refusedBy(err)
	pairs := []attribute.KeyValue{KeyPolicy.String(policy)}
	if name != "" {
		pairs = append(pairs, KeyName.String(name))
	}
	if reason != "" {
		pairs = append(pairs, KeyReason.String(reason))
	}
	if wait, known := switchgear.RetryAfter(err); known {
		pairs = append(pairs, KeyRetryAfter.Float64(wait.Seconds()))
	}
	return EventRejected, pairs, true
}

// refusedBy returns who refused, and why.
func refusedBy(err error) (policy, name, reason string) {
	if r, ok := errors.AsType[*breaker.Rejection](err); ok {
		return "breaker", r.Name, strings.ToLower(r.State.String())
	}
	if r, ok := errors.AsType[*bulkhead.Rejection](err); ok {
		return "bulkhead", r.Name, r.Reason.String()
	}
	if r, ok := errors.AsType[*ratelimit.Rejection](err); ok {
		return "ratelimit", r.Name, strings.ReplaceAll(r.Reason.String(), " ", "_")
	}
	if r, ok := errors.AsType[*adaptive.Rejection](err); ok {
		return "adaptive", r.Name, "limit"
	}
	if r, ok := errors.AsType[*throttle.Rejection](err); ok {
		return "throttle", r.Name, ""
	}
	if r, ok := errors.AsType[*timeout.Rejection](err); ok {
		return "timeout", r.Name, r.Reason.String()
	}
	return "unknown", "", ""
}
