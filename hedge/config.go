package hedge

import (
	"time"

	"github.com/switchgear-go/switchgear"
)

// Config says when extra attempts are made and how many. It is plain data: the zero
// value hedges calls marked [Safe] once, at the 95th percentile. A zero field means
// the default its comment names.
type Config struct {
	// Delay is how long an attempt has to answer before an extra one starts beside
	// it. With Percentile it is used until there are enough samples. Default 100 ms;
	// from 1 ns to 30 days.
	Delay time.Duration

	// Percentile makes the delay that percentile of the recent latencies of good
	// answers. Default 95 if Delay is 0, and off if a Delay is set: that is then the
	// delay. From 1 to 100, at most two decimals, or Off.
	//
	// It is read from a histogram and so is up to 1/16 too long, never too short;
	// see [Hedge.Latency].
	Percentile switchgear.Percent

	// Window is how far back recent goes. Answers are forgotten a sixth of it at a
	// time. Default 1 min; from 1 s to 1 h. Only with Percentile.
	Window time.Duration

	// MinimumSamples is the number of good answers the window must hold before the
	// percentile is used. Default 100; from 1 to 1,000,000,000. Only with Percentile.
	MinimumSamples int

	// MinDelay is the shortest delay that a percentile may yield, so that a
	// dependency that answers from a cache is not sent everything twice. Default 1 ms;
	// from 1 ns to 30 days. Only with Percentile.
	MinDelay time.Duration

	// MaxExtra is the most extra attempts of one call. Default 1; from 1 to 10, or
	// Off to hedge nothing.
	MaxExtra int

	// Always says that every call may be made twice, without being marked. A call
	// marked [Unsafe] is excepted.
	Always bool

	// MaxAbandoned is how many attempts may run on after their call is over, before
	// calls are made plainly. It bounds what a function that ignores its context can
	// leave behind: this many and the attempts of the calls under way. Default 100;
	// from 1 to 1,000,000, or Off.
	MaxAbandoned int
}
