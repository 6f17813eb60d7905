package pipeline_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/adaptive"
	"github.com/switchgear-go/switchgear/backoff"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/hedge"
	"github.com/switchgear-go/switchgear/pipeline"
	"github.com/switchgear-go/switchgear/retry"
	"github.com/switchgear-go/switchgear/throttle"
	"github.com/switchgear-go/switchgear/timeout"
)

// Goroutines that really run at the same time, for the race detector and for whatever
// virtual time cannot mix up: what happens in the same instant there happens in any
// order here. Functions answer, fail, panic, end their goroutine, heed their context or
// do not, and callers give up. In the end everything is given back, every answer has
// been somebody's, once, and the breaker has counted every attempt.

// An outcome of a call that somebody must have, once.
type piece struct {
	bad   bool
	owned atomic.Int32
}

var errBad = errors.New("a bad answer")

// A crowd is what callers do to a pipeline.
type crowd struct {
	t *testing.T
	p *pipeline.Pipeline

	running, peak        atomic.Int64 // attempts
	made, got, discarded atomic.Int64 // pieces
	attempts             atomic.Int64
	ignores              bool // functions may go on after their context has ended
}

// attempt is the dependency.
func (c *crowd) attempt(ctx context.Context) (*piece, error) {
	c.attempts.Add(1)
	n := c.running.Add(1)
	for peak := c.peak.Load(); n > peak && !c.peak.CompareAndSwap(peak, n); peak = c.peak.Load() {
	}
	defer c.running.Add(-1)
	for range rand.IntN(30) {
		runtime.Gosched()
	}
	switch rand.IntN(24) {
	case 0:
		panic(errDown)
	case 1:
		runtime.Goexit()
	case 2, 3, 4, 5:
		return nil, errDown
	case 6, 7:
		<-ctx.Done()
		return nil, ctx.Err()
	case 8:
		if c.ignores {
			for range 2_000 {
				runtime.Gosched()
			}
		}
	}
	c.made.Add(1)
	return &piece{bad: rand.IntN(6) == 0}, nil
}

func (c *crowd) check(v *piece) error {
	if v.bad {
		return errBad
	}
	return nil
}

// own notes that somebody has got an answer, who must be the only one.
func (c *crowd) own(v *piece, by *atomic.Int64) {
	if v.owned.Add(1) != 1 {
		c.t.Error("an answer was handed out twice")
	}
	by.Add(1)
}

// caller makes calls, each on a goroutine that the call may end.
func (c *crowd) caller(calls int) {
	for range calls {
		var over sync.WaitGroup
		over.Go(func() {
			defer func() {
				if v := recover(); v != nil && v != any(errDown) {
					panic(v)
				}
			}()
			ctx, cancel := context.WithTimeout(hedge.Safe(background), time.Duration(1+rand.IntN(2_000))*time.Microsecond)
			defer cancel()
			if rand.IntN(4) == 0 {
				go cancel()
			}
			c.call(ctx)
		})
		over.Wait()
	}
}

func (c *crowd) call(ctx context.Context) {
	call := pipeline.Call[*piece]{Func: c.attempt, Check: c.check, Discard: func(v *piece) { c.own(v, &c.discarded) }}
	var (
		v   *piece
		err error
		end = func() {}
	)
	if c.ignores || rand.IntN(2) == 0 {
		v, err = pipeline.Run(ctx, c.p, call)
	} else {
		v, end, err = pipeline.Open(ctx, c.p, call, rand.IntN(2) == 0)
	}
	switch {
	case err != nil && v != nil:
		c.t.Errorf("an answer beside %v", err)
	case err == nil && v == nil:
		c.t.Error("neither an answer nor an error")
	case err == nil:
		c.own(v, &c.got)
		end()
	}
}

// rest waits until what was left behind has ended.
func (c *crowd) rest() {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(background, 20*time.Second)
	defer cancel()
	for ctx.Err() == nil {
		if c.atRest() {
			return
		}
		runtime.Gosched()
	}
	c.t.Errorf("not at rest: %d functions run, hedge %+v, attempt %+v, %d answers of %d",
		c.running.Load(), c.p.Hedge().Snapshot(), c.p.Attempt().Snapshot(), c.got.Load()+c.discarded.Load(), c.made.Load())
}

func (c *crowd) atRest() bool {
	h, a := c.p.Hedge().Snapshot(), c.p.Attempt().Snapshot()
	return c.running.Load() == 0 && h.Running == 0 && h.Abandoned == 0 && a.Running == 0 && a.Abandoned == 0 &&
		c.got.Load()+c.discarded.Load() >= c.made.Load()
}

func stressed(abandon bool) pipeline.Config {
	return pipeline.Config{
		Total:    &timeout.Config{Limit: 20 * ms},
		Adaptive: &adaptive.Config{Initial: 50, Min: 50},
		Throttle: &throttle.Config{MaxRefusal: 10},
		Retry:    &retry.Config{Attempts: 3, Backoff: backoff.Config{Initial: 10 * time.Microsecond, Max: 100 * time.Microsecond}},
		Hedge:    &hedge.Config{Delay: 5 * time.Microsecond, MaxExtra: 2},
		Budget:   &budget.Config{Ratio: budget.RatioConfig{Percent: 100, MinPerSecond: 1_000_000}},
		Breaker: &breaker.Config{
			Window: breaker.WindowConfig{Calls: 20}, FailureRate: 50,
			Open: breaker.OpenConfig{Wait: 50 * time.Microsecond}, HalfOpen: breaker.HalfOpenConfig{ProbeLimit: 10 * ms},
		},
		Bulkhead: &bulkhead.Config{MaxConcurrent: 6, MaxWaiting: 10, MaxWait: ms},
		Attempt:  &timeout.Config{Limit: ms, Abandon: abandon},
	}
}

func TestStress(t *testing.T) {
	const callers = 8
	calls := 1_500
	if testing.Short() {
		calls = 300
	}
	for _, v := range []struct {
		name            string
		abandon, inside bool
	}{
		{"functions heed their context", false, false},
		{"functions are left behind", true, false},
		{"the retry inside the breaker", false, true},
	} {
		t.Run(v.name, func(t *testing.T) {
			cfg := stressed(v.abandon)
			if v.inside {
				cfg.RetryInsideBreaker, cfg.Breaker.HalfOpen.ProbeLimit = true, 20*ms
			}
			c := &crowd{t: t, p: must(t, cfg), ignores: v.abandon}
			var all sync.WaitGroup
			for range callers {
				all.Go(func() { c.caller(calls) })
			}
			all.Wait()
			c.rest()
			c.balance(cfg)
		})
	}
}

// balance compares what all policies know.
func (c *crowd) balance(cfg pipeline.Config) {
	t, p := c.t, c.p
	t.Helper()
	equal(t, "answers that somebody has", c.got.Load()+c.discarded.Load(), c.made.Load())
	equal(t, "adaptive running", p.Adaptive().Running(), 0)
	s := p.Bulkhead().Snapshot()
	equal(t, "bulkhead running", s.Running, 0)
	equal(t, "bulkhead waiting", s.Waiting, 0)
	if peak := c.peak.Load(); peak > int64(cfg.Bulkhead.MaxConcurrent) && !cfg.Attempt.Abandon {
		t.Errorf("%d attempts at once, of at most %d", peak, cfg.Bulkhead.MaxConcurrent)
	}
	equal(t, "budget in use", p.Budget().Snapshot().InUse, 0)
	equal(t, "probes out", p.Breaker().Snapshot().ProbesOut, 0)
	n := p.Breaker().Counters()
	settled := n.Successful + n.Failed + n.Ignored + n.Released + n.Late
	b := s.Counters
	if asked := b.Admitted + b.Refused + b.TimedOut + b.GaveUp; !cfg.RetryInsideBreaker {
		equal(t, "attempts that the breaker let through, and the bulkhead was asked for", settled, asked)
	}
	if made := c.attempts.Load(); !cfg.Attempt.Abandon {
		equal(t, "attempts that the bulkhead let through, and were made", b.Admitted, uint64(made))
	}
	if n.Failed == 0 || n.Late == 0 || n.Probes == 0 || p.Hedge().Counters().WonByHedge == 0 {
		t.Logf("little happened: breaker %+v, hedge %+v", n, p.Hedge().Counters())
	}
}
