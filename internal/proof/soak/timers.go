package main

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/switchgear-go/switchgear/clock"
)

// timers is the clock of one breaker. It passes everything on, and counts timers.
type timers struct {
	clock.Clock
	fail func(error) // is called under the breaker's lock

	alive  atomic.Int64 // not stopped, and not returned
	closed atomic.Bool  // the breaker is closed and must make no more

	mu      sync.Mutex
	pending int    // neither stopped nor started
	fired   uint64 // started
}

// AfterFunc implements [clock.Clock]. A breaker makes a timer under its lock, and stops the one
// before first; so there is never more than one pending.
func (t *timers) AfterFunc(d time.Duration, f func()) clock.Timer {
	if t.closed.Load() {
		t.fail(errors.New("K2: a timer was made after Close"))
	}
	t.alive.Add(1)
	c := &countedTimer{all: t, pending: true}
	t.mu.Lock()
	t.pending++
	n := t.pending
	t.mu.Unlock()
	if n > 1 {
		t.fail(fmt.Errorf("K2: %d timers at once", n))
	}
	c.Timer = t.Clock.AfterFunc(d, func() {
		defer t.alive.Add(-1)
		c.settle(true)
		f()
	})
	return c
}

func (t *timers) counts() (pending int, fired uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.pending, t.fired
}

type countedTimer struct {
	clock.Timer
	all     *timers
	pending bool // guarded by all.mu
}

// Stop implements [clock.Timer]. Where it returns false the timer has expired, even if its
// callback has not got round to saying so.
func (c *countedTimer) Stop() bool {
	ok := c.Timer.Stop()
	c.settle(false)
	if ok {
		c.all.alive.Add(-1)
	}
	return ok
}

// settle notes that the timer waits no more. If both its callback and Stop say so, the first
// counts.
func (c *countedTimer) settle(started bool) {
	c.all.mu.Lock()
	defer c.all.mu.Unlock()
	if started {
		c.all.fired++
	}
	if c.pending {
		c.pending = false
		c.all.pending--
	}
}
