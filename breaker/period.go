package breaker

import (
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/switchgear-go/switchgear/event"
)

// A period is the time between two transitions (rule S5). A permit points to the
// period that issued it; the two are compared by address, so no outcome can be
// taken for another period's, however late it comes.
type period struct {
	breaker *Breaker

	id    uint64
	state State
	start time.Duration

	// tag is what a cell carries while it counts for this period, and plain tells
	// that a call needs no permit: all pass, nothing is timed, only errors are
	// looked at. timed tells that a success must look at the clock. They change
	// together, the tag last: who has read the tag, and then the others, and then
	// counts by that tag, has read what belongs together.
	plain atomic.Bool
	timed atomic.Bool
	tag   atomic.Uint64

	// until is the instant before which calls are refused without looking any
	// further. OPEN: the end of the interval. FORCED_OPEN: the expiry, or the end
	// of time. HALF_OPEN: 0 while a slot is free, else the instant at which the
	// first probe will have been out too long (H8).
	until atomic.Int64

	rejection *Rejection // what refused calls of this period get
	trip      *tripBox   // the last trip before or at the start of this period
	probes    *probes    // HALF_OPEN only; guarded by Breaker.mu

	window  windowed // what the state shows (W5), nil for nothing; guarded by Breaker.mu
	minimum int64    // calls that make a rate there

	draw           float64       // what jitter made of the interval, from 0 to 1 (O2), or noInterval
	hint           time.Duration // the hint it was made with (O3)
	retrips        int           // and its growth steps (O1)
	author, reason string        // of an operator's move
	expires        time.Duration // instant at which it expires; 0 is never
	shown          time.Duration // in OPEN: the time in OPEN that a snapshot has told; guarded by Breaker.mu
}

const source = "breaker"

// Change is the Detail of a breaker's [event.Transition] and [event.Renewed]
// events. It never changes.
type Change struct {
	// Numbers are those of the period that ended, as they were at its end.
	Numbers Numbers `json:"numbers"`
	// Lasted is how long that period was.
	Lasted time.Duration `json:"lasted_ns"`
	// Refused is about how many calls it refused; calls refused in the instant
	// of the transition may be counted to the next.
	Refused uint64 `json:"refused"`
	// Probes and GivenBack are the probes it admitted and the slots given back,
	// if it was HALF_OPEN (rule H4).
	Probes    uint64 `json:"probes,omitzero"`
	GivenBack uint64 `json:"given_back,omitzero"`
	// Trip says why, if a rule or an operator opened the breaker.
	Trip *Trip `json:"trip,omitzero"`
	// Expires is when an operator's move runs out, if it does.
	Expires time.Time `json:"expires,omitzero"`
	// Expired says that an operator's move ran out (rule S4), Restored that the breaker
	// was restored (rule B7).
	Expired  bool `json:"expired,omitzero"`
	Restored bool `json:"restored,omitzero"`
	// ConfigVersion is that of the configuration in effect, see [Snapshot].
	ConfigVersion uint64 `json:"config_version"`
}

// String says what mattered in one line: why the breaker opened, or what the
// period that ended has seen.
func (c *Change) String() string {
	switch {
	case c.Trip != nil && c.Trip.Wait > 0:
		return fmt.Sprintf("%s; next probe in %v", c.Trip.Text(), roundWait(c.Trip.Wait))
	case c.Trip != nil:
		return c.Trip.Text()
	case c.Probes > 0:
		return fmt.Sprintf("after %v: %d of %d probes failed", roundWait(c.Lasted), c.Numbers.Failed, c.Probes)
	}
	return fmt.Sprintf("after %v: %d calls refused", roundWait(c.Lasted), c.Refused)
}

// step is one transition to be made.
type step struct {
	to             State
	at             time.Duration // when the new period starts
	kind           event.Kind
	trip           *Trip // to OPEN and FORCED_OPEN; nil keeps the last one
	errs           []error
	until          time.Duration // OPEN, FORCED_OPEN
	draw           float64       // OPEN: what until was computed from
	hint           time.Duration
	retrips        int
	author, reason string
	expires        time.Duration // instant; 0 is never
	expired        bool          // it ends a move that has run out
	restored       bool
	fill           func() // puts into the emptied window what it starts with; nil for nothing
}

// heldEvent is a transition whose texts are still to be made.
type heldEvent struct {
	seq    uint64
	change *Change
	box    *tripBox
	errs   []error
}

// enter ends the current period and begins the next. It is the only place where
// the state changes, and it appends the one event of that change. Called under mu.
func (b *Breaker) enter(s step) *period {
	old := b.cur.Load()
	b.stop(old) // from here on no outcome of the old period is counted
	b.endGrace(s.at)
	b.stopTimer()

	change := &Change{
		Numbers: old.numbers(s.at),
		Lasted:  max(s.at-old.start, 0),
		Refused: b.total.Rejected + b.cells.rejected() - b.refused,
		Trip:    s.trip,

		Expired: s.expired, Restored: s.restored, ConfigVersion: b.version,
	}
	if old.probes != nil {
		change.Probes, change.GivenBack = old.probes.admitted, old.probes.givenBack
	}
	b.refused += change.Refused
	if old.state == Open {
		b.openTime = max(b.openTime+change.Lasted, old.shown)
	}

	p := &period{
		breaker: b, id: old.id + 1, state: s.to, start: s.at,
		trip: old.trip, author: s.author, reason: s.reason, expires: s.expires,
		draw: s.draw, hint: s.hint, retrips: s.retrips,
	}
	b.fence(p)
	if s.trip != nil {
		p.trip = newTripBox(s.trip)
	}
	if !s.to.admits() {
		p.rejection = &Rejection{Name: b.name, State: s.to, Period: p.id, clk: b.clk, period: p}
		p.until.Store(int64(s.until))
	}
	b.show(p, old)
	if s.fill != nil {
		s.fill()
	}
	b.fastUntil.Store(0) // until resume knows better
	b.cur.Store(p)
	if s.to.admits() {
		b.resume(p, s.at)
	}
	b.startTimer(p)

	wall := b.clk.Now()
	if s.expires > 0 {
		change.Expires = wall.Add(s.expires - s.at)
	}
	e := event.Event{
		Time: wall, Source: source, Name: b.name, Kind: s.kind, From: old.state.String(), To: s.to.String(),
		Period: p.id, Author: s.author, Reason: s.reason, Detail: change,
	}
	if len(s.errs) == 0 {
		b.events.Append(e)
		return p
	}
	b.held = append(b.held, heldEvent{b.events.Hold(e), change, p.trip, s.errs})
	return p
}

// fence gives the period a new tag, so that whatever was about to be counted by
// the state and the rules before is not. Called under mu, with the cells sealed.
func (b *Breaker) fence(p *period) {
	r := b.rules.Load()
	p.plain.Store(p.state.admits() && r.slow == 0 && r.cfg.EnoughTime == 0 && b.classify == nil)
	p.timed.Store(r.clocked)
	b.fences = nextFence(b.fences)
	p.tag.Store(b.fences << countBits)
}

// show sets up the window of a new period (W5).
func (b *Breaker) show(p, old *period) {
	p.minimum = b.rules.Load().minimum
	switch p.state {
	case Closed, MetricsOnly:
		b.clearRecord()
		p.window = b.main
	case HalfOpen:
		p.probes = newProbes(b.rules.Load())
		p.window, p.minimum = p.probes.window, b.rules.Load().needed
	case Open:
		p.window, p.minimum = old.window, old.minimum
	}
	b.errs.take()
	b.hint = 0
}

// numbers returns what the period shows of its window. Called under mu, after
// book.
func (p *period) numbers(now time.Duration) Numbers {
	n := Numbers{Minimum: p.minimum}
	if p.window != nil {
		n.Counts = p.window.Counts(now)
	}
	return n
}

// clearRecord forgets all outcomes recorded so far.
func (b *Breaker) clearRecord() {
	b.main.Reset()
	b.run = 0
	b.scores.reset()
}

// unlock releases the lock, makes the texts of transitions that were waiting for
// it, and delivers the events. Every path that may have made a transition ends
// with it.
func (b *Breaker) unlock() {
	held := b.held
	b.held = nil
	b.mu.Unlock()
	b.finish(held)
	b.events.Deliver()
}

// finish completes the records of trips with their error texts, which is the
// user's code, and lets their events go, even if that code ends the goroutine.
func (b *Breaker) finish(held []heldEvent) {
	if len(held) == 0 {
		return
	}
	h := held[0]
	change := *h.change
	defer func() {
		b.events.Release(h.seq, &change)
		b.finish(held[1:])
		b.events.Deliver()
	}()
	trip := *change.Trip
	trip.Errors = group(h.errs, b.kind)
	h.box.Store(&trip)
	change.Trip = &trip
}

// startTimer arms the timer that the new period wants, if it wants one.
func (b *Breaker) startTimer(p *period) {
	if b.ended {
		return
	}
	cfg := &b.rules.Load().cfg
	var at time.Duration
	var fire func(*period, time.Duration)
	switch {
	case p.expires > 0:
		at, fire = p.expires, b.expire
	case p.state == Open && cfg.Open.Automatic:
		at, fire = time.Duration(p.until.Load()), b.endInterval
	case p.state == HalfOpen && cfg.HalfOpen.MaxWait > 0:
		at, fire = p.start+cfg.HalfOpen.MaxWait, b.giveUpProbing
	default:
		return
	}
	now, alarm := b.clk.Mono(), b.alarm
	at = max(at, now) // a reconfiguration may want an instant that has passed
	b.timer = b.clk.AfterFunc(at-now, func() {
		b.mu.Lock()
		if b.alarm == alarm {
			fire(p, at)
		}
		b.unlock()
	})
}

// stopTimer also keeps a callback from acting that waits for the lock already.
func (b *Breaker) stopTimer() {
	b.alarm++
	if b.timer != nil {
		b.timer.Stop()
		b.timer = nil
	}
}

// endInterval is rule O5: the timer moves OPEN to HALF_OPEN.
func (b *Breaker) endInterval(_ *period, at time.Duration) {
	b.enter(step{to: HalfOpen, at: at, kind: event.Transition})
}

// expire ends an operator state (rule S4). From FORCED_OPEN the breaker becomes
// OPEN with its interval passed, so that the next call probes.
func (b *Breaker) expire(p *period, at time.Duration) {
	s := step{to: Closed, at: at, kind: event.Transition, reason: "the operator's move has expired", expired: true}
	if p.state == ForcedOpen {
		s.to, s.until, s.draw = Open, at, noInterval
	}
	b.enter(s)
}

const forever = time.Duration(math.MaxInt64)
