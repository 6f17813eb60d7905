package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/clock"
)

// A round is one scenario being played.
type round struct {
	run       *run
	number    int
	sc        *scenario
	pool      []*limits // all different
	bounds    bounds
	rare      int // of 65,536 operations, so many are not calls
	slowAfter time.Duration
	clk       clock.Clock
	virtual   *clock.Virtual // or nil
	endings   *endings

	subjects []*subject
	workers  []*worker
}

// virtualStart is what the wall shows when a round in virtual time begins.
var virtualStart = time.Date(2026, time.March, 1, 3, 12, 44, 0, time.UTC)

func (r *run) newRound(number int, sc *scenario) (*round, error) {
	rd := &round{run: r, number: number, sc: sc, rare: sc.odds.sum(), clk: clock.Real(), endings: newEndings(sc.hints)}
	if sc.virtual {
		rd.virtual = clock.NewVirtual(virtualStart)
		rd.virtual.Advance(1234567 * time.Microsecond) // no multiple of any bucket
		rd.clk = rd.virtual
	}
	for _, cfg := range sc.pool {
		b, err := breaker.New("sketch", cfg)
		if err != nil {
			return rd, err
		}
		if full := b.Config(); !rd.has(full) {
			rd.pool = append(rd.pool, newLimits(full))
			rd.slowAfter = max(rd.slowAfter, full.SlowCall.Duration)
		}
	}
	rd.bounds = boundsOf(rd.pool, longestMove*sc.unit)
	return rd, nil
}

func (r *round) has(cfg breaker.Config) bool {
	for _, l := range r.pool {
		if reflect.DeepEqual(l.cfg, cfg) {
			return true
		}
	}
	return false
}

// play plays the round to its end. It returns all breakers, which must be collected when nothing
// refers to the round any more.
func (r *round) play() (gone []weak.Pointer[breaker.Breaker]) {
	var saved []byte
	for act := range r.sc.acts {
		r.subjects, r.workers = nil, nil
		if err := r.enter(saved); err != nil {
			r.run.violated(r, nil, err)
			return gone
		}
		for _, s := range r.subjects {
			gone = append(gone, weak.Make(s.b))
		}
		r.load(act)
		if r.run.violation() != nil { // nothing after that can be relied on
			return gone
		}
		if act+1 < r.sc.acts {
			saved = r.save()
		}
		for i, s := range r.subjects {
			var books tally
			for _, w := range r.workers {
				books.add(&w.tallies[i])
			}
			s.settleAccounts(&books)
		}
		for _, w := range r.workers {
			r.run.totals.addWorker(w)
		}
		if r.run.stopped() {
			break
		}
	}
	return gone
}

// enter makes the breakers, and has them take over from those of the act before.
func (r *round) enter(saved []byte) error {
	var all []*breaker.Breaker
	for i := range r.sc.breakers {
		s, err := r.newSubject(i, fmt.Sprintf("b%d", i))
		if err != nil {
			return fmt.Errorf("R1: %w", err)
		}
		r.subjects = append(r.subjects, s)
		all = append(all, s.b)
	}
	if saved == nil {
		return nil
	}
	brought, err := broughtBy(saved)
	if err != nil {
		return fmt.Errorf("B1: what SaveAll returned cannot be read: %w", err)
	}
	for _, s := range r.subjects {
		s.brought.Store(brought[s.b.Name()])
	}
	if err := breaker.RestoreAll(saved, all...); err != nil {
		return fmt.Errorf("B1: %w", err)
	}
	for _, b := range all {
		if p := b.Snapshot().Period; p < 2 {
			return fmt.Errorf("B1: restored, and in period %d", p)
		}
	}
	r.run.totals.count(opRestore, len(all))
	return nil
}

func (r *round) save() []byte {
	var all []*breaker.Breaker
	for _, s := range r.subjects {
		all = append(all, s.b)
	}
	document, err := breaker.SaveAll(all...)
	if err != nil {
		r.run.violated(r, nil, fmt.Errorf("B1: %w", err))
	}
	r.run.totals.count(opSave, len(all))
	return document
}

// broughtBy returns, by name, what [brings] says of the saved states in a document.
func broughtBy(document []byte) (map[string]uint64, error) {
	var set struct{ Breakers []breaker.Saved }
	err := json.Unmarshal(document, &set)
	brought := map[string]uint64{}
	for i := range set.Breakers {
		brought[set.Breakers[i].Name] = brings(&set.Breakers[i])
	}
	return brought, err
}

// brings returns how many outcomes, or how long a run, a restored state brings along at most.
func brings(s *breaker.Saved) uint64 {
	var calls int64
	for _, r := range s.Runs {
		calls += r.N
	}
	for _, b := range s.Buckets {
		calls += b.Calls
	}
	return uint64(max(calls, s.Consecutive))
}

// load lets the workers loose and waits until they have done their share.
func (r *round) load(act int) {
	for _, s := range r.subjects {
		s.mayQuit.Store(r.sc.quits)
	}
	share := max(r.sc.ops/r.sc.workers/r.sc.acts, 1)
	for i := range r.sc.workers {
		r.workers = append(r.workers, r.newWorker(act, i, share))
	}
	var working, watching sync.WaitGroup
	var over atomic.Bool
	for _, w := range r.workers {
		working.Add(1)
		r.persist(w.work, w.replaced, working.Done)
	}
	v := &watcher{round: r, over: &over, samplers: make([]sampler, len(r.subjects))}
	for i := range v.samplers {
		v.samplers[i].bounds = &r.bounds
	}
	watching.Add(1)
	r.persist(v.work, func() {}, watching.Done)

	working.Wait()
	over.Store(true)
	watching.Wait()
	for _, s := range r.subjects {
		s.mayQuit.Store(false)
	}
	r.run.totals.count(opSample, int(v.samples))
}

// persist runs f on a goroutine of its own until it returns. One that is ended by
// runtime.Goexit, as listeners may do, is replaced; a panic is a violation.
func (r *round) persist(f, replaced, done func()) {
	go func() {
		returned := false
		defer func() {
			v := recover()
			switch {
			case v != nil:
				text := make([]byte, 16<<10)
				r.run.violated(r, nil, fmt.Errorf("a panic: %v\n%s", v, text[:runtime.Stack(text, false)]))
				done()
			case returned:
				done()
			default:
				replaced()
				r.persist(f, replaced, done)
			}
		}()
		f()
		returned = true
	}()
}
