package model

import "time"

// keptErrors is how many of the last errors a trip record groups (T5).
const keptErrors = 8

// A Breaker is what a breaker must be. Its exported fields may be read.
type Breaker struct {
	cfg Config

	State   State
	Period  uint64
	Start   time.Duration // of the period
	Expires time.Duration // S4; Never if it does not
	Author  string
	Reason  string
	Last    *Trip // the last trip before or at the start of this period

	Until  time.Duration // OPEN, FORCED_OPEN: from then on a probe may be admitted
	Shown  Window        // what the state shows (W5); in CLOSED and METRICS_ONLY what it records
	Needed int64         // the number of calls that makes a rate there

	Run    int64 // consecutive failures (T3)
	Score  Score
	Slows  Score
	Hint   time.Duration // the longest of this period (O3)
	Errors []string      // kinds of the errors of this period

	Out        []Probe // probes of all periods that have not reported
	Settled    int     // probes of this period that ended in success or failure
	Streak     int     // successes among them since the last failure
	admitted   uint64  // probes of this period
	givenBack  uint64
	refused    uint64 // calls that this period refused
	lastProbe  uint64
	draws      int
	graceEnd   time.Duration // 0 when it is over (T7)
	Retrips    int           // steps of growth (O1)
	ended      bool          // Close was called
	Counters   Counters
	LastFailed time.Duration // Never if there was none

	// Events holds what happened since it was last emptied.
	Events []Event
}

// New returns a breaker that starts at now.
func New(cfg Config, now time.Duration) *Breaker {
	b := &Breaker{cfg: cfg, State: Closed, Period: 1, Start: now, Expires: Never, LastFailed: Never}
	b.Shown, b.Needed = b.newWindow(), cfg.minimum()
	if cfg.Grace > 0 {
		b.graceEnd = now + cfg.Grace
	}
	return b
}

func (b *Breaker) newWindow() Window {
	return Window{Last: b.cfg.Calls, Bucket: b.cfg.Bucket, Buckets: b.cfg.Buckets}
}

// Acquire asks for a permit.
func (b *Breaker) Acquire(now time.Duration) (Permit, *Rejection) {
	b.Expire(now)
	if b.State == Open && now >= b.Until { // O4
		b.enter(HalfOpen, now, Event{})
	}
	if b.State == HalfOpen && !b.free() && b.settleOverdue(now) { // H8
		return b.Acquire(now)
	}
	switch {
	case b.State.admits():
		return Permit{Period: b.Period, Start: now}, nil
	case b.State == HalfOpen && b.free():
		b.lastProbe++
		b.Out = append(b.Out, Probe{Number: b.lastProbe, Period: b.Period, Since: now})
		b.Counters.Probes++
		b.admitted++
		return Permit{Period: b.Period, Probe: b.lastProbe, Start: now}, nil
	}
	b.Counters.Rejected++
	b.refused++
	return Permit{}, b.rejection()
}

// Expire ends FORCED_OPEN if its expiry has passed, and reports whether it did. The timer
// may be late, or was stopped by Close; a call then need not wait for it, since by now a
// probe may be admitted, as refusals have said (P1). To somebody else it can look as if
// this had happened some time before the call.
func (b *Breaker) Expire(now time.Duration) bool {
	if b.State != ForcedOpen || now < b.Expires {
		return false
	}
	b.expire(b.Expires)
	return true
}

func (b *Breaker) rejection() *Rejection {
	r := &Rejection{State: b.State, Period: b.Period, until: Never}
	if b.State == Open || b.State == ForcedOpen {
		r.until = b.Until
	}
	return r
}

// Settle reports how the call of a permit ended. A permit that is settled twice
// through the same variable does not get here; copies do.
func (b *Breaker) Settle(now time.Duration, p Permit, e Ending) {
	overdue := false
	if p.Probe != 0 {
		probe, out := b.take(p.Probe)
		if !out {
			return // a copy of a permit that is settled (P2)
		}
		overdue = probe.Overdue
	}
	if p.Period != b.Period || overdue { // S5, H8
		b.Counters.Late++
		return
	}
	counts := e.Health == Success || e.Health == Failure
	slow := counts && b.cfg.Slow > 0 && now-p.Start > b.cfg.Slow // C3
	switch e.Health {
	case Success:
		b.Counters.Successful++
	case Failure:
		b.Counters.Failed++
		b.LastFailed = now
	case Ignored:
		b.Counters.Ignored++
	case Released:
		b.Counters.Released++
	}
	if slow {
		b.Counters.Slow++
	}
	switch {
	case !counts && p.Probe != 0: // H4
		b.Counters.GivenBack++
		b.givenBack++
	case !counts: // C2
	case p.Probe != 0:
		b.probed(now, e, slow)
	case b.State.records():
		b.record(now, e, slow)
	}
}

// record files an outcome in CLOSED or METRICS_ONLY, and checks the conditions (W4).
func (b *Breaker) record(now time.Duration, e Ending, slow bool) {
	b.passTime(now)
	failed := e.Health == Failure
	b.Shown.Record(now, failed, slow)
	b.note(e)
	if b.State != Closed {
		return
	}
	b.Run++
	if !failed {
		b.Run = 0
	}
	c := &b.cfg
	sick := c.Failures != nil && b.Score.Record(c.Failures, now, failed)
	sluggish := c.Slows != nil && b.Slows.Record(c.Slows, now, slow)
	if b.graceEnd > 0 { // T7
		return
	}
	n := b.Shown.Counts(now)
	trip := Trip{Consecutive: b.Run}
	switch {
	case n.Calls >= c.minimum() && reached(n.Failed, n.Calls, c.FailureRate):
		trip.Rule, trip.Threshold = "failure_rate", c.FailureRate // T1
	case n.Calls >= c.minimum() && reached(n.Slow, n.Calls, c.SlowRate):
		trip.Rule, trip.Threshold = "slow_rate", c.SlowRate // T2
	case c.Consecutive > 0 && b.Run >= c.Consecutive:
		trip.Rule, trip.Limit = "consecutive_failures", c.Consecutive // T3
	case c.FailureCount > 0 && n.Failed >= c.FailureCount:
		trip.Rule, trip.Limit = "failure_count", c.FailureCount // T4
	case sick:
		trip.Rule, trip.Evidence = "evidence", &b.Score // T6
	case sluggish:
		trip.Rule, trip.Evidence = "evidence_slow", &b.Slows // T6
	default:
		return
	}
	b.trip(now, trip)
}

// note keeps what a failure says besides that it is one.
func (b *Breaker) note(e Ending) {
	if e.Health == Failure {
		b.Hint = max(b.Hint, e.Hint) // O3
		if e.Kind != "" {
			b.Errors = append(b.Errors, e.Kind) // T5
		}
	}
}

// trip opens the breaker by its own decision, in CLOSED or HALF_OPEN.
func (b *Breaker) trip(now time.Duration, t Trip) {
	b.ease(now)
	t.At, t.Numbers, t.Hint, t.Retrips = now, b.Numbers(now), b.Hint, b.Retrips
	t.Wait = b.cfg.interval(b.Retrips, b.Hint, b.draw())
	if t.Evidence != nil {
		score := *t.Evidence
		t.Evidence = &score
	}
	for _, kind := range b.Errors[max(0, len(b.Errors)-keptErrors):] {
		if t.Errors == nil {
			t.Errors = map[string]int{}
		}
		t.Errors[kind]++
	}
	b.Retrips++
	b.Counters.Trips++
	b.Until = now + t.Wait
	b.enter(Open, now, Event{Trip: &t})
}

// ease takes back a step of growth for each base wait of the CLOSED period that
// ends now (O1).
func (b *Breaker) ease(now time.Duration) {
	if b.State == Closed {
		b.Retrips = max(0, b.Retrips-int(max(0, now-b.Start)/b.cfg.Wait))
	}
}

// draw takes the random number of an open period (O2).
func (b *Breaker) draw() float64 {
	if b.cfg.Jitter == 0 {
		return 0
	}
	b.draws++
	return b.cfg.Draws[(b.draws-1)%len(b.cfg.Draws)]
}

// Adopt replaces the length of the open interval that has just begun, for one who
// has compared it and does not want rounding to count.
func (b *Breaker) Adopt(wait time.Duration) {
	b.Last.Wait = wait
	b.Until = b.Start + wait
}

// enter begins a new period (S5), with one event (S7), whose e has the trip, author,
// reason and expiry already, if there are such.
func (b *Breaker) enter(to State, now time.Duration, e Event) {
	b.passTime(now)
	e.Renewed, e.From, e.To, e.At, e.Period = to == b.State, b.State, to, now, b.Period+1
	e.Numbers, e.Lasted = b.Numbers(now), max(0, now-b.Start)
	e.Refused, e.Probes, e.GivenBack = b.refused, b.admitted, b.givenBack
	if e.Expires == 0 {
		e.Expires = Never
	}
	b.Events = append(b.Events, e)

	b.State, b.Start, b.Expires, b.Author, b.Reason = to, now, e.Expires, e.Author, e.Reason
	b.Period++
	if e.Trip != nil {
		b.Last = e.Trip
	}
	b.refused, b.admitted, b.givenBack = 0, 0, 0
	b.Hint, b.Errors = 0, nil
	b.Settled, b.Streak = 0, 0
	b.Run, b.Score, b.Slows = 0, Score{}, Score{}
	switch to { // W5
	case Closed, MetricsOnly:
		b.Shown, b.Needed = b.newWindow(), b.cfg.minimum()
	case HalfOpen:
		b.Shown, b.Needed = Window{Last: b.cfg.Probes}, b.cfg.needed()
	case Disabled, ForcedOpen:
		b.Shown, b.Needed = b.newWindow(), b.cfg.minimum()
	}
}

// passTime is what the mere passing of time does: the grace ends, and the window is
// emptied (T7). What OPEN shows is no longer a window of outcomes to come; it stays
// as it was (W5). Whatever looks at the window or replaces it calls this first.
func (b *Breaker) passTime(now time.Duration) {
	if b.graceEnd > 0 && now >= b.graceEnd {
		b.endGrace()
	}
}

func (b *Breaker) endGrace() {
	b.graceEnd = 0
	if b.State.records() {
		b.Shown.Reset()
		b.Run, b.Score, b.Slows = 0, Score{}, Score{}
	}
}

// Numbers returns what the state shows of its window.
func (b *Breaker) Numbers(now time.Duration) Numbers {
	return Numbers{b.Shown.Counts(now), b.Needed}
}
