package sim

import (
	"time"

	"github.com/switchgear-go/switchgear/adaptive"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/hedge"
	"github.com/switchgear-go/switchgear/ratelimit"
	"github.com/switchgear-go/switchgear/retry"
	"github.com/switchgear-go/switchgear/throttle"
	"github.com/switchgear-go/switchgear/timeout"
)

// A Result is what one run has measured. It is the caller's to keep. All instants
// count from the start of the run.
type Result struct {
	Name string `json:"name"`
	Seed uint64 `json:"seed"`
	// Ended is the instant at which the last call ended.
	Ended time.Duration `json:"ended_ns"`

	// Whole sums up all calls, Windows those of the configured windows, and Rows
	// those of each row, RowLength long.
	Whole     Summary        `json:"whole"`
	Windows   []WindowResult `json:"windows,omitempty"`
	RowLength time.Duration  `json:"row_ns"`
	Rows      []Row          `json:"rows"`

	// Transitions are the first 10,000 of all breakers, in order of time;
	// TransitionsTotal tells how many there were.
	Transitions      []Transition `json:"transitions,omitempty"`
	TransitionsTotal uint64       `json:"transitions_total,omitzero"`
	// Rounds are the first 1,000 half-open periods of all breakers, in order of
	// their beginning.
	Rounds []Round `json:"rounds,omitempty"`
	// Breakers adds up the counters of the breakers of each place that calls: the
	// client's, then each service's.
	Breakers []breaker.Counters `json:"breakers,omitempty"`

	// Policies tells what the policies of each place did that has more than a breaker
	// and a timeout.
	Policies []PolicyResult `json:"policies,omitempty"`

	// Pools tells of each place with a bounded pool.
	Pools []PoolResult `json:"pools,omitempty"`

	// Events is the number of events the run consisted of: arrivals, and what
	// went through the queue. Draws is how many random numbers were drawn for what.
	Events uint64 `json:"events"`
	Draws  Draws  `json:"draws"`

	watched watched
}

// Counts counts a set of calls of the client. A call belongs to where its arrival
// lies.
type Counts struct {
	// Requests is the number of calls, Reached those that were sent to the first
	// service at least once, the rest was Rejected by one of the client's policies or
	// Shed for want of a worker.
	Requests uint64 `json:"requests"`
	Reached  uint64 `json:"reached"`
	Rejected uint64 `json:"rejected"`
	Shed     uint64 `json:"shed"`
	// Attempts is how often something was sent for these calls: more than Reached
	// where calls are made again.
	Attempts uint64 `json:"attempts"`
	// Succeeded, Failed and TimedOut are how those ended that were sent. A call that
	// was sent and whose next attempt was refused ended as its last attempt had.
	Succeeded uint64 `json:"succeeded"`
	Failed    uint64 `json:"failed"`
	TimedOut  uint64 `json:"timed_out"`
}

// Summary sums up a set of calls of the client. Latencies include refused calls,
// with what a refusal costs.
type Summary struct {
	Counts
	// Mean and Max are exact. The quantiles are by nearest rank; they are exact up
	// to 100,000 calls, and otherwise within the share QuantileError of the value.
	Mean time.Duration `json:"mean_ns"`
	P50  time.Duration `json:"p50_ns"`
	P90  time.Duration `json:"p90_ns"`
	P99  time.Duration `json:"p99_ns"`
	P999 time.Duration `json:"p999_ns"`
	Max  time.Duration `json:"max_ns"`
	// P99Linear is the same as P99 by linear interpolation, for comparison with
	// tools that do it so.
	P99Linear     time.Duration `json:"p99_linear_ns"`
	QuantileError float64       `json:"quantile_error,omitzero"`
}

// Share returns how many percent of the requests reached the service; 0 without
// requests.
func (c *Counts) Share() float64 {
	if c.Requests == 0 {
		return 0
	}
	return float64(c.Reached) * 100 / float64(c.Requests)
}

// WindowResult sums up one window.
type WindowResult struct {
	Window
	Summary
	// Peak is the largest number of the client's attempts in flight to the first
	// service in that time, PeakAt when it was first reached, and InFlight their
	// average over time.
	Peak     int64         `json:"peak"`
	PeakAt   time.Duration `json:"peak_at_ns"`
	InFlight float64       `json:"in_flight"`
}

// Row sums up the calls that arrived in one row.
type Row struct {
	// At is where the row begins.
	At time.Duration `json:"at_ns"`
	Counts
	// Sent is the number of attempts that were sent to the first service within the
	// row, whenever their call arrived. Those sent after the last row are in none.
	Sent uint64 `json:"sent"`
	// InFlight is the number of attempts in flight to the first service, averaged
	// over the row's time, and Peak the largest number in it.
	InFlight float64 `json:"in_flight"`
	Peak     int64   `json:"peak"`
	// The latencies, as in a Summary.
	Mean          time.Duration `json:"mean_ns"`
	P99           time.Duration `json:"p99_ns"`
	P99Linear     time.Duration `json:"p99_linear_ns"`
	Max           time.Duration `json:"max_ns"`
	QuantileError float64       `json:"quantile_error,omitzero"`
}

// Transition is one change of state of one breaker.
type Transition struct {
	At time.Duration `json:"at_ns"`
	// Place is who calls, 0 for the client and 1 for the first service; Instance
	// is which of its instances, and Target which instance of the service called,
	// where each has a breaker of its own.
	Place    int           `json:"place"`
	Instance int           `json:"instance"`
	Target   int           `json:"target"`
	From     breaker.State `json:"from"`
	To       breaker.State `json:"to"`
	// Trip tells why, where a rule opened the breaker.
	Trip *breaker.Trip `json:"trip,omitempty"`
}

// Round is one half-open period of one breaker.
type Round struct {
	// From is when it began, and To when it was decided; 0 if it was not.
	From     time.Duration `json:"from_ns"`
	To       time.Duration `json:"to_ns"`
	Place    int           `json:"place"`
	Instance int           `json:"instance"`
	Target   int           `json:"target"`
	// Decision is the state that followed. Only meaningful with To.
	Decision breaker.State `json:"decision"`
	// Probes are the first 100 calls let through.
	Probes []Probe `json:"probes"`
	// Refused is how many calls were refused meanwhile.
	Refused uint64 `json:"refused"`
}

// Probe is one call of a [Round].
type Probe struct {
	At time.Duration `json:"at_ns"`
	// Took is how long it took and Outcome how it ended; Took is -1 if it had not
	// ended.
	Took    time.Duration `json:"took_ns"`
	Outcome Outcome       `json:"outcome"`
}

// PoolResult tells how busy the workers of one place were, all its instances
// together. Averages are over the time in which calls arrive.
type PoolResult struct {
	// Place is 0 for the client, 1 for the first service and so on.
	Place int    `json:"place"`
	Name  string `json:"name"`
	// Arrived is the number of calls that came, Shed those turned away for want of room.
	// Those that a [Throttle] fault refused have arrived, and are neither shed nor do
	// they wait.
	Arrived uint64 `json:"arrived"`
	Shed    uint64 `json:"shed"`
	// Wait is the mean time for which those that were not turned away waited for
	// a worker.
	Wait time.Duration `json:"wait_ns"`
	// Busy is the average number of busy workers, Waiting that of waiting calls.
	Busy    float64 `json:"busy"`
	Waiting float64 `json:"waiting"`
	// MostWaiting is the largest number of waiting calls.
	MostWaiting int64 `json:"most_waiting"`
}

// PolicyResult is what the policies of one place that calls have counted, all its
// instances together. What is nil was not there. The breakers are in
// [Result.Breakers].
type PolicyResult struct {
	// Place is who calls, 0 for the client, 1 for the first service and so on.
	Place int    `json:"place"`
	Name  string `json:"name"`
	// Calls is how many calls the place began, and Attempts how often something was
	// sent to the next place for them.
	Calls    uint64 `json:"calls"`
	Attempts uint64 `json:"attempts"`

	Total     *timeout.Counters   `json:"total,omitempty"`
	RateLimit *ratelimit.Counters `json:"rate_limit,omitempty"`
	Adaptive  *AdaptiveResult     `json:"adaptive,omitempty"`
	Throttle  *throttle.Counters  `json:"throttle,omitempty"`
	Retry     *retry.Counters     `json:"retry,omitempty"`
	Hedge     *hedge.Counters     `json:"hedge,omitempty"`
	Budget    *budget.Counters    `json:"budget,omitempty"`
	Bulkhead  *bulkhead.Counters  `json:"bulkhead,omitempty"`
	// Timeout is the limit of one attempt.
	Timeout *timeout.Counters `json:"timeout,omitempty"`
}

// AdaptiveResult is what adaptive limits have counted, and where they were.
type AdaptiveResult struct {
	adaptive.Counters
	// Lowest and Highest are the extremes of the limit over all instances, each
	// looked at when one of its calls had ended. Last is the limit at the end of the
	// run, averaged over the instances.
	Lowest  int     `json:"lowest"`
	Highest int     `json:"highest"`
	Last    float64 `json:"last"`
}

// Draws is how many random numbers a run has taken from the streams of arrivals
// and of the first service's latency.
type Draws struct {
	Arrivals uint64 `json:"arrivals"`
	Latency  uint64 `json:"latency"`
}
