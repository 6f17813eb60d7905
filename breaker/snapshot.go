package breaker

import "time"

// Snapshot is everything a breaker knows, for people and dashboards. The parts
// that the lock guards, which is all but the counters, are of one instant. The
// counters are read while calls go on, so their sum is not (rule N1).
type Snapshot struct {
	Name   string `json:"name"`
	State  State  `json:"state"`
	Period uint64 `json:"period"`
	// ConfigVersion is 1 after New and grows by one with each reconfiguration.
	ConfigVersion uint64 `json:"config_version"`
	// Since is when the state was entered.
	Since time.Time `json:"since"`
	// IntervalPassed reports that an OPEN breaker will probe at the next call.
	IntervalPassed bool `json:"interval_passed,omitzero"`
	// RetryAfter is the time until then. It is 0 in other states than OPEN and
	// FORCED_OPEN with an expiry.
	RetryAfter time.Duration `json:"retry_after_ns,omitzero"`
	// OpenTime is how long the breaker has been OPEN in all, up to now. It only grows.
	OpenTime time.Duration `json:"open_time_ns"`

	// Numbers are those of the window that the state shows (rule W5): in
	// HALF_OPEN the probes'; in OPEN those it was entered with.
	Numbers Numbers `json:"numbers"`
	// Consecutive is the run of failures in CLOSED.
	Consecutive int64 `json:"consecutive,omitzero"`
	// Evidence and SlowEvidence are the scores of the evidence rule in CLOSED, as
	// a share of what is needed, from 0 to 1.
	Evidence     float64 `json:"evidence,omitzero"`
	SlowEvidence float64 `json:"slow_evidence,omitzero"`
	// ProbesOut is the number of slots taken in HALF_OPEN.
	ProbesOut int `json:"probes_out,omitzero"`
	// Grace reports that nothing trips yet (rule T7).
	Grace bool `json:"grace,omitzero"`

	// Author, Reason and Expires are those of the operator's move that led here,
	// if one did.
	Author  string    `json:"author,omitzero"`
	Reason  string    `json:"reason,omitzero"`
	Expires time.Time `json:"expires,omitzero"`

	// LastTrip is the record of the last trip, and LastFailure the time of the
	// last failed call; nil and zero if there was none.
	LastTrip    *Trip     `json:"last_trip,omitzero"`
	LastFailure time.Time `json:"last_failure,omitzero"`

	Counters Counters `json:"counters"`
	// ListenerPanics counts panics in listeners, EventsDropped events that a
	// blocked listener lost (rule S7).
	ListenerPanics uint64 `json:"listener_panics,omitzero"`
	EventsDropped  uint64 `json:"events_dropped,omitzero"`
}

// Snapshot returns what the breaker knows. It changes nothing, and costs a lock
// and a look at every counter cell.
func (b *Breaker) Snapshot() Snapshot {
	now, wall := b.clk.Mono(), b.clk.Now()
	at := func(t time.Duration) time.Time { return wall.Add(t - now) }

	b.mu.Lock()
	defer b.unlock()
	p := b.cur.Load()
	b.book(p)
	if b.grace > 0 && now >= b.grace {
		b.stop(p)
		b.endGrace(now)
		if p.state.admits() {
			b.resume(p, now)
		}
	}
	s := Snapshot{
		Name: b.name, State: p.state, Period: p.id, ConfigVersion: b.version, Since: at(p.start),
		Numbers: p.numbers(now), Grace: b.grace > 0,
		Author: p.author, Reason: p.reason, LastTrip: p.trip.record(), Counters: b.counters(),
		ListenerPanics: b.events.Panics(), EventsDropped: b.events.Dropped(), OpenTime: b.openTime,
	}
	if p.state == Open {
		// The clock is read before the lock is taken, and so not always later than at the
		// last look. What has been shown must not shrink.
		p.shown = max(b.openTime+max(now-p.start, 0), p.shown)
		s.OpenTime = p.shown
	}
	if p.expires > 0 {
		s.Expires = at(p.expires)
	}
	if b.total.Failed+b.total.Overdue > 0 {
		s.LastFailure = at(b.lastFailure)
	}
	switch p.state {
	case Open, ForcedOpen:
		if wait, known := p.rejection.RetryAfter(); known {
			s.RetryAfter = wait
			s.IntervalPassed = p.state == Open && wait == 0
		}
	case HalfOpen:
		s.ProbesOut = p.probes.running
	case Closed:
		s.Consecutive = b.run
		s.Evidence, s.SlowEvidence = b.scores.levels(b.rules.Load(), now)
	}
	return s
}

// Counters returns the lifetime counters. See [Snapshot] for all the rest.
func (b *Breaker) Counters() Counters {
	b.mu.Lock()
	defer b.unlock()
	b.book(b.cur.Load())
	return b.counters()
}

// counters adds up total and cells. Called under mu, after book.
func (b *Breaker) counters() Counters {
	c := b.total
	c.Rejected += b.cells.rejected()
	c.Late += b.cells.late()
	return c
}
