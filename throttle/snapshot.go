package throttle

import "github.com/switchgear-go/switchgear"

// Counters count over the whole life of a throttle. Each only grows. When no call is in
// progress, the calls admitted are Accepted + Failed + Ignored + Released.
type Counters struct {
	// Accepted and Failed are calls settled as a success and as a failure.
	Accepted uint64 `json:"accepted"`
	Failed   uint64 `json:"failed"`
	// Ignored are outcomes that say nothing about the dependency; Released are permits
	// given up without an outcome.
	Ignored  uint64 `json:"ignored"`
	Released uint64 `json:"released"`
	// Refused are calls that the throttle refused.
	Refused uint64 `json:"refused"`
}

// Snapshot is what a throttle knows, for people and dashboards. Its numbers are read
// while calls go on, so they need not be of the very same instant.
type Snapshot struct {
	Name string `json:"name"`
	// Requests and Accepts are what the window holds. Refused calls are among the
	// requests.
	Requests int64 `json:"requests"`
	Accepts  int64 `json:"accepts"`
	// Refusal is the share of calls that these numbers have refused, rounded to
	// hundredths of a percent.
	Refusal switchgear.Percent `json:"refusal"`

	Counters Counters `json:"counters"`
}

// Snapshot returns what the throttle knows. It changes nothing, and costs a lock and a
// look at every bucket.
func (t *Throttle) Snapshot() Snapshot {
	now := t.clk.Mono()
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.ring.held(max(t.ring.index(now), t.newest.Load().index))
	return Snapshot{
		Name: t.name, Requests: n.requests, Accepts: n.accepts,
		Refusal:  percent(t.rules.Load().refusal(n)),
		Counters: t.Counters(),
	}
}

// Counters returns the lifetime counters. See [Throttle.Snapshot] for all the rest.
func (t *Throttle) Counters() Counters {
	return Counters{
		Accepted: t.accepted.Load(), Failed: t.failed.Load(),
		Ignored: t.ignored.Load(), Released: t.released.Load(),
		Refused: t.refused.Load(),
	}
}
