package hedge

import (
	"sync/atomic"
	"time"
)

// Counters count over the whole life of a hedge. Each only grows. When no call is in
// progress, Calls is Plain + Won + Failed + Stopped. When no attempt is, the attempts
// made, Calls - Plain + Hedges, are Won + Failures + Late, and those whose panic ended
// their call.
type Counters struct {
	// Calls are calls begun, and Plain those among them that could not be hedged:
	// not marked safe, a probe, or with hedging off or suspended. How these ended is
	// not counted.
	Calls uint64 `json:"calls"`
	Plain uint64 `json:"plain"`
	// Won are calls with a good answer, WonByHedge those among them whose answer
	// came from an extra attempt. Failed are calls of which every attempt failed.
	// Stopped are calls ended by the caller's context, or by a panic.
	Won        uint64 `json:"won"`
	WonByHedge uint64 `json:"won_by_hedge"`
	Failed     uint64 `json:"failed"`
	Stopped    uint64 `json:"stopped"`
	// Hedges are extra attempts started.
	Hedges uint64 `json:"hedges"`
	// Refused are extra attempts that the budget did not grant, and Suppressed those
	// not made because of WithProbing or MaxAbandoned.
	Refused    uint64 `json:"refused"`
	Suppressed uint64 `json:"suppressed"`
	// Failures are attempts that failed while their call was undecided. Late are
	// attempts that ended, in whatever way, after it had been decided.
	Failures uint64 `json:"failures"`
	Late     uint64 `json:"late"`
	// Discarded are late results given to the discard function.
	Discarded uint64 `json:"discarded"`
	// Panics are attempts and discard functions that ended in a panic or in
	// runtime.Goexit, whether it went on in the caller or was swallowed.
	Panics uint64 `json:"panics"`
}

// counts is Counters while they count.
type counts struct {
	calls, plain, won, wonByHedge, failed, stopped atomic.Uint64
	hedges, refused, suppressed, failures, late    atomic.Uint64
	discarded, panics                              atomic.Uint64
}

// Counters returns the counts so far. Each is exact; as a whole they are no snapshot
// of one instant while calls are in progress.
func (h *Hedge) Counters() Counters {
	c := &h.counts
	return Counters{
		Calls: c.calls.Load(), Plain: c.plain.Load(),
		Won: c.won.Load(), WonByHedge: c.wonByHedge.Load(), Failed: c.failed.Load(), Stopped: c.stopped.Load(),
		Hedges: c.hedges.Load(), Refused: c.refused.Load(), Suppressed: c.suppressed.Load(),
		Failures: c.failures.Load(), Late: c.late.Load(),
		Discarded: c.discarded.Load(), Panics: c.panics.Load(),
	}
}

// Snapshot is the present state of a hedge, for people and dashboards.
type Snapshot struct {
	// Name is the hedge's name.
	Name string `json:"name"`
	// Delay is what a call that begins now would wait before its first extra attempt.
	Delay time.Duration `json:"delay"`
	// Measured says that Delay comes from the percentile.
	Measured bool `json:"measured"`
	// Samples is the number of latencies in the window; 0 with a fixed delay.
	Samples uint64 `json:"samples"`
	// Running is how many attempts are running, plain calls not among them.
	Running int64 `json:"running"`
	// Abandoned is how many of those have been left behind by their call.
	Abandoned int64 `json:"abandoned"`
}

// Snapshot returns the present state.
func (h *Hedge) Snapshot() Snapshot {
	now := h.clk.Mono()
	s := Snapshot{Name: h.name, Running: h.running.Load(), Abandoned: h.abandoned.Load()}
	s.Delay, s.Measured = h.delay(now)
	if h.tail != nil {
		s.Samples = h.tail.samples(now)
	}
	return s
}
