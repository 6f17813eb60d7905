package main

import (
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
)

// opKind is a kind of operation.
type opKind int

const (
	opDo opKind = iota
	opDoMethod
	opDoJudged
	opAcquire
	opRead
	opMove
	opReset
	opReconfigure
	opLook
	opSave
	opRestart
	opRestore
	opClose
	opSample
	opKinds
)

var opNames = [opKinds]string{
	"calls by Do", "calls by the method Do", "calls by DoJudged", "calls by Acquire", "state and readiness",
	"moves", "resets", "reconfigurations", "snapshots and other readings", "saves", "restarts on a fresh breaker", "restorations",
	"closings", "snapshots compared with the one before",
}

// longestMove bounds the expiry of a move, in units of time.
const longestMove = 200

// operateRarely makes one of the operations that are not calls; n is below the sum of the odds.
func (w *worker) operateRarely(n int) {
	o := &w.round.sc.odds
	for _, rare := range []struct {
		odds int
		kind opKind
		do   func(*worker)
	}{
		{o.look, opLook, (*worker).look},
		{o.move, opMove, (*worker).move},
		{o.reset, opReset, (*worker).reset},
		{o.reconfigure, opReconfigure, (*worker).reconfigure},
		{o.save, opSave, (*worker).save},
		{o.restart, opRestart, (*worker).restart},
		{o.restore, opRestore, (*worker).restore},
		{o.close, opClose, (*worker).close},
	} {
		if n < rare.odds {
			w.kinds[rare.kind]++
			rare.do(w)
			return
		}
		n -= rare.odds
	}
}

func (o *odds) sum() int {
	return o.look + o.move + o.reset + o.reconfigure + o.save + o.restart + o.restore + o.close
}

func (w *worker) look() {
	switch w.rng.IntN(4) {
	case 0:
		w.s.b.Counters()
	case 1:
		w.s.b.Events()
	case 2:
		if cfg := w.s.b.Config(); !w.round.has(cfg) {
			w.fail("R1: a configuration that nobody has given: %+v", cfg)
		}
		w.s.b.Warnings()
	default:
		snap := w.s.b.Snapshot()
		if err := w.round.bounds.check(&snap, w.s.brought.Load()); err != nil {
			w.s.fail(err)
		}
	}
}

func (w *worker) move() {
	m := breaker.Move{To: breaker.State(w.rng.IntN(states)), Author: "worker", Reason: "soak"}
	if m.To > breaker.HalfOpen && w.rng.IntN(8) > 0 {
		m.For = time.Duration(1+w.rng.IntN(longestMove)) * w.round.sc.unit
	}
	if err := w.s.b.Move(m); err != nil {
		w.fail("S4: the move %+v is valid, and was refused: %w", m, err)
	}
}

func (w *worker) reset() {
	if err := w.s.b.Reset("worker", "soak"); err != nil {
		w.fail("S4: a reset was refused: %w", err)
	}
}

func (w *worker) reconfigure() { w.s.reconfigure(w.rng.IntN(len(w.s.pool))) }

func (w *worker) save() { w.saved() }

// saved returns a saved state, by way of its document.
func (w *worker) saved() (s breaker.Saved) {
	document, err := json.Marshal(w.s.b.Save())
	if err == nil {
		err = json.Unmarshal(document, &s)
	}
	if err != nil {
		w.fail("B1: a saved state is no document: %w", err)
	}
	return s
}

// restore takes a breaker to where it was a moment ago, while others use it.
func (w *worker) restore() {
	s := w.saved()
	w.s.brought.Add(brings(&s))
	if err := w.s.b.Restore(s); err != nil {
		w.fail("B1: %w", err)
	}
}

// restart restores to a fresh breaker, and uses that for a moment.
func (w *worker) restart() {
	saved := w.saved()
	s, err := w.round.newSubject(w.s.index, w.s.b.Name())
	if err != nil {
		w.fail("R1: %w", err)
		return
	}
	s.aside = true
	s.brought.Store(brings(&saved))
	if err := s.b.Restore(saved); err != nil {
		s.fail(fmt.Errorf("B1: %w", err))
	}
	snap := s.b.Snapshot()
	s.fail(w.round.bounds.check(&snap, s.brought.Load()))
	if snap.Period < 2 {
		s.fail(fmt.Errorf("B1: restored, and in period %d", snap.Period))
	}
	var books tally
	s.use(&books, 20)
	s.settleAccounts(&books)
}

// close closes a breaker, which goes on working without timers.
func (w *worker) close() { w.s.close() }

// A watcher takes snapshots of all breakers in turn.
type watcher struct {
	round    *round
	over     *atomic.Bool
	samplers []sampler
	next     int
	samples  uint64
}

// work watches until the round is over. A listener may end its goroutine, too.
func (v *watcher) work() {
	for !v.over.Load() {
		i := v.next % len(v.samplers)
		v.next++
		v.samples++
		s := v.round.subjects[i]
		had := s.brought.Load()
		snap := s.b.Snapshot()
		s.fail(v.samplers[i].add(snap, had, s.brought.Load()))
		time.Sleep(50 * time.Microsecond)
	}
}
