package breaker

import (
	"encoding/json"
	"errors"
	"fmt"
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
// Counters are not in it; they count the life of one breaker in one process. Nor is
// the score of the evidence rule, nor calls in flight.
type Saved struct {
	// Version is the version of this format, 1.
	Version int       `json:"version"`
	Name    string    `json:"name"`
	Time    time.Time `json:"time"`

	State State     `json:"state"`
	Since time.Time `json:"since"`
	// Until is the end of the interval in OPEN, or an operator's expiry.
	Until time.Time `json:"until,omitzero"`
	// Hint and Retrips made the interval (rules O3, O1). Retrips outlives OPEN.
	Hint    time.Duration `json:"hint_ns,omitzero"`
	Retrips int           `json:"retrips,omitzero"`

	Author string `json:"author,omitzero"`
	Reason string `json:"reason,omitzero"`

	// Runs is the content of a count window, oldest first, and Buckets that of a
	// time window.
	Runs        []SavedRun    `json:"runs,omitempty"`
	Buckets     []SavedBucket `json:"buckets,omitempty"`
	Consecutive int64         `json:"consecutive,omitzero"`

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
// it changes nothing.
func (b *Breaker) Save() Saved {
	now, wall := b.clk.Mono(), b.clk.Now()
	at := func(t time.Duration) time.Time { return wall.Add(t - now).Round(0).UTC() }

	b.mu.Lock()
	defer b.unlock()
	p := b.cur.Load()
	b.book(p)
	s := Saved{
		Version: savedVersion, Name: b.name, Time: at(now), State: p.state, Since: at(p.start),
		Hint: p.hint, Retrips: b.eased(p, now), Author: p.author, Reason: p.reason, LastTrip: p.trip.record(),
	}
	switch {
	case p.expires > 0:
		s.Until = at(p.expires)
	case p.state == Open:
		s.Until = at(time.Duration(p.until.Load()))
	}
	if !p.state.records() {
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

// Restore brings a new breaker to where a saved one was, aged by the time that
// has passed on the wall clock:
//
//   - OPEN keeps what is left of its interval, at most the interval that the
//     configuration gives; HALF_OPEN becomes OPEN with its interval passed, so that
//     the next call probes. Where the state was saved longer ago than one interval,
//     both become CLOSED.
//   - An operator's state is kept for what is left until its expiry, and without one
//     until somebody moves it.
//   - In CLOSED and METRICS_ONLY the window drops what has expired. A window of
//     another kind than the configured one is left out.
//
// The breaker enters the state in a new period, with an event that names the
// restart as its reason. If s has another version or name, or makes no sense, the
// error says so and nothing has changed. A clock that has gone back since is taken
// as no time passed.
func (b *Breaker) Restore(s Saved) error {
	if err := s.check(b.name); err != nil {
		return err
	}
	now, wall := b.clk.Mono(), b.clk.Now()
	left := func(t time.Time) time.Duration { return max(t.Sub(wall), 0) }
	age := max(wall.Sub(s.Time), 0)

	b.mu.Lock()
	defer b.unlock()
	r := b.rules.Load()
	b.retrips = s.Retrips
	if s.State == Closed {
		b.retrips = eased(s.Retrips, age/r.cfg.Open.Wait)
	}
	interval := r.interval(max(s.Retrips-1, 0), s.Hint, noDraw) // Retrips is for the next

	st := step{
		to: s.State, at: now, author: s.Author, hint: s.Hint, retrips: s.Retrips, draw: noDraw,
		reason: "restored from " + s.Time.Format(time.RFC3339),
	}
	if s.Reason != "" {
		st.reason += ": " + s.Reason
	}
	switch {
	case s.State.operator() && !s.Until.IsZero():
		st.expires = now + min(left(s.Until), maxDuration)
		st.until = st.expires
	case s.State == ForcedOpen:
		st.until = forever
	case (s.State == Open || s.State == HalfOpen) && age > interval:
		st.to = Closed
	case s.State == Open:
		st.until = now + min(left(s.Until), interval)
	case s.State == HalfOpen:
		st.to, st.until = Open, now
	}
	st.kind = event.Transition
	if st.to == b.cur.Load().state {
		st.kind = event.Renewed
	}
	var last *Trip
	if s.LastTrip != nil {
		t := *s.LastTrip
		last = &t
	}
	if !st.to.admits() {
		st.trip = last
	}
	p := b.enter(st)
	if st.trip == nil && last != nil {
		p.trip = newTripBox(last) // refusals, which read it without the lock, are not of this state
	}
	if p.state.records() && s.State == p.state {
		b.stop(p)
		b.refill(s, now, wall)
		b.resume(p, now)
	}
	if p.expires > 0 && p.expires == now {
		b.expire(p, now)
	}
	return nil
}

// refill puts saved outcomes into the empty window.
func (b *Breaker) refill(s Saved, now time.Duration, wall time.Time) {
	b.run = s.Consecutive
	switch w := b.main.(type) {
	case *window.Count:
		for _, r := range s.Runs {
			w.Add(window.Run(r))
		}
	case *window.Time:
		for _, c := range s.Buckets {
			w.Add(now-max(wall.Sub(c.Start), 0), window.Counts{
				Calls: c.Calls, Failed: c.Failed, Slow: c.Slow, SlowFailed: c.SlowFailed,
			})
		}
	}
}

// check returns why s cannot be restored to the breaker with this name, or nil.
func (s *Saved) check(name string) error {
	switch {
	case s.Version != savedVersion:
		return fmt.Errorf("breaker %q: saved state has version %d, want %d", name, s.Version, savedVersion)
	case s.Name != name:
		return fmt.Errorf("breaker %q: saved state is of breaker %q", name, s.Name)
	case s.State >= states:
		return fmt.Errorf("breaker %q: saved state: %v", name, s.State)
	case s.Time.IsZero():
		return fmt.Errorf("breaker %q: saved state has no time", name)
	case s.State == Open && s.Until.IsZero():
		return fmt.Errorf("breaker %q: saved OPEN state has no until", name)
	case s.Retrips < 0 || s.Hint < 0 || s.Consecutive < 0:
		return fmt.Errorf("breaker %q: saved state has a negative number: retrips %d, hint %v, consecutive %d",
			name, s.Retrips, s.Hint, s.Consecutive)
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
// The error joins what was wrong with single breakers; it does not keep the others
// from being restored.
func RestoreAll(document []byte, breakers ...*Breaker) error {
	var set savedSet
	if err := json.Unmarshal(document, &set); err != nil {
		return fmt.Errorf("breaker: saved states: %w", err)
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
