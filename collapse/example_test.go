package collapse_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/switchgear-go/switchgear/cache"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/collapse"
)

// Ten callers want the same at the same time. The dependency is asked once.
func Example() {
	group := collapse.Must(collapse.New[string, int]("items", collapse.Config{}))
	var calls atomic.Int32
	fetch := func(context.Context) (int, error) {
		for group.Snapshot().Waiting < 10 {
			runtime.Gosched() // a slow answer
		}
		calls.Add(1)
		return 42, nil
	}

	var wg sync.WaitGroup
	var sum atomic.Int32
	for range 10 {
		wg.Go(func() {
			n, _, _ := group.Do(context.Background(), "lamp", fetch)
			sum.Add(int32(n))
		})
	}
	wg.Wait()
	fmt.Println(calls.Load(), "call,", sum.Load()/42, "answers")
	// Output:
	// 1 call, 10 answers
}

// The caller that started the call loses patience. The one that joined it gets the
// answer all the same.
func ExampleGroup_Do() {
	group := collapse.Must(collapse.New[string, int]("items", collapse.Config{}))
	impatient, leave := context.WithCancel(context.Background())

	var wg sync.WaitGroup
	started := make(chan struct{})
	wg.Go(func() {
		_, _, err := group.Do(impatient, "lamp", func(context.Context) (int, error) {
			close(started)
			for group.Counters().Joined < 1 || group.Counters().Left < 1 {
				runtime.Gosched() // a slow answer
			}
			return 42, nil
		})
		fmt.Println("impatient:", err)
	})
	<-started
	answer := make(chan int)
	go func() {
		n, _, _ := group.Do(context.Background(), "lamp", nil) // joins: its function is not needed
		answer <- n
	}()
	for group.Counters().Joined < 1 {
		runtime.Gosched()
	}
	leave()
	wg.Wait()
	fmt.Println("patient:", <-answer)
	// Output:
	// impatient: context canceled
	// patient: 42
}

// A function can tell that all its callers have left.
func ExampleErrAbandoned() {
	group := collapse.Must(collapse.New[string, int]("items", collapse.Config{}))
	ctx, leave := context.WithCancel(context.Background())
	cause := make(chan error)
	_, _, err := group.Do(ctx, "lamp", func(ctx context.Context) (int, error) {
		leave()
		<-ctx.Done()
		cause <- context.Cause(ctx)
		return 0, ctx.Err()
	})
	fmt.Println(err)
	fmt.Println(<-cause, errors.Is(ctx.Err(), context.Canceled))
	// Output:
	// context canceled
	// collapse: all callers have left true
}

// Without waiting, here in virtual time: a call takes 80 ms, and each caller leaves
// after 100 ms.
func ExampleGroup_Join() {
	clk := clock.NewVirtual(time.Time{})
	group := collapse.Must(collapse.New[string, int]("items", collapse.Config{}))

	arrive := func(name string) {
		place, leader := group.Join("lamp")
		timeout := clk.AfterFunc(100*time.Millisecond, func() { place.Leave() })
		place.Wait(func(n int, shared bool, err error) {
			timeout.Stop()
			fmt.Println(clk.Mono(), name, "gets", n, "shared:", shared)
		})
		if leader {
			fmt.Println(clk.Mono(), name, "leads")
			answer := clk.AfterFunc(80*time.Millisecond, func() { place.Finish(42, nil) })
			place.OnAbandoned(func() { answer.Stop() })
		}
	}
	for i, name := range []string{"a", "b", "c"} {
		clk.AfterFunc(time.Duration(i)*50*time.Millisecond, func() { arrive(name) })
	}
	for clk.Step() {
	}
	// Output:
	// 0s a leads
	// 80ms a gets 42 shared: true
	// 80ms b gets 42 shared: true
	// 100ms c leads
	// 180ms c gets 42 shared: false
}

// Together with a cache: a fresh answer costs no call, and of those that find none
// only one calls.
func Example_cache() {
	items := cache.Must(cache.New[string, int]("items", cache.Config{TTL: time.Minute}, nil))
	group := collapse.Must(collapse.New[string, int]("items", collapse.Config{}))
	get := func(ctx context.Context, id string) (int, error) {
		n, _, err := cache.Do(ctx, items, id, func(ctx context.Context) (int, error) {
			n, _, err := group.Do(ctx, id, func(context.Context) (int, error) { return 42, nil })
			return n, err
		})
		return n, err
	}
	fmt.Println(get(context.Background(), "lamp"))
	fmt.Println(get(context.Background(), "lamp"))
	fmt.Println(group.Counters().Started, "execution")
	// Output:
	// 42 <nil>
	// 42 <nil>
	// 1 execution
}
