package pipeline

import (
	"github.com/switchgear-go/switchgear/adaptive"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/hedge"
	"github.com/switchgear-go/switchgear/inject"
	"github.com/switchgear-go/switchgear/ratelimit"
	"github.com/switchgear-go/switchgear/retry"
	"github.com/switchgear-go/switchgear/throttle"
	"github.com/switchgear-go/switchgear/timeout"
)

// Config is the common pipeline: which policies, and what each should do. It is plain
// data. A policy whose field is nil is not there; a pointer to a zero value means its
// own defaults. The policies stand in the order of the fields, the outermost first; see
// the package comment for why.
//
// [Interactive] and its neighbours return configurations for common jobs.
type Config struct {
	// Total limits the time of the whole call, with all attempts and waits.
	Total *timeout.Config

	// RateLimit bounds how many calls begin in a time. Retries and hedges are not
	// counted; the Budget bounds them.
	RateLimit *ratelimit.Config

	// Adaptive bounds the calls under way by a limit that it finds itself.
	Adaptive *adaptive.Config

	// Throttle refuses calls with a probability when the dependency refuses many.
	Throttle *throttle.Config

	// Retry makes calls again that failed.
	Retry *retry.Config

	// Hedge makes a second attempt of calls that are marked safe and slow.
	Hedge *hedge.Config

	// Budget bounds the extra attempts that Retry and Hedge make together.
	Budget *budget.Config

	// Breaker refuses calls to a dependency that is down. Its HalfOpen.ProbeLimit is by
	// default at least the limit on what it admits.
	Breaker *breaker.Config

	// Bulkhead bounds the attempts under way.
	Bulkhead *bulkhead.Config

	// Attempt limits the time of each attempt.
	Attempt *timeout.Config

	// Inject makes faults, for tests and game days. It is off until it is switched on:
	// see [Pipeline.Injector].
	Inject *inject.Config

	// RetryInsideBreaker changes the order: the breaker stands outside the retry, and
	// sees one outcome of each call, that of its last attempt. A probe then makes one
	// attempt only, and a loop whose period has ended makes no further one. It needs
	// Retry and Breaker.
	RetryInsideBreaker bool

	// Accept overrules checks: what they would refuse is meant that way.
	Accept []Check
}
