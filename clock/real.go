package clock

import "time"

// origin is where the real clock's Mono counts from: the first instant of the
// year 2000 in UTC, as the wall clock saw it when the process started.
//
// It is moved there from [time.Now] and so keeps a monotonic reading, which makes
// [time.Since] a single reading of the machine's monotonic clock that no later
// change of the wall clock can touch. It is moved to that very instant because
// synctest bubbles start there: in a bubble times have no monotonic reading,
// time.Since subtracts wall clocks, and Mono starts at exactly zero in every
// test. With the start of the process as origin it would start at some negative
// number of years, and buckets would be cut at other instants on every run.
var origin = func() time.Time {
	now := time.Now()
	if age := now.Sub(time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)); age > 0 {
		return now.Add(-age)
	}
	return now // a machine that does not know the date yet: Mono is never negative
}()

// Real returns the machine's clock. Its Mono counts from the start of the year
// 2000, as told by the wall clock when the process started, and costs as much as
// one [time.Since]. Callbacks run each in its own goroutine, as with
// [time.AfterFunc].
//
// In a synctest bubble it shows the bubble's time, and Mono starts at zero. That is
// earlier than any reading outside, so what is used in a bubble must be made in it.
func Real() Clock { return realClock{} }

type realClock struct{}

func (realClock) Now() time.Time { return time.Now() }

func (realClock) Mono() time.Duration { return time.Since(origin) }

func (realClock) AfterFunc(d time.Duration, f func()) Timer { return time.AfterFunc(d, f) }
