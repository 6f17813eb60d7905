package sim

import (
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/adaptive"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/hedge"
	"github.com/switchgear-go/switchgear/ratelimit"
	"github.com/switchgear-go/switchgear/retry"
	"github.com/switchgear-go/switchgear/throttle"
)

// Config is one scenario: who calls, how often, whom, and what goes wrong when.
// It is plain data; a zero field means the default its comment names. [New]
// validates all of it at once.
//
// The client calls the first service, which calls the second, and so on: client →
// A → B → C. A call is answered when the whole rest of the chain has answered.
type Config struct {
	// Name appears in errors and results. Default "scenario".
	Name string

	// Duration is how long calls arrive. Calls in progress at its end are seen to
	// theirs. Default 60 s; from 1 ms to 30 days.
	Duration time.Duration

	// Generator makes the random numbers. Default [PCG].
	Generator Generator

	// Load says how calls arrive at the client.
	Load Load

	// Client is who calls.
	Client Client

	// Services are the chain, from the client's dependency on. At least 1, at most
	// 16. Default: one service with all defaults.
	Services []Service

	// Windows are stretches of time to sum up separately. Default, if a service
	// has faults: before the first begins, from there to the end of the last, and
	// after it. At most 32. The one named "fault" is what figures of a fault are
	// about, or else the one that shares most time with the faults: [Config.Fault].
	Windows []Window

	// Row is the length of the rows into which a run is divided. Default 1 s, and
	// more if there were more than 3,600 rows otherwise; from 1 ms.
	Row time.Duration
}

// Load says how calls arrive at the client.
type Load struct {
	// Kind is the sort of load. Default [Poisson].
	Kind LoadKind

	// Rate is the number of calls a second of [Poisson] and [Constant]. Default
	// 50; from 0.001 to 10,000,000, and 10,000,000,000 calls in all.
	Rate float64

	// Size is the number of calls of each of the [Bursts]. Default 100; at most
	// 100,000, and 10,000,000,000 calls in all.
	Size int
	// Every is the time from one of the [Bursts] to the next, the first being at
	// once. Default 1 s; from 1 ms.
	Every time.Duration

	// Users is the number of users of a [Closed] load. Default 50; at most
	// 100,000.
	Users int
	// Think is how long a user thinks before each call. Default: exponential with
	// a mean of 1 s. All users together must not be able to make more than
	// 10,000,000,000 calls by thinking alone.
	Think Distribution

	// Arrivals are the instants of a [Recorded] load, from the start of the run,
	// in order. Those at the end of Duration or later are left out.
	Arrivals []time.Duration
}

// Distribution is a random duration.
type Distribution struct {
	// Kind is the shape. Default [Exponential].
	Kind DistributionKind
	// Mean is the arithmetic mean of all shapes but [Empirical]. From 1 ns to 30
	// days. Default 20 ms for services, 1 s for thinking.
	Mean time.Duration
	// Sigma is the standard deviation of the logarithm of a [LogNormal]. Default
	// 1; from 0.01 to 5.
	Sigma float64
	// Values are what an [Empirical] distribution draws from, at most 1,000,000.
	Values []time.Duration
}

// Client is who calls: one program, or a fleet of equal ones.
type Client struct {
	// Instances is the number of programs. Each has workers, waiting places and
	// policies of its own. A call arrives at one of them by chance. Default 1; at
	// most 10,000.
	Instances int
	// Pool bounds what an instance does at the same time.
	Pool Pool
	// Call is how an instance calls the first service.
	Call Call
}

// Service is one dependency in the chain.
type Service struct {
	// Name appears in results. Default "A", "B", … by place.
	Name string
	// Instances is the number of copies. Each has workers and waiting places of
	// its own. Every call has a key, a random number, and equal keys go to the same
	// instance. Default 1; at most 10,000.
	Instances int
	// Pool bounds what an instance does at the same time. A worker is busy for
	// the service's own time and for that of the call to the next service.
	Pool Pool
	// Latency is the service's own time for one call.
	Latency Distribution
	// ErrorRate is the share of calls that fail by themselves, faults apart.
	// Default Off.
	ErrorRate switchgear.Percent
	// Faults are what goes wrong, at most 64.
	Faults []Fault
	// Call is how the service calls the next one. The last calls nobody.
	Call Call
}

// Pool bounds what one instance does at the same time.
type Pool struct {
	// Workers is the number of calls in progress. Default Off: no bound. At most
	// 1,000,000.
	Workers int
	// Queue is the number of calls that wait for a worker, first come, first
	// served; those beyond are turned away. It needs Workers. Default 100; at most
	// 1,000,000, or Off.
	Queue int
}

// Call is how the next service is called, by each instance of the place that calls it.
// The package comment says in which order the policies stand. A policy that is nil is
// not there, which is the default; a pointer to a zero value means its own defaults.
type Call struct {
	// Timeout is how long the caller waits for the answer to one attempt. The service
	// does not notice that its caller has gone, and works on. Default Off: for ever.
	// At most 30 days. A service that can have an outage needs it, or Total.
	Timeout time.Duration
	// Total limits the time of the whole call, with all attempts and waits. Default
	// Off; at most 30 days.
	Total time.Duration
	// Refused is what a call costs the caller of which nothing was sent, because a
	// policy refused it. Default 0.5 ms; at most 1 min, or Off.
	Refused time.Duration

	// RateLimit bounds how many calls begin in a time. Retries and hedges are not
	// counted. Of a [ratelimit.SlidingWindow] all instances together remember at most
	// 10,000,000 calls.
	RateLimit *ratelimit.Config
	// Adaptive bounds the calls under way by a limit that it finds itself.
	Adaptive *adaptive.Config
	// Throttle refuses calls with a probability when the service refuses many. The
	// throttles of all instances together have at most 1,000,000 buckets.
	Throttle *throttle.Config
	// Retry makes calls again that failed. It must have an end: a bound on its
	// attempts or their time, or Total.
	Retry *retry.Config
	// Hedge makes a second attempt of slow calls, whether or not it is set to hedge
	// them Always. With a percentile it is for at most 1,000 instances.
	Hedge *hedge.Config
	// Budget bounds the extra attempts that Retry and Hedge make together. It needs
	// one of them.
	Budget *budget.Config
	// Breaker guards each attempt. There are at most 10,000 of one place.
	Breaker *breaker.Config
	// PerInstance gives each instance of the service called a breaker of its own,
	// instead of one for all of them. It needs Breaker.
	PerInstance bool
	// RetryInsideBreaker puts the breaker around the whole loop of attempts, of which
	// it sees one outcome. It needs Retry and Breaker.
	RetryInsideBreaker bool
	// Bulkhead bounds the attempts under way.
	Bulkhead *bulkhead.Config
}

// Fault is one thing that goes wrong with a service for a time. It is decided
// when a call arrives at the service, and stays with that call.
type Fault struct {
	// Kind is what goes wrong. Default [Outage].
	Kind FaultKind
	// From and To bound it: From belongs to it, To does not. To must be later
	// than From. Default for To: the end of the run.
	From, To time.Duration
	// Every and For make it flap: of each stretch of length Every it is there for
	// the first For. Default: it is there all the time.
	Every, For time.Duration
	// Share is the share of keys that meet it, the lowest. With four instances,
	// 25 % is the first instance. Default 100.
	Share switchgear.Percent
	// Probability is that of [Errors]. Default 100.
	Probability switchgear.Percent
	// Took is how long an answer takes that is one of the [Errors]. Default: as
	// long as others.
	Took time.Duration
	// Factor multiplies the latency when [Slow]. Default 10; from 1 to 1,000,000.
	Factor float64
	// Limit is the number of calls a second of [Throttle], and in a whole second of
	// the run of [Fragile]. Default 10; at most 10,000,000.
	Limit int
	// Hint is the wait that [Throttle] asks for. Default 1 s; at most 30 days, or
	// Off for no hint.
	Hint time.Duration
	// Down is for how long a [Fragile] service falls over. Default 5 s; from 1 ms
	// to 30 days.
	Down time.Duration
}

// Window is a stretch of time to sum up. A call belongs to it by its arrival.
type Window struct {
	// Name appears in results.
	Name string `json:"name"`
	// From and To bound it: From belongs to it, To does not.
	From time.Duration `json:"from_ns"`
	To   time.Duration `json:"to_ns"`
}
