package retry

import "sync/atomic"

// Counters count over the whole life of a [Retry]. Each only grows.
type Counters struct {
	// Calls are loops that have begun.
	Calls uint64 `json:"calls"`
	// Attempts are Calls and Retries together.
	Attempts uint64 `json:"attempts"`
	// Retries are second and later attempts that have ended, refused ones
	// included. One that is still under way, or waited for, is not counted yet.
	Retries uint64 `json:"retries"`
	// Recovered are calls that ended well after a retry: what retries are for.
	Recovered uint64 `json:"recovered"`
	// Final are calls that ended with an error that no further attempt could
	// cure, whichever attempt it was, and those given up without one: a panic.
	Final uint64 `json:"final"`
	// GaveUp are calls that ended at a limit.
	GaveUp GaveUp `json:"gave_up"`
}

// GaveUp counts the calls that ended at a limit, by limit. See [Limit].
type GaveUp struct {
	Attempts  uint64 `json:"attempts"`
	Elapsed   uint64 `json:"elapsed"`
	Budget    uint64 `json:"budget"`
	Deadline  uint64 `json:"deadline"`
	Hint      uint64 `json:"hint"`
	Refused   uint64 `json:"refused"`
	Cancelled uint64 `json:"cancelled"`
}

// Snapshot is the present state of a [Retry].
type Snapshot struct {
	// Waiting is how many calls wait for their next attempt, in [Do] or
	// [Loop.Wait]. Loops that are waited for in another way are not known here.
	Waiting int64 `json:"waiting"`
	// Counters are the counters at that moment.
	Counters Counters `json:"counters"`
}

// counts are what the counters are read from. A call that goes well touches the
// first one only, which has a cache line to itself: beside it would be the
// configuration that all calls read.
type counts struct {
	_         [64]byte
	calls     atomic.Uint64
	_         [56]byte
	retries   atomic.Uint64
	recovered atomic.Uint64
	final     atomic.Uint64
	gaveUp    [limits]atomic.Uint64
	waiting   atomic.Int64
}

// Counters returns the counters. They are read one after another, while calls go
// on.
func (r *Retry) Counters() Counters {
	n := &r.counts
	c := Counters{
		Retries: n.retries.Load(), Recovered: n.recovered.Load(), Final: n.final.Load(),
		GaveUp: GaveUp{
			Attempts: n.gaveUp[ByAttempts].Load(), Elapsed: n.gaveUp[ByElapsed].Load(),
			Budget: n.gaveUp[ByBudget].Load(), Deadline: n.gaveUp[ByDeadline].Load(),
			Hint: n.gaveUp[ByHint].Load(), Refused: n.gaveUp[ByRefusal].Load(),
			Cancelled: n.gaveUp[ByCancellation].Load(),
		},
	}
	c.Calls = n.calls.Load() // last, so that no call has ended that has not begun
	c.Attempts = c.Calls + c.Retries
	return c
}

// Snapshot returns the present state.
func (r *Retry) Snapshot() Snapshot {
	return Snapshot{Waiting: r.counts.waiting.Load(), Counters: r.Counters()}
}
