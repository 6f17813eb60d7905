package main

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/sony/gobreaker/v2"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/evidence"
)

const (
	primitives = "primitives"
	closed     = "closed, success"
	tenth      = "closed, one call in ten fails"
	open       = "open, refused"
)

var errDown = errors.New("down")

// all lists the subjects. The first is the unit of the multiples.
func all() []subject {
	count := breaker.Config{Window: breaker.WindowConfig{Calls: 100}}
	million := breaker.Config{Window: breaker.WindowConfig{Calls: 1_000_000}}
	run := breaker.Config{
		Window: breaker.WindowConfig{Calls: 100}, FailureRate: switchgear.Off, ConsecutiveFailures: 5,
	}
	seconds := func(d time.Duration) breaker.Config {
		return breaker.Config{Window: breaker.WindowConfig{Length: d}}
	}
	slow := count
	slow.SlowCall.Duration = time.Second
	proof := breaker.Config{
		Window: breaker.WindowConfig{Calls: 100}, FailureRate: switchgear.Off, Evidence: &evidence.Config{},
	}
	return append([]subject{
		{primitives, "atomic.Int64.Add", atomicAdd, 0, 0, ""},
		{primitives, "call of a closure", closureCall, 0, 0, ""},
		{primitives, "one reading of the clock", clockReading, 0, 0, ""},
		{primitives, "the least a breaker does", least, 0, 0, ""},

		{closed, "consecutive failures", protect(run, 0), 2.5, 2.5, ""},
		{closed, "last 100 calls", protect(count, 0), 2.5, 2.5, ""},
		{closed, "last 1,000,000 calls", protect(million, 0), 2.5, 2.5, ""},
		{closed, "last 10 s", protect(seconds(10*time.Second), 0), 7.5, 7.5, ""},
		{closed, "last 60 s (default)", protect(seconds(time.Minute), 0), 7.5, 7.5, ""},
		{closed, "last 100 calls, slow calls", protect(slow, 0), 13, 13, ""},
		{closed, "evidence rule", protect(proof, 0), 3, 3, ""},
		{closed, "Acquire and Done, last 100 calls", twoSteps(count), 0, 0, ""},
		{closed, "gobreaker", gobreakerCall(0), 0, 0, ""},
		{closed, "failsafe-go, last 100 calls", failsafeCall(0), 0, 0, ""},

		{tenth, "last 100 calls", protect(count, 10), 6, 9, ""},
		{tenth, "gobreaker", gobreakerCall(10), 0, 0, ""},
		{tenth, "failsafe-go, last 100 calls", failsafeCall(10), 0, 0, ""},

		{open, "last 100 calls", refused(count), 6.5, 6.5, ""},
		{open, "gobreaker", gobreakerRefused, 0, 0, ""},
		{open, "failsafe-go", failsafeRefused, 0, 0, ""},
	}, append(companions(), measured()...)...)
}

func atomicAdd() loop {
	x := new(struct {
		_ [64]byte
		n atomic.Int64
		_ [64]byte
	})
	return func(n int) {
		for range n {
			x.n.Add(1)
		}
	}
}

//go:noinline
func call(ctx context.Context, f func(context.Context) (int, error)) (int, error) { return f(ctx) }

func closureCall() loop {
	ctx := context.Background()
	return func(n int) {
		sum := 0
		for i := range n {
			v, _ := call(ctx, func(context.Context) (int, error) { return i + sum, nil })
			sum = v & 1
		}
	}
}

func clockReading() loop {
	start := time.Now()
	return func(n int) {
		var d time.Duration
		for range n {
			d |= time.Since(start)
		}
		_ = d
	}
}

// stripe is a counter of one goroutine's own.
type stripe struct {
	state atomic.Int64
	n     atomic.Int64
	_     [48]byte
}

// leastCall looks at a state, runs a function that may panic and counts the call
// in one place: what is left of a breaker without the breaker.
//
//go:noinline
func leastCall(ctx context.Context, s *stripe, f func(context.Context) (int, error)) (v int, err error) {
	if s.state.Load() != 0 {
		return 0, errDown
	}
	returned := false
	defer func() {
		if !returned {
			if r := recover(); r != nil {
				s.state.Add(1)
				panic(r)
			}
		}
	}()
	v, err = f(ctx)
	returned = true
	s.n.Add(1)
	return v, err
}

func least() loop {
	ctx := context.Background()
	return func(n int) {
		s := new(stripe)
		sum, every := 0, 0
		for i := range n {
			v, _ := leastCall(ctx, s, func(context.Context) (int, error) {
				if every > 0 && i%every == 0 {
					return 0, errDown
				}
				return i + sum, nil
			})
			sum = v & 1
		}
	}
}

// protect is the commonest use: Do with a closure that captures. If every is not
// 0, each so manyth call fails.
func protect(cfg breaker.Config, every int) func() loop {
	return func() loop { return calls(breaker.Must(breaker.New("bench", cfg)), every) }
}

func calls(b *breaker.Breaker, every int) loop {
	ctx := context.Background()
	return func(n int) {
		sum := 0
		for i := range n {
			v, _ := breaker.Do(ctx, b, func(context.Context) (int, error) {
				if every > 0 && i%every == 0 {
					return 0, errDown
				}
				return i + sum, nil
			})
			sum = v & 1
		}
	}
}

func twoSteps(cfg breaker.Config) func() loop {
	return func() loop {
		b := breaker.Must(breaker.New("bench", cfg))
		ctx := context.Background()
		return func(n int) {
			for range n {
				permit, err := b.Acquire(ctx)
				permit.Done(err)
			}
		}
	}
}

func refused(cfg breaker.Config) func() loop {
	return func() loop {
		cfg.Open.Wait = 24 * time.Hour
		b := breaker.Must(breaker.New("bench", cfg))
		if err := b.Move(breaker.Move{To: breaker.Open, Reason: "measuring"}); err != nil {
			panic(err)
		}
		ctx := context.Background()
		return func(n int) {
			for i := range n {
				breaker.Do(ctx, b, func(context.Context) (int, error) { return i, nil })
			}
		}
	}
}

func gobreakerCall(every int) func() loop {
	return func() loop {
		b := gobreaker.NewCircuitBreaker[int](gobreaker.Settings{Name: "bench"})
		return func(n int) {
			sum := 0
			for i := range n {
				v, _ := b.Execute(func() (int, error) {
					if every > 0 && i%every == 0 {
						return 0, errDown
					}
					return i + sum, nil
				})
				sum = v & 1
			}
		}
	}
}

func gobreakerRefused() loop {
	b := gobreaker.NewCircuitBreaker[int](gobreaker.Settings{
		Name: "bench", Timeout: 24 * time.Hour,
		ReadyToTrip: func(gobreaker.Counts) bool { return true },
	})
	b.Execute(func() (int, error) { return 0, errDown })
	return func(n int) {
		for i := range n {
			b.Execute(func() (int, error) { return i, nil })
		}
	}
}

func failsafeCall(every int) func() loop {
	return func() loop {
		b := circuitbreaker.NewBuilder[int]().WithFailureThresholdRatio(50, 100).Build()
		e := failsafe.With[int](b)
		return func(n int) {
			sum := 0
			for i := range n {
				v, _ := e.Get(func() (int, error) {
					if every > 0 && i%every == 0 {
						return 0, errDown
					}
					return i + sum, nil
				})
				sum = v & 1
			}
		}
	}
}

func failsafeRefused() loop {
	b := circuitbreaker.NewBuilder[int]().WithFailureThreshold(1).WithDelay(24 * time.Hour).Build()
	b.Open()
	e := failsafe.With[int](b)
	return func(n int) {
		for i := range n {
			e.Get(func() (int, error) { return i, nil })
		}
	}
}
