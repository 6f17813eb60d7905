package sgotel

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/fallback"
)

// The events that are added to spans.
const (
	EventRetry    = "switchgear.retry"     // a second or later attempt begins
	EventHedge    = "switchgear.hedge"     // an attempt begins beside another
	EventProbe    = "switchgear.probe"     // a first attempt begins by which a breaker decides
	EventRejected = "switchgear.rejected"  // a policy refused the call
	EventTimedOut = "switchgear.timed_out" // a limit on time was exceeded
	EventGaveUp   = "switchgear.gave_up"   // a retry ended at a limit
	EventFailed   = "switchgear.failed"    // several attempts of a hedge failed
	EventFallback = "switchgear.fallback"  // a fallback answered
)

// The attributes of these events.
const (
	// KeyPolicy is the kind of policy, such as "breaker", and KeyName its name.
	KeyPolicy = attribute.Key("switchgear.policy")
	KeyName   = attribute.Key("switchgear.name")
	// KeyReason is why a call was refused, and what the limit of a retry was, in a word.
	KeyReason = attribute.Key("switchgear.reason")
	// KeyRetryAfter is the time in seconds after which it makes sense to come back.
	KeyRetryAfter = attribute.Key("switchgear.retry_after")
	// KeyLimit is a limit on time, in seconds.
	KeyLimit = attribute.Key("switchgear.limit")
	// KeyAttempt is the number of an attempt, from 1, and KeyAttempts how many were made.
	KeyAttempt  = attribute.Key("switchgear.attempt")
	KeyAttempts = attribute.Key("switchgear.attempts")
	// KeyProbe is whether a breaker in HALF_OPEN decides by the attempt.
	KeyProbe = attribute.Key("switchgear.probe")
	// KeyFallback is the name of the handler or provider that answered.
	KeyFallback = attribute.Key("switchgear.fallback")
)

// Attempt returns fn, which runs inside a policy, with an event on the span of its
// context for each attempt that is not a plain first one. Results go through as they
// are.
func Attempt[T any](fn func(context.Context) (T, error)) func(context.Context) (T, error) {
	return func(ctx context.Context) (T, error) {
		if a, known := switchgear.AttemptOf(ctx); known {
			began(ctx, a)
		}
		return fn(ctx)
	}
}

func began(ctx context.Context, a switchgear.Attempt) {
	var name string
	switch {
	case a.Hedge:
		name = EventHedge
	case a.Number > 1:
		name = EventRetry
	case a.Probe:
		name = EventProbe
	default:
		return
	}
	if span := trace.SpanFromContext(ctx); span.IsRecording() {
		span.AddEvent(name, trace.WithAttributes(KeyAttempt.Int(a.Number), KeyProbe.Bool(a.Probe)))
	}
}

// Ended adds events to the span of ctx for what policies have done to a call that
// returned err: for a refusal, an exceeded limit on time, a retry that gave up, a hedge
// whose attempts failed. Of several of one kind it notes the outermost. Other errors,
// and nil, add nothing.
func Ended(ctx context.Context, err error) {
	if err == nil {
		return
	}
	span := trace.SpanFromContext(ctx)
	if !span.IsRecording() {
		return
	}
	for _, note := range notes {
		if name, pairs, ok := note(err); ok {
			span.AddEvent(name, trace.WithAttributes(pairs...))
		}
	}
}

// FellBack adds an event to the span of ctx if a fallback answered, after those for the
// error that it hides, as [Ended] adds them. Otherwise it adds nothing: the error is then
// the caller's.
func FellBack(ctx context.Context, meta fallback.Meta) {
	if meta.Fallback == "" {
		return
	}
	Ended(ctx, meta.Err)
	if span := trace.SpanFromContext(ctx); span.IsRecording() {
		span.AddEvent(EventFallback, trace.WithAttributes(KeyFallback.String(meta.Fallback)))
	}
}
