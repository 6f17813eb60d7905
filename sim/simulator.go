package sim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/sim/internal/events"
	"github.com/switchgear-go/switchgear/sim/internal/random"
)

// A Simulator runs one scenario, as often as one likes. It keeps its memory from
// run to run. It is not safe for concurrent use: to run in parallel, give each
// goroutine its own.
type Simulator struct {
	cfg      Config
	warnings []switchgear.Problem

	queue         events.Queue
	clock         *events.Clock
	arrivals      arrivals
	think         sampler // of a closed load
	places        []place // the client, then the services
	frames        []frame
	free          uint32 // head of the list of free frames
	waits         int    // events in the queue that are no timers
	flights       []*flight
	spareFlights  []*flight
	spareAttempts []*attempt
	rec           recorder
	journal       journal

	now     func() time.Time // of the clock
	keys    random.Stream    // of calls, when anything depends on them
	keyed   bool
	routing random.Stream // of calls to the client's instances
	users   random.Stream
	ended   time.Duration // of the last call
	err     error
}

// Purposes of random streams. The first is that of the reference.
const (
	purposeArrivals = iota
	purposeLatency
	purposeErrors
	purposeKeys
	purposeRouting
	purposeThink
	purposeJitter
	purposeBackoff
	purposeProbing
	purposeChance
)

// Kinds of events.
const (
	kindTimer   = iota // a policy's timer
	kindReply          // the answer to the call that a frame has made
	kindServed         // a service's own time for a frame is over
	kindTimeout        // a caller's patience with the call of a frame is over
	kindUser           // a user of a closed load calls
	kindAnswer         // the answer to an attempt, if it is still waited for
	kindWake           // a flight's turn, or the end of its backoff
	kindHedge          // a flight may make another attempt
	kindTotal          // a flight's time is over
)

// MaxInFlight is how many calls a run may have in progress or waiting at the same
// time, those at all places together; where there are policies, each attempt under
// way counts like a call. A run in which there are more ends with
// [ErrTooMany].
const MaxInFlight = 1 << 20

// ErrTooMany is the error of a run with more calls in progress than [MaxInFlight].
// Either more arrives than can be served, or the rate times the time that calls take is
// more than that.
var ErrTooMany = errors.New("sim: more than a million calls are in progress or waiting at the same time")

// ErrTooManyTimers is the error of a run with more than 16,777,216 timers of policies in
// its queue. Stopped ones stay there until they would have been due, so that many calls
// with long limits make many of them.
var ErrTooManyTimers = errors.New("sim: more than 16 million timers of policies, stopped ones among them, are not due yet")

// ErrTooLong is the error of a run with more events than can be put in order: some
// sixty thousand million.
var ErrTooLong = errors.New("sim: more events than can be put in order")

// Errors that the simulated services answer with. Policies and trip records see
// them.
var (
	errBroken      = errors.New("the service answered with an error")
	errThrottled   = errors.New("the service answered: too many requests")
	errOverloaded  = errors.New("the service has no worker and no place to wait")
	errUnavailable = errors.New("a service behind the service is not available")
)

// epoch is the wall-clock time at the start of every run.
var epoch = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// New returns a simulator of the scenario. If it is not valid, the error is a
// [*switchgear.ConfigError] that lists everything wrong with it. The simulator
// keeps its own copy of cfg, but not of the values in its distributions and
// recorded arrivals, which must not be changed afterwards. What is possible but
// doubtful is a warning: see [Simulator.Warnings].
func New(cfg Config) (*Simulator, error) {
	cfg, warnings, err := settle(cfg)
	if err != nil {
		return nil, err
	}
	s := &Simulator{cfg: cfg, warnings: warnings, arrivals: newArrivals(&cfg), think: newSampler(cfg.Load.Think)}
	s.clock = events.NewClock(epoch, &s.queue, kindTimer)
	s.now = s.clock.Now
	s.rec = newRecorder(&s.cfg)
	s.journal.clock = s.clock
	s.places = newPlaces(&s.cfg)
	for i := range s.places {
		p := &s.places[i]
		s.keyed = s.keyed || i > 0 && len(p.instances) > 1 || p.faults.keyed()
	}
	s.think.stream = &s.users
	return s, nil
}

// Config returns the scenario with every default filled in.
func (s *Simulator) Config() Config { return s.cfg }

// Warnings returns what New found doubtful: settings that have no effect, and all that
// the policies have to say of theirs.
func (s *Simulator) Warnings() []switchgear.Problem { return slices.Clone(s.warnings) }

// Run simulates the scenario once. The same seed gives the same result, on any
// number of processors and after any other run. It returns early, with what it has
// measured so far and the context's error, when ctx is done.
func (s *Simulator) Run(ctx context.Context, seed uint64) (*Result, error) {
	if err := s.start(seed); err != nil {
		return nil, err
	}
	arrived, err := s.loop(ctx)
	res := s.report(seed)
	res.Events += arrived
	if err != nil {
		return res, fmt.Errorf("sim: %s with seed %d, at %v: %w", s.cfg.Name, seed, s.clock.Mono(), err)
	}
	return res, nil
}

// start makes everything as new.
func (s *Simulator) start(seed uint64) error {
	g := s.cfg.Generator
	s.queue.Reset()
	s.clock.Reset()
	s.frames, s.free, s.waits, s.ended, s.err = s.frames[:0], none, 0, 0, nil
	s.spareFlights = append(s.spareFlights[:0], s.flights...)
	for i, fl := range s.flights { // the last run may have been broken off
		*fl = flight{s: s, index: uint32(i), errs: fl.errs[:0]}
	}
	s.rec.start()
	s.journal.start()
	s.arrivals.start(g, seed)
	s.keys.Seed(random.PCG, seed, purposeKeys, 0)
	s.routing.Seed(random.PCG, seed, purposeRouting, 0)
	s.users.Seed(random.PCG, seed, purposeThink, 0)
	for i := range s.places {
		if err := s.startPlace(i, seed); err != nil {
			return err
		}
	}
	if g == MT19937 { // it goes on where the arrivals have left it
		s.places[1].latency.stream = &s.arrivals.stream
	}
	if s.cfg.Load.Kind == Closed {
		for u := range uint32(s.cfg.Load.Users) {
			s.thinkNext(u)
		}
	}
	return nil
}

// checkEvery is how many events pass between two looks at the context.
const checkEvery = 1 << 16

// mostEvents leaves room for what may be put in between two looks: each event
// puts in a few at most.
const mostEvents = events.MaxEvents - 100*checkEvery

// loop runs the events in order of time. Arrivals of an open load do not go through
// the queue; they come before other events of the same instant, as if they had all
// been put in first.
func (s *Simulator) loop(ctx context.Context) (arrived uint64, err error) {
	next := s.arrivals.next()
	for turn := uint64(0); ; turn++ {
		if turn%checkEvery == 0 {
			if err := ctx.Err(); err != nil {
				return arrived, err
			}
			if s.queue.Pushed() > mostEvents {
				return arrived, ErrTooLong
			}
			if s.clock.Overflowed() {
				return arrived, ErrTooManyTimers
			}
		}
		at, waiting := s.queue.Next()
		switch {
		case next != never && (!waiting || next <= at):
			s.clock.Set(next)
			s.arrive(next, none)
			arrived++
			next = s.arrivals.next()
		case s.waits > 0 || next != never:
			e := s.queue.Pop()
			s.clock.Set(e.At)
			s.handle(e)
		case s.clock.Overflowed():
			return arrived, ErrTooManyTimers
		default: // timers may be left, but there is nobody to notice
			return arrived, nil
		}
		if s.err != nil {
			return arrived, s.err
		}
	}
}

func (s *Simulator) handle(e events.Event) {
	if e.Kind() == kindTimer {
		s.clock.Fire(e.Slot())
		return
	}
	s.waits--
	switch e.Kind() {
	case kindReply:
		s.replied(e.Slot())
	case kindServed:
		s.served(e.Slot())
	case kindTimeout:
		s.timedOut(e.Slot(), e.Seq())
	case kindUser:
		s.arrive(e.At, e.Slot())
	case kindAnswer:
		s.answer(e.Slot(), e.Seq())
	case kindWake:
		s.woken(s.flights[e.Slot()])
	case kindHedge:
		s.hedged(e.Slot(), e.Seq())
	case kindTotal:
		s.expired(e.Slot(), e.Seq())
	}
}

// push puts an event into the queue that is d from now.
func (s *Simulator) push(d time.Duration, kind uint8, slot uint32) uint64 {
	s.waits++
	return s.queue.Push(s.clock.Mono()+d, kind, slot)
}

// thinkNext lets a user of a closed load think, and then call, unless the run is
// over by then.
func (s *Simulator) thinkNext(user uint32) {
	if d := s.think.draw(); s.clock.Mono()+d < s.cfg.Duration {
		s.push(d, kindUser, user)
	}
}

func (s *Simulator) report(seed uint64) *Result {
	res := &Result{Name: s.cfg.Name, Seed: seed, Ended: s.ended, Events: s.queue.Pushed(), watched: s.cfg.watched()}
	s.rec.report(res, s.clock.Mono())
	s.journal.report(res)
	for i := range s.places {
		s.places[i].report(i, res, s.cfg.Duration, s.clock.Mono())
	}
	res.Draws = Draws{Arrivals: s.arrivals.draws, Latency: s.places[1].latency.draws}
	return res
}
