package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/switchgear-go/switchgear/breaker"
)

// A worker is one caller of all the breakers of a round. It shares nothing with the others that
// it need not, so that nothing but the breakers orders what they do.
type worker struct {
	round *round
	rng   *rand.Rand

	left, done int // operations
	tallies    []tally
	kinds      [opKinds]uint64
	events     [happenings]uint64
	kept       []permit

	// Periods that refused calls, with the state that they gave as theirs, by subject; and the
	// last refusal, because all of a period are the same.
	sightings [][]mark
	refusal   *breaker.Rejection

	// The operation in hand. A listener may end the goroutine in the middle of it.
	s       *subject
	t       *tally
	plan    plan
	phase   phase
	ran     bool // the protected function
	outcome kind // of the call, if the goroutine ended now
	hand    permit
	holding bool // there is a permit in hand

	protect      func(context.Context) (int, error)
	protectPlain func(context.Context) error
}

// phase tells what a goroutine was at when it ended.
type phase uint8

const (
	elsewhere phase = iota
	acquiring       // in Acquire
	calling         // in Do
)

// Things that happen to calls and callers, for the report.
type happening int

const (
	panicked happening = iota
	exited
	vanished
	settledAgain
	copied
	lost
	madeSlow
	attributed
	unattributed
	happenings
)

var happeningNames = [happenings]string{
	"protected functions that panicked", "protected functions that called Goexit", "callers ended by a listener",
	"permits settled again", "copies of a probe's permit settled", "permits never settled", "calls made slow",
	"probes of a known period", "probes of an uncertain period",
}

// newWorker makes a worker that is to do so many operations.
func (r *round) newWorker(act, id, ops int) *worker {
	w := &worker{
		round: r, left: ops, rng: rand.New(rand.NewPCG(r.sc.seed, uint64(act)<<32|uint64(id))),
		tallies: make([]tally, len(r.subjects)), sightings: make([][]mark, len(r.subjects)),
	}
	w.protect = w.protected
	w.protectPlain = func(ctx context.Context) error { _, err := w.protected(ctx); return err }
	return w
}

// batch is how many operations a worker makes before it looks up.
const batch = 64

// work does what is left to do, and then settles what is still out.
func (w *worker) work() {
	for w.left > 0 && !w.round.run.stopped() {
		for range min(w.left, batch) {
			w.left-- // first: the operation may not return
			w.done++
			w.operate()
		}
		w.round.run.progress.Add(batch)
	}
	for len(w.kept) > 0 {
		w.letGo(len(w.kept) - 1)
	}
}

// replaced does the books for a goroutine that was ended by a listener, by an error's text or by
// the protected function. Another one goes on in its place.
func (w *worker) replaced() {
	at := w.phase
	w.phase = elsewhere
	switch {
	case at == calling && w.ran:
		w.count(w.outcome)
	case at != elsewhere: // it will never know whether it was admitted
		w.t.unknown++
	}
	if at == calling && w.plan.end == exits {
		w.events[exited]++
	} else {
		w.events[vanished]++
	}
	if w.holding {
		w.holding = false
		w.kept = append(w.kept, w.hand)
	}
}

// count enters a call through Do into the books.
func (w *worker) count(k kind) {
	w.t.admitted++
	w.t.blind++
	w.t.settled[k]++
}

// fail reports a violation with the breaker in hand.
func (w *worker) fail(format string, args ...any) { w.s.fail(fmt.Errorf(format, args...)) }

// take takes up a subject.
func (w *worker) take(i int) { w.s, w.t = w.round.subjects[i], &w.tallies[i] }

// operate makes one operation.
func (w *worker) operate() {
	i := 0
	if n := len(w.round.subjects); n > 1 {
		i = w.rng.IntN(n)
	}
	w.take(i)
	bits := w.rng.Uint64()
	if n := int(bits & 0xffff); n < w.round.rare {
		w.operateRarely(n)
		return
	}
	bits >>= 16
	if bits&7 == 0 {
		w.round.passTime(w.rng)
	}
	w.devise(w.rng.Uint64())
	switch n := bits >> 3 & 15; {
	case n == 15:
		w.read()
	case w.round.sc.permits || n < 5:
		w.callInSteps()
	case n == 5:
		w.callJudged()
	case n == 6:
		w.callMethod()
	default:
		w.call()
	}
}

// read reads what costs little.
func (w *worker) read() {
	w.kinds[opRead]++
	if s := w.s.b.State(); s > breaker.ForcedOpen {
		w.fail("S4: state %v", s)
	}
	w.s.b.Ready()
}
