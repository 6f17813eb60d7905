package main

import (
	"fmt"
	"math"
	"sync"
	"time"
)

// A gate counts the probes of one breaker from outside: what callers hold that they know to
// be a probe's permit, and of which period (H1). A caller enters after it was admitted and
// leaves before it settles, so the gate never counts more than the breaker should.
type gate struct {
	now    func() time.Duration
	probes int           // the most that any configuration of this breaker allows
	limit  time.Duration // the shortest probe limit of any of them

	// whole tells that there is one configuration, with a verdict by rate. Then a slot that
	// was used for an outcome, or by a probe that is overdue, stays used in its period.
	whole bool

	mu      sync.Mutex
	periods map[uint64]*gated
	newest  uint64
	entered uint64
}

// gated is one half-open period.
type gated struct {
	out  map[uint64]time.Duration // when each probe was asked for, at the latest
	used int
}

const longAgo = time.Duration(math.MinInt64 / 2) // of a probe of unknown age

func newGate(now func() time.Duration, pool []*limits) *gate {
	g := &gate{now: now, limit: math.MaxInt64, periods: map[uint64]*gated{}, whole: len(pool) == 1 && pool[0].byRate()}
	for _, l := range pool {
		g.probes = max(g.probes, l.cfg.HalfOpen.Probes)
		g.limit = min(g.limit, l.probeLimit())
	}
	return g
}

// enter lets a probe of a period in that was asked for at asked, and returns its number.
func (g *gate) enter(period uint64, asked time.Duration) (number uint64, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.entered++
	p := g.periods[period]
	if p == nil {
		p = &gated{out: map[uint64]time.Duration{}}
		g.periods[period] = p
		g.forget(period)
	}
	p.out[g.entered] = asked

	// Read under the lock: whoever entered before was admitted before, so one of them that
	// the breaker has given up since is old enough by this reading.
	now, out := g.now(), 0
	for _, asked := range p.out {
		if g.whole || g.limit == math.MaxInt64 || now-asked < g.limit {
			out++
		}
	}
	if out+p.used > g.probes {
		err = fmt.Errorf("H1: %d probes of period %d are out and %d have reported, where %d are allowed", out, period, p.used, g.probes)
	}
	return g.entered, err
}

// leave lets a probe out that is about to be settled, with an outcome that uses its slot up
// or without.
func (g *gate) leave(period, number uint64, uses bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	p := g.periods[period]
	if p == nil {
		return
	}
	delete(p.out, number)
	if uses && g.whole {
		p.used++
	}
}

// remembered is how many periods a gate keeps books of.
const remembered = 64

// forget drops the periods that are long over. A probe of one that enters nevertheless is
// then compared with less than there was, which errs on the safe side.
func (g *gate) forget(period uint64) {
	g.newest = max(g.newest, period)
	if len(g.periods) < 2*remembered {
		return
	}
	for id := range g.periods {
		if id+remembered < g.newest {
			delete(g.periods, id)
		}
	}
}
