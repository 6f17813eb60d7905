package main

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"github.com/switchgear-go/switchgear/breaker"
)

// A run is a series of rounds, until the operations are made.
type run struct {
	p          params
	totals     totals
	progress   atomic.Uint64 // operations, as far as workers have told
	stop       atomic.Bool
	limited    atomic.Bool   // by the duration
	goroutines int           // when nothing was going on
	patience   time.Duration // for what must happen by itself, and soon

	mu    sync.Mutex
	found *violation
}

// A violation is something that must not happen and did.
type violation struct {
	Text     string   `json:"text"`
	Round    int      `json:"round"`
	Scenario string   `json:"scenario,omitempty"`
	Facts    []string `json:"facts,omitempty"`
}

func (r *run) stopped() bool { return r.stop.Load() }

func (r *run) violation() *violation {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.found
}

// violated ends the run. The first violation counts, since others may follow from it. It must not be
// called under a breaker's lock.
func (r *run) violated(rd *round, s *subject, err error) {
	if err == nil {
		return
	}
	var facts []string
	if s != nil && s.b != nil {
		facts = s.facts()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stop.Store(true)
	if r.found == nil {
		r.found = &violation{Text: err.Error(), Round: rd.number, Scenario: rd.sc.String(), Facts: facts}
	}
}

// facts describe a breaker for people who want to know what went wrong.
func (s *subject) facts() []string {
	snap := s.b.Snapshot()
	text, err := json.Marshal(snap)
	if err != nil {
		text = fmt.Appendf(nil, "%+v", snap)
	}
	facts := []string{string(text)}
	for _, e := range s.b.Events() {
		facts = append(facts, e.String())
	}
	return facts
}

func newRun(p params) *run {
	return &run{p: p, totals: newTotals(), goroutines: runtime.NumGoroutine(), patience: 10 * time.Second}
}

// eventually waits for something that is about to happen, and gives up after a while.
func (r *run) eventually(happened func() bool) bool {
	const pause = 50 * time.Microsecond
	for range r.patience / pause {
		if happened() {
			return true
		}
		time.Sleep(pause)
	}
	return happened()
}

// soak makes a run and returns its report. show is called now and then with the state of things.
func soak(ctx context.Context, p params, show func(done, all uint64, took time.Duration)) *report {
	r := newRun(p)
	defer context.AfterFunc(ctx, func() { r.stop.Store(true) })()
	started := time.Now()
	over, watched := make(chan struct{}), make(chan struct{})
	r.goroutines += 2 // the two below
	go func() {
		defer close(over)
		r.play()
	}()
	go func() {
		defer close(watched)
		r.watch(over, started, show, 2*time.Minute)
	}()
	<-watched
	return r.report(time.Since(started), ctx.Err() != nil)
}

// meanRound returns how many operations a round should have: many rounds, for many scenarios, but
// such that a scenario has time to unfold.
func meanRound(ops uint64) int { return int(min(max(ops/1000, 4_000), 1_000_000)) }

// play plays rounds until the operations are made. If only one is asked for it is played again and
// again, since each time the goroutines are scheduled in another way.
func (r *run) play() {
	for number := 0; !r.stopped(); number++ {
		left := int64(r.p.ops) - int64(r.totals.operations())
		if left <= 0 {
			return
		}
		if r.p.round >= 0 {
			number = r.p.round
		}
		sc := drawScenario(r.p.seed, number, meanRound(r.p.ops))
		sc.ops = int(min(int64(sc.ops), left))
		r.leftNothing(r.playOne(number, sc), number, sc)
	}
}

func (r *run) playOne(number int, sc *scenario) []weak.Pointer[breaker.Breaker] {
	rd, err := r.newRound(number, sc)
	if err != nil {
		r.violated(rd, nil, fmt.Errorf("R1: the configuration is valid, and was refused: %w", err))
		return nil
	}
	gone := rd.play()
	r.totals.addRound(rd)
	return gone
}

// heapSlack is how much more than after the first rounds may be alive after a later one.
const (
	heapSlack = 4 << 20
	settled   = 5 // rounds
)

// leftNothing checks that after a round there is no goroutine, no breaker and no memory left of it.
func (r *run) leftNothing(gone []weak.Pointer[breaker.Breaker], number int, sc *scenario) {
	if r.violation() != nil {
		return
	}
	here := &round{run: r, number: number, sc: sc}
	if !r.eventually(func() bool { return runtime.NumGoroutine() <= r.goroutines }) {
		text := make([]byte, 64<<10)
		r.violated(here, nil, fmt.Errorf("K2: %d goroutines are left, of %d before:\n%s",
			runtime.NumGoroutine(), r.goroutines, text[:runtime.Stack(text, true)]))
		return
	}
	left := 0
	for range 3 {
		runtime.GC()
		left = 0
		for _, p := range gone {
			if p.Value() != nil {
				left++
			}
		}
		if left == 0 {
			break
		}
	}
	if left > 0 {
		r.violated(here, nil, fmt.Errorf("K2: %d of %d breakers are still referred to", left, len(gone)))
	}
	if live := heap(); !r.totals.liveHeap(live) {
		r.violated(here, nil, fmt.Errorf("K2: the heap has grown to %d bytes, all of them alive", live))
	}
}

// heap returns how many bytes the objects on the heap take, dead ones included.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// watch looks on until the rounds are over, and ends the run if it takes too long, or makes no
// progress for some time.
func (r *run) watch(over <-chan struct{}, started time.Time, show func(done, all uint64, took time.Duration), hangs time.Duration) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	last, moved := uint64(0), started
	for {
		select {
		case <-over:
			return
		case now := <-tick.C:
			done := r.progress.Load()
			if done != last {
				last, moved = done, now
			}
			r.totals.heap(heap())
			show(done, r.p.ops, now.Sub(started))
			if r.p.limit > 0 && now.Sub(started) >= r.p.limit {
				r.limited.Store(true)
				r.stop.Store(true)
			}
			if now.Sub(moved) > hangs {
				r.hang(hangs)
				return
			}
		}
	}
}

// hang reports that nothing goes on any more. What hangs is left hanging.
func (r *run) hang(after time.Duration) {
	text := make([]byte, 1<<20)
	text = text[:runtime.Stack(text, true)]
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stop.Store(true)
	if r.found == nil {
		r.found = &violation{
			Text: fmt.Sprintf("P5: no operation has ended for %v", after), Round: r.totals.roundsPlayed(),
			Facts: strings.Split(string(text), "\n\n"),
		}
	}
}
