package main

import (
	"context"
	"math/rand/v2"
	"runtime"
	"time"
)

// A plan is how a call is to go.
type plan struct {
	ending *ending
	value  int
	slow   bool
	end    end
}

// end is how the protected function ends.
type end uint8

const (
	returns end = iota
	panics
	exits
)

var (
	plainSuccess = always("success", success, context.Background(), nil)
	plainFailure = always("down", failure, context.Background(), errDown)
)

// devise makes the plan of a call from random bits, by the weather.
func (w *worker) devise(bits uint64) {
	sc, e := w.round.sc, w.round.endings
	now := sc.weatherOf(w.s.index, w.done>>sc.epoch)
	chance := func(width int) int { // of 2 to the power of width
		n := int(bits & (1<<width - 1))
		bits >>= width
		return n
	}
	p := &w.plan
	*p = plan{ending: &plainSuccess, value: good, slow: chance(10) < now.slow}
	failing := chance(10) < now.failing
	switch n := chance(10); {
	case n < 2:
		p.end, p.ending = panics, &plainFailure
	case n == 2 && chance(3) == 0:
		p.end = exits
	case n < 20:
		p.ending = &e.ignore[w.rng.IntN(len(e.ignore))]
	case n < 40:
		p.ending = &e.succeed[w.rng.IntN(len(e.succeed))]
	case !failing:
	case chance(2) > 0:
		p.ending = &plainFailure
	case chance(4) > 0:
		p.ending = &e.fail[w.rng.IntN(len(e.fail))]
	case sc.quits:
		p.ending = &w.s.quitting
	default:
		p.ending = &w.s.nosy
	}
}

// expected returns the outcome that the plan leads to; judged tells that the call has a
// classifier of its own.
func (w *worker) expected(judged bool) kind {
	switch p := &w.plan; {
	case judged && p.value == bad && p.ending.err == nil:
		return failure
	case judged:
		return p.ending.judged
	case w.round.sc.classifier:
		return p.ending.classified
	default:
		return p.ending.plain
	}
}

// explodes reports whether the call will panic.
func (w *worker) explodes(judged bool) bool {
	return w.plan.end == panics || w.plan.ending.bomb && (judged || w.round.sc.classifier)
}

// during is what happens inside a call.
func (w *worker) during() {
	if !w.plan.slow {
		if w.rng.Uint64()&127 == 0 {
			runtime.Gosched()
		}
		return
	}
	w.events[madeSlow]++
	if v := w.round.virtual; v != nil {
		v.Advance(w.round.slowAfter + 1)
		return
	}
	for start := w.round.clk.Mono(); w.round.clk.Mono()-start <= w.round.slowAfter; {
	}
}

// passTime lets some time pass if it is virtual, on average as many units as there are operations.
func (r *round) passTime(rng *rand.Rand) {
	if r.virtual == nil {
		return
	}
	bits := rng.Uint64()
	if r.sc.jumps && bits&255 == 0 {
		r.virtual.JumpWall(time.Duration(rng.IntN(2001)-1000) * r.sc.unit)
	}
	r.virtual.Advance(time.Duration(bits>>8&15) * r.sc.unit)
}

// weatherOf returns how a subject's dependency fares in an epoch. It is computed and not kept, so that
// the workers agree on it without sharing anything.
func (s *scenario) weatherOf(subject, epoch int) weather {
	x := s.seed + uint64(subject)*0x9e3779b97f4a7c15 + uint64(epoch)*0xd1b54a32d192ed03
	x = (x ^ x>>31) * 0xbf58476d1ce4e5b9
	x ^= x >> 29
	return s.climate[x%uint64(len(s.climate))]
}
