package window_test

import (
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear/window"
)

func ExampleCount() {
	w := window.NewCount(100)
	w.Record(0, true, false) // a failure
	w.Record(0, true, true)  // a failure, and slow
	w.Good(0, 98)
	fmt.Printf("%+v\n", w.Counts(0))

	w.Record(0, false, true) // a success, but slow; the first failure is forgotten
	fmt.Printf("%+v\n", w.Counts(0))
	// Output:
	// {Calls:100 Failed:2 Slow:1 SlowFailed:1}
	// {Calls:100 Failed:1 Slow:2 SlowFailed:1}
}

func ExampleTime() {
	w := window.NewTime(10*time.Second, 10)
	w.Record(3500*time.Millisecond, true, false)
	w.Good(8*time.Second, 50)
	for _, now := range []time.Duration{8 * time.Second, 13*time.Second - 1, 13 * time.Second, time.Minute} {
		c := w.Counts(now)
		fmt.Printf("at %v: %d of %d failed\n", now.Round(time.Second/10), c.Failed, c.Calls)
	}
	// Output:
	// at 8s: 1 of 51 failed
	// at 13s: 1 of 51 failed
	// at 13s: 0 of 50 failed
	// at 1m0s: 0 of 0 failed
}

// A window of another size takes over what both can hold.
func ExampleCount_Resize() {
	w := window.NewCount(100)
	w.Good(0, 90)
	for range 10 {
		w.Record(0, true, false)
	}
	w = w.Resize(20)
	fmt.Printf("%+v\n", w.Counts(0))
	// Output:
	// {Calls:20 Failed:10 Slow:0 SlowFailed:0}
}

// Runs are a short way to write a window down.
func ExampleCount_Runs() {
	w := window.NewCount(1000)
	w.Good(0, 800)
	w.Record(0, true, false)
	w.Good(0, 500)

	restored := window.NewCount(1000)
	for run := range w.Runs() {
		fmt.Printf("%+v\n", run)
		restored.Add(run)
	}
	fmt.Println(restored.Counts(0) == w.Counts(0))
	// Output:
	// {N:499 Failed:false Slow:false}
	// {N:1 Failed:true Slow:false}
	// {N:500 Failed:false Slow:false}
	// true
}

// A process that ends writes down the ages of its buckets, because the clock of the
// next one counts from somewhere else.
func ExampleTime_Buckets() {
	now := 5000 * time.Second
	w := window.NewTime(time.Minute, 60)
	w.Good(now-30*time.Second, 40)
	w.Add(now, window.Counts{Calls: 10, Failed: 3})

	type aged struct {
		age    time.Duration
		counts window.Counts
	}
	var saved []aged
	for start, counts := range w.Buckets(now) {
		saved = append(saved, aged{now - start, counts})
	}

	now = 10 * time.Second // on the new clock
	const down = 40 * time.Second
	restored := window.NewTime(time.Minute, 60)
	for _, b := range saved {
		restored.Add(now-b.age-down, b.counts)
	}
	fmt.Printf("%+v\n", restored.Counts(now))
	// Output:
	// {Calls:10 Failed:3 Slow:0 SlowFailed:0}
}
