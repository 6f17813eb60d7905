package breaker

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/window"
)

// savedVersion is the version of the format of [Saved].
const savedVersion = 1

// Saved is what is worth keeping of a breaker over a restart of the program:
// small, readable as JSON, and independent of the process, since all its times are
// of the wall clock. [Breaker.Save] makes it and [Breaker.Restore] takes it.
//
// Counters are not in it; they count the life of one breaker in one process. Nor are
// the score of the evidence rule, calls in flight, outcomes of a grace, and the
// configuration.
type Saved struct {
	// Version is the version of this format, 1.
	Version int       `json:"version"`
	Name    string    `json:"name"`
	Time    time.Time `json:"time"` // when it was saved

	State State     `json:"state"`
	Since time.Time `json:"since"` // for people
	// Until is the end of the interval in OPEN, or an operator's expiry.
	Until time.Time `json:"until,omitzero"`
	// Author and Reason are those of the operator's move that led here.
	Author string `json:"author,omitzero"`
	Reason string `json:"reason,omitzero"`

	// Runs is the content of a count window, oldest first, and Buckets that of a
	// time window.
	Runs        []SavedRun    `json:"runs,omitempty"`
	Buckets     []SavedBucket `json:"buckets,omitempty"`
	Consecutive int64         `json:"consecutive,omitzero"`

	// Retrips is the number of growth steps of the next interval (rule O1).
	Retrips int `json:"retrips,omitzero"`
	// LastTrip also tells, with its Hint and Retrips, what the interval that follows
	// it was made of.
	LastTrip *Trip `json:"last_trip,omitzero"`
}

// SavedRun is a number of like outcomes, one after another.
type SavedRun struct {
	N      int64 `json:"n"`
	Failed bool  `json:"failed,omitzero"`
	Slow   bool  `json:"slow,omitzero"`
}

// SavedBucket is one bucket of a time window, and when it began.
type SavedBucket struct {
	Start      time.Time `json:"start"`
	Calls      int64     `json:"calls"`
	Failed     int64     `json:"failed,omitzero"`
	Slow       int64     `json:"slow,omitzero"`
	SlowFailed int64     `json:"slow_failed,omitzero"`
}

// Save returns what a later process should know of the breaker. Like a snapshot,
// it changes nothing. See also [SaveAll].
func (b *Breaker) Save() Saved {
	now, wall := b.clk.Mono(), b.clk.Now()
	at := func(t time.Duration) time.Time { return wall.Add(t - now).Round(0).UTC() }

	b.mu.Lock()
	defer b.unlock()
	p := b.cur.Load()
	b.book(p)
	s := Saved{
		Version: savedVersion, Name: b.name, Time: at(now), State: p.state, Since: at(p.start),
		Author: p.author, Reason: p.reason, Retrips: b.eased(p, now), LastTrip: p.trip.record(),
	}
	switch {
	case p.expires > 0:
		s.Until = at(p.expires)
	case p.state == Open:
		s.Until = at(time.Duration(p.until.Load()))
	}
	if !p.state.records() || b.grace > 0 {
		return s
	}
	s.Consecutive = b.run
	switch w := b.main.(type) {
	case *window.Count:
		for r := range w.Runs() {
			s.Runs = append(s.Runs, SavedRun(r))
		}
	case *window.Time:
		for start, c := range w.Buckets(now) {
			s.Buckets = append(s.Buckets, SavedBucket{at(start), c.Calls, c.Failed, c.Slow, c.SlowFailed})
		}
	}
	return s
}

// Restore brings a new breaker to where a saved one was, aged by the time that has
// passed on the wall clock since (rules B1 to B7):
//
//   - OPEN keeps what is left of its interval, at most the interval that the
//     configuration gives; HALF_OPEN becomes OPEN with its interval passed, so that
//     the next call probes. Saved longer ago than one interval, both become CLOSED.
//   - An operator's state lasts for what is left until its expiry, and without one
//     until somebody moves it. If the expiry has passed, it has led where it always
//     leads (rule S4).
//   - In CLOSED and METRICS_ONLY the window drops what has expired. A window of
//     another kind than the configured one starts empty.
//
// A wall clock that has gone back is taken as no time passed.
//
// The breaker enters the state in a new period, with an event that names the
// restart as its reason; so calls that are out become late, and Restore belongs
// before the first call. If s is of another version or another breaker, or makes no
// sense, the error says so and nothing has changed.
func (b *Breaker) Restore(s Saved) error {
	if err := s.check(b.name); err != nil {
		return err
	}
	now, wall := b.clk.Mono(), b.clk.Now()
	age := max(wall.Sub(s.Time), 0)

	b.mu.Lock()
	defer b.unlock()
	r := b.rules.Load()
	st := s.aged(r, now, age)
	st.kind = event.Transition
	if st.to == b.cur.Load().state {
		st.kind = event.Renewed
	}
	if st.to == s.State && st.to.records() {
		st.fill = func() { b.refill(s, now, age) }
	}
	b.retrips = min(s.Retrips, math.MaxInt32)
	if st.to == Closed {
		b.retrips = eased(b.retrips, age/r.cfg.Open.Wait)
	}

	reason := st.reason
	st.restored = true
	st.reason = fmt.Sprintf("restored from %v of %s", s.State, s.Time.Format(time.RFC3339))
	if reason != "" {
		st.reason += ": " + reason
	}
	p := b.enter(st)
	p.reason = reason // so that it does not grow from restart to restart
	if s.LastTrip != nil && st.trip == nil {
		p.trip = newTripBox(s.LastTrip) // refusals, which read it without the lock, are not of this state
	}
	return nil
}

// aged returns the transition that leads to where the breaker would be now.
func (s *Saved) aged(r *rules, now, age time.Duration) step {
	left := max(s.Until.Sub(s.Time), 0) - age // neither is negative, so this cannot overflow
	st := step{to: s.State, at: now}
	switch s.State {
	case Open, HalfOpen:
		var made Trip // what the interval was made of
		if s.LastTrip != nil {
			made = *s.LastTrip
		}
		interval := r.interval(made.Retrips, made.Hint, noDraw)
		switch {
		case age > interval:
			st.to = Closed
		case s.State == HalfOpen:
			st.to, st.until, st.draw = Open, now, noInterval
		default:
			st.until = now + min(left, interval)
			st.draw, st.hint, st.retrips = noDraw, made.Hint, made.Retrips
		}
	case Disabled, MetricsOnly, ForcedOpen:
		switch {
		case s.Until.IsZero():
			st.until = forever
		case left > 0:
			st.until = now + min(left, maxDuration)
			st.expires = st.until
		case s.State == ForcedOpen:
			st.to, st.until, st.draw = Open, now, noInterval
		default:
			st.to = Closed
		}
	}
	if !st.to.admits() {
		st.trip = s.LastTrip
	}
	if st.to == s.State {
		st.author, st.reason = s.Author, s.Reason
	}
	return st
}

// refill puts saved outcomes into the empty window. Called under mu.
func (b *Breaker) refill(s Saved, now, age time.Duration) {
	b.run = min(s.Consecutive, maxCalls)
	switch w := b.main.(type) {
	case *window.Count:
		for _, r := range s.Runs {
			w.Add(window.Run(r))
		}
	case *window.Time:
		for _, c := range s.Buckets {
			old := after(max(s.Time.Sub(c.Start), 0), age)
			w.Add(now-old, window.Counts{Calls: c.Calls, Failed: c.Failed, Slow: c.Slow, SlowFailed: c.SlowFailed})
		}
	}
}

// check returns why s cannot be restored to the breaker with this name, or nil.
func (s *Saved) check(name string) error {
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("breaker %q: saved state "+format, append([]any{name}, args...)...)
	}
	switch t := s.LastTrip; {
	case s.Version != savedVersion:
		return wrong("has version %d, want %d", s.Version, savedVersion)
	case s.Name != name:
		return wrong("is of breaker %q", s.Name)
	case s.State >= states:
		return wrong("has no known state: %v", s.State)
	case s.Time.IsZero():
		return wrong("has no time")
	case s.State == Open && s.Until.IsZero():
		return wrong("is OPEN and has no until")
	case s.Retrips < 0 || s.Consecutive < 0:
		return wrong("has a negative number: retrips %d, consecutive %d", s.Retrips, s.Consecutive)
	case !slices.IsSortedFunc(s.Buckets, func(x, y SavedBucket) int { return x.Start.Compare(y.Start) }):
		return wrong("has buckets that are not in the order of time")
	case t != nil && t.Evidence == nil && (t.Rule == RuleEvidence || t.Rule == RuleSlowEvidence):
		return wrong("has a last trip by the rule %q without evidence", t.Rule)
	}
	var calls int64
	for _, r := range s.Runs {
		if calls += r.N; r.N < 1 || r.N > maxWindow || calls > maxWindow {
			return wrong("has a run of %d calls, want at least 1 each and at most %d together", r.N, maxWindow)
		}
	}
	return nil
}

// SaveAll returns the saved states of a set of breakers as one JSON document.
func SaveAll(breakers ...*Breaker) ([]byte, error) {
	set := savedSet{Version: savedVersion}
	for _, b := range breakers {
		set.Breakers = append(set.Breakers, b.Save())
	}
	return json.MarshalIndent(set, "", "  ")
}

// RestoreAll restores those of the breakers that the document, made by [SaveAll],
// knows by name; the others stay as they are, and so do names that no breaker has.
// If the document is of another version or cannot be read, none is restored. What
// is wrong with a single breaker keeps only that one from being restored, and the
// error joins all that was wrong.
func RestoreAll(document []byte, breakers ...*Breaker) error {
	var set savedSet
	if err := json.Unmarshal(document, &set); err != nil {
		// A later version may look different; then that is what is wrong.
		var only struct{ Version int }
		if json.Unmarshal(document, &only) != nil || only.Version == savedVersion {
			return fmt.Errorf("breaker: saved states: %w", err)
		}
		set.Version = only.Version
	}
	if set.Version != savedVersion {
		return fmt.Errorf("breaker: saved states have version %d, want %d", set.Version, savedVersion)
	}
	saved := make(map[string]Saved, len(set.Breakers))
	for _, s := range set.Breakers {
		saved[s.Name] = s
	}
	var errs []error
	for _, b := range breakers {
		if s, ok := saved[b.name]; ok {
			errs = append(errs, b.Restore(s))
		}
	}
	return errors.Join(errs...)
}

type savedSet struct {
	Version  int     `json:"version"`
	Breakers []Saved `json:"breakers"`
}
