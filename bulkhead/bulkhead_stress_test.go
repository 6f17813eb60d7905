package bulkhead_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/bulkhead"
)

// A crowd is many goroutines on one bulkhead, and what they see.
type crowd struct {
	t       *testing.T
	b       *bulkhead.Bulkhead
	most    int64 // permits that may be out
	running atomic.Int64
	asked   atomic.Uint64
	granted atomic.Uint64
	pending sync.WaitGroup // callbacks
}

// use makes a call with a permit. It counts itself only while it has the permit, so
// the count is never too high.
func (c *crowd) use(p *bulkhead.Permit, turns int) {
	c.granted.Add(1)
	if n := c.running.Add(1); n > c.most {
		c.t.Errorf("%d calls run, at most %d may", n, c.most)
	}
	for range turns {
		yield()
	}
	c.running.Add(-1)
	p.Release()
	p.Release() // K39
}

// ask asks in a random way.
func (c *crowd) ask(rnd *rand.Rand) {
	c.asked.Add(1)
	switch rnd.IntN(5) {
	case 0:
		if p, err := c.b.TryAcquire(); err == nil {
			c.use(&p, rnd.IntN(3))
		}
	case 1:
		ctx, cancel := context.WithCancel(context.Background())
		c.pending.Go(func() { yield(); cancel() })
		if p, err := c.b.Acquire(ctx); err == nil {
			c.use(&p, rnd.IntN(3))
		}
		cancel()
	case 2:
		if p, err := c.b.Acquire(context.Background()); err == nil {
			c.use(&p, rnd.IntN(3))
		}
	default:
		var answers atomic.Int64
		c.pending.Add(1)
		cancel := c.b.Enqueue(func(p bulkhead.Permit, err error) {
			defer c.pending.Done()
			if answers.Add(1) > 1 {
				c.t.Error("a callback was called twice")
			}
			if err == nil {
				c.use(&p, 1)
			}
		})
		if rnd.IntN(2) == 0 {
			yield()
			if cancel() {
				if answers.Add(1) > 1 {
					c.t.Error("a callback was called and cancelled")
				}
				c.pending.Done()
			}
		}
	}
}

// atRest checks that nothing was lost or minted.
func (c *crowd) atRest(want bulkhead.Config) {
	c.pending.Wait()
	s := c.b.Snapshot()
	equal(c.t, "running", s.Running, 0)
	equal(c.t, "waiting", s.Waiting, 0)
	equal(c.t, "available", s.Available, want.MaxConcurrent)
	equal(c.t, "asked", s.Counters.Admitted+s.Counters.Refused+s.Counters.TimedOut+s.Counters.GaveUp, c.asked.Load())
	equal(c.t, "admitted", s.Counters.Admitted, c.granted.Load())
	var permits []bulkhead.Permit
	for range want.MaxConcurrent {
		p, err := c.b.TryAcquire()
		equal(c.t, "a permit that must be there", err, nil)
		permits = append(permits, p)
	}
	if _, err := c.b.TryAcquire(); err == nil {
		c.t.Error("there is a permit too many")
	}
	for i := range permits {
		permits[i].Release()
	}
}

func (c *crowd) run(goroutines, rounds int, seed uint64) {
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(seed, uint64(g)))
			for range rounds {
				c.ask(rnd)
			}
		})
	}
	wg.Wait()
}

func rounds() int {
	if testing.Short() {
		return 1000
	}
	return 20_000
}

func TestStress(t *testing.T) {
	for name, cfg := range map[string]bulkhead.Config{
		"no queue":       {MaxConcurrent: 3},
		"short waits":    {MaxConcurrent: 2, MaxWaiting: 5, MaxWait: 20 * time.Microsecond},
		"waits in peace": {MaxConcurrent: 1, MaxWaiting: 4, MaxWait: off},
		"room for all":   {MaxConcurrent: 100, MaxWaiting: 100},
	} {
		t.Run("K38, K39: "+name, func(t *testing.T) {
			seed := rand.Uint64()
			t.Log("seed", seed)
			c := &crowd{t: t, b: bulkhead.Must(bulkhead.New("stock", cfg)), most: int64(cfg.MaxConcurrent)}
			c.run(12, rounds(), seed)
			c.atRest(cfg)
		})
	}
}

// The limit goes up and down while the crowd is at work. Never are more permits out
// than the highest limit allows, and in the end the last one is exactly what is there.
func TestStressReconfigure(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	c := &crowd{t: t, b: bulkhead.Must(bulkhead.New("stock", bulkhead.Config{MaxConcurrent: 5})), most: 5}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		rnd := rand.New(rand.NewPCG(seed, 1000))
		for {
			select {
			case <-stop:
				return
			default:
			}
			if err := c.b.Reconfigure(randomConfig(rnd)); err != nil {
				t.Error(err)
			}
			_ = c.b.Counters()
			yield()
		}
	})
	c.run(12, rounds(), seed)
	close(stop)
	wg.Wait()
	last := bulkhead.Config{MaxConcurrent: 4}
	equal(t, "error", c.b.Reconfigure(last), nil)
	c.atRest(last)
}
