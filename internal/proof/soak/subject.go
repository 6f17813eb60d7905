package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/event"
)

// A mark is a period and its state in one word, as listeners have last heard of them. The
// breaker is there already, or further: events come after what they tell.
type mark uint64

func markOf(period uint64, s breaker.State) mark { return mark(period<<3 | uint64(s)) }

func (m mark) period() uint64       { return uint64(m) >> 3 }
func (m mark) state() breaker.State { return breaker.State(m & 7) }

// admits reports whether a state lets every call through (S1, S4).
func admits(s breaker.State) bool {
	return s == breaker.Closed || s == breaker.Disabled || s == breaker.MetricsOnly
}

// A subject is a breaker under test, with those who watch it.
type subject struct {
	round *round
	index int
	aside bool // made and used by one worker only
	b     *breaker.Breaker
	clk   *timers
	pool  []*limits // the configurations that it may get
	gate  *gate

	history *history // of the listener; plain, since events come one after the other (S7)
	known   atomic.Uint64
	async   *event.AsyncListener
	queued  uint64 // events that async has handed on
	lastSeq uint64 // of these

	brought atomic.Uint64 // outcomes, or the run, that restored states may have brought along

	mayQuit atomic.Bool // listeners and errors may end goroutines
	quits   atomic.Uint64
	panics  atomic.Uint64 // of listeners

	// reconfiguring is held by whoever changes the configuration, so that versions can be
	// told. It is only ever tried: a listener that runs meanwhile must not wait for itself.
	reconfiguring sync.Mutex
	configMu      sync.Mutex
	configs       []*limits // by version, from 1

	// Errors that know the breaker.
	nosy, quitting ending

	// Of the listener that calls back.
	quiet bool // nothing more is to happen
	calls tally
	rng   *rand.Rand
}

// newSubject makes the breaker of the given number. It has the first configuration of the
// pool.
func (r *round) newSubject(index int, name string) (*subject, error) {
	sc := r.sc
	s := &subject{round: r, index: index, pool: r.pool, rng: rand.New(rand.NewPCG(sc.seed, uint64(index)))}
	s.configs = s.pool[:1:1]
	s.clk = &timers{Clock: r.clk, fail: func(err error) { go s.fail(err) }} // not under the breaker's lock
	s.gate = newGate(s.clk.Mono, s.pool)
	s.history = newHistory(name, s.limitsOf)
	if !sc.jumps {
		s.history.made = s.clk.Now()
	}
	s.known.Store(uint64(markOf(1, breaker.Closed)))
	s.nosy = always("nosy", failure, context.Background(), nosy{s})
	s.quitting = always("quitting", failure, context.Background(), quitting{s})

	opts := []breaker.Option{
		breaker.WithClock(s.clk), breaker.WithRecent(sc.recent), breaker.WithRandom(s.jitter()),
		breaker.WithListener(event.Func(s.hear)),
	}
	if sc.classifier {
		opts = append(opts, breaker.WithClassifier(judgeError))
	}
	if sc.kinds {
		opts = append(opts, breaker.WithErrorKind(kindOf))
	}
	if sc.callbacks {
		opts = append(opts, breaker.WithListener(event.Func(s.callBack)))
	}
	if sc.panics {
		opts = append(opts, breaker.WithListener(event.Func(s.panic)))
	}
	if sc.quits {
		opts = append(opts, breaker.WithListener(event.Func(s.quit)))
	}
	if sc.async > 0 {
		s.async = event.Async(event.Func(s.dequeue), sc.async)
		opts = append(opts, breaker.WithListener(s.async))
	}
	b, err := breaker.New(name, s.pool[0].cfg, opts...)
	s.b = b
	return s, err
}

// fail reports a violation, together with what the breaker looks like.
func (s *subject) fail(err error) {
	if err == nil {
		return
	}
	s.round.run.violated(s.round, s, err)
}

// oddNumbers are what no random source should return (O2).
var oddNumbers = []float64{-1, 2, math.NaN(), math.Inf(1), math.Inf(-1), 0, 1}

// jitter returns the random source, which now and then returns what none should.
func (s *subject) jitter() func() float64 {
	rng := rand.New(rand.NewPCG(s.round.sc.seed, uint64(s.index)+1<<32))
	if !s.round.sc.badRandom {
		return rng.Float64
	}
	return func() float64 {
		if rng.IntN(4) == 0 {
			return oddNumbers[rng.IntN(len(oddNumbers))]
		}
		return rng.Float64()
	}
}

func (s *subject) limitsOf(version uint64) *limits {
	s.configMu.Lock()
	defer s.configMu.Unlock()
	if version < 1 || version > uint64(len(s.configs)) {
		return nil
	}
	return s.configs[version-1]
}

// reconfigure changes the configuration to one of the pool, unless somebody else is at it.
func (s *subject) reconfigure(i int) {
	if !s.reconfiguring.TryLock() {
		return
	}
	defer s.reconfiguring.Unlock() // also if a listener ends the goroutine
	s.configMu.Lock()
	next, n := s.pool[i], len(s.configs)
	if s.configs[n-1] != next { // the pool has no two that are the same
		s.configs = append(s.configs, next) // before the event that tells of it
	}
	s.configMu.Unlock()
	if err := s.b.Reconfigure(next.cfg); err != nil {
		s.fail(fmt.Errorf("R1: the configuration is valid, and was refused: %w", err))
	}
}

// hear is the listener that checks.
func (s *subject) hear(e event.Event) {
	err := s.history.add(e)
	s.known.Store(uint64(markOf(s.history.period, s.history.state)))
	s.fail(err)
}

// dequeue is behind the asynchronous listener, which may drop events and must not turn
// them round.
func (s *subject) dequeue(e event.Event) {
	if e.Seq <= s.lastSeq {
		s.fail(fmt.Errorf("S7: the asynchronous listener got event %d after %d", e.Seq, s.lastSeq))
	}
	s.queued, s.lastSeq = s.queued+1, e.Seq
}

// callBack is a listener that uses the breaker (S7). It does little of what can make new events,
// or it would be for ever busy with those.
func (s *subject) callBack(event.Event) {
	if s.b == nil || s.quiet { // nil while the breaker is being made, and warns
		return
	}
	switch n := s.rng.IntN(64); {
	case n == 0:
		m := breaker.Move{To: breaker.State(s.rng.IntN(states)), Author: "listener", Reason: "soak"}
		if err := s.b.Move(m); err != nil {
			s.fail(fmt.Errorf("S4: %w", err))
		}
	case n < 8:
		snap := s.b.Snapshot()
		if err := consistent(snap.Numbers); err != nil {
			s.fail(err)
		}
	case n < 16:
		p, err := s.b.Acquire(context.Background())
		if err != nil {
			s.calls.refused++
			return
		}
		s.calls.admitted++
		s.calls.blind++
		if n%2 == 0 {
			s.calls.settled[success]++
			p.Success()
		} else {
			s.calls.settled[failure]++
			p.Failure(errDown)
		}
	default:
		s.b.Ready()
	}
}

func (s *subject) panic(e event.Event) {
	if e.Seq%3 == 0 {
		s.panics.Add(1)
		panic("listener")
	}
}

func (s *subject) quit(e event.Event) {
	if e.Seq%64 == 0 && s.mayQuit.Load() {
		s.quits.Add(1)
		runtime.Goexit()
	}
}

// beforehand returns what is known of the breaker before a call.
func (s *subject) beforehand() mark { return mark(s.known.Load()) }

// since returns, after a call, which periods there were since a mark that was taken before it:
// the newest, the only half-open one (0 if there is none, or more than one), whether any was
// half-open, and whether any admits all calls. It is false if not all of them are remembered.
func (s *subject) since(before mark) (p periods, ok bool) {
	return periodsSince(before, s.recent())
}

// recent returns the newest events, those of every period that has admitted a call by now among
// them. A new period can be met a moment before its event is there, since both happen under the
// breaker's lock and a call in CLOSED takes none; so the lock is taken here.
func (s *subject) recent() []event.Event {
	s.b.Counters()
	return s.b.Events()
}

// periods tells which periods a caller may have met.
type periods struct {
	newest   uint64
	halfOpen uint64 // the only one, or 0
	probing  bool   // there is one that is half-open
	open     bool   // there is one that admits all calls
}

func periodsSince(before mark, recent []event.Event) (p periods, ok bool) {
	p.newest = before.period()
	p.note(before.period(), before.state())
	next := before.period() + 1
	for i := range recent {
		e := &recent[i]
		if e.Period < next {
			continue
		}
		var to breaker.State
		if e.Period != next || to.UnmarshalText([]byte(e.To)) != nil {
			return p, false // the event that began it is forgotten
		}
		p.note(next, to)
		next++
	}
	// That nothing is remembered means that nothing has happened.
	return p, len(recent) > 0 || before.period() == 1
}

func (p *periods) note(period uint64, s breaker.State) {
	p.newest = period
	p.open = p.open || admits(s)
	if s == breaker.HalfOpen {
		p.halfOpen = period
		if p.probing {
			p.halfOpen = 0
		}
		p.probing = true
	}
}

// stillIn reports whether a period, which must have been in force, is so still.
func (s *subject) stillIn(period uint64) bool {
	recent := s.recent()
	if len(recent) == 0 {
		return period == 1
	}
	return recent[len(recent)-1].Period == period
}

// close closes the breaker, which then has no timer any more and makes none. Others may go on
// using it.
func (s *subject) close() {
	s.b.Close()
	s.clk.closed.Store(true)
	if n, _ := s.clk.counts(); n != 0 {
		s.fail(fmt.Errorf("K2: %d timers left after Close", n))
	}
}

// rest waits until the callbacks of timers that had started before have returned.
func (s *subject) rest() {
	if !s.round.run.eventually(func() bool { return s.clk.alive.Load() == 0 }) {
		s.fail(fmt.Errorf("K2: %d timers were never stopped, or do not return", s.clk.alive.Load()))
	}
}
