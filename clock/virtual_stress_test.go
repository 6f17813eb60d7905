package clock

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Many goroutines create, stop and read while one owns the time: every timer runs
// once or is stopped, never both and never neither, and none sees a time other
// than its own.
func TestVirtualUnderConcurrency(t *testing.T) {
	const goroutines, timers = 8, 2000
	v := NewVirtual(start)
	var ran, stopped, wrongTime atomic.Int64
	var users sync.WaitGroup
	for g := range uint64(goroutines) {
		users.Go(func() {
			rng := rand.New(rand.NewPCG(g, 0))
			last := v.Mono()
			for range timers {
				d := time.Duration(rng.IntN(50))
				earliest := v.Mono() + d
				timer := v.AfterFunc(d, func() {
					ran.Add(1)
					if v.Mono() < earliest {
						wrongTime.Add(1)
					}
				})
				if rng.IntN(2) == 0 && timer.Stop() {
					stopped.Add(1)
				}
				now := v.Mono()
				if now < last {
					wrongTime.Add(1)
				}
				last = now
				v.Now()
				v.Next()
			}
		})
	}
	done := make(chan struct{})
	go func() { users.Wait(); close(done) }()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
			v.Advance(1)
		}
	}
	v.Advance(time.Second)
	equal(t, "run or stopped", ran.Load()+stopped.Load(), int64(goroutines*timers))
	equal(t, "at a wrong time", wrongTime.Load(), 0)
	equal(t, "Pending", v.Pending(), 0)
}

// Several movers at once: no timer is lost or run twice, the clock never runs
// backwards, and nobody waits for anybody.
func TestVirtualMovedBySeveral(t *testing.T) {
	const movers, moves = 8, 1000
	v := NewVirtual(start)
	var ran atomic.Int64
	var wg sync.WaitGroup
	for range movers {
		wg.Go(func() {
			for range moves {
				v.AfterFunc(1, func() { ran.Add(1); v.Advance(1) })
				before := v.Mono()
				v.Advance(1)
				if v.Mono() < before+1 {
					t.Error("the clock did not move on by what was asked for")
				}
				v.Step()
			}
		})
	}
	wg.Wait()
	v.Advance(1)
	equal(t, "run", ran.Load(), movers*moves)
}
