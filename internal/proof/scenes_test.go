package proof

import (
	"github.com/switchgear-go/switchgear/breaker"
)

// Configurations of the scenes. Windows are small, so that few acts fill them.
var (
	// Three outcomes make a rate, and half of them failed trips.
	byRate = breaker.Config{
		Window: breaker.WindowConfig{Calls: 4}, MinimumCalls: 3,
		Open: breaker.OpenConfig{Wait: sec}, HalfOpen: breaker.HalfOpenConfig{Probes: 2},
	}
	// The same over the last two seconds, in two buckets.
	byTime = breaker.Config{
		Window: breaker.WindowConfig{Length: 2 * sec, Buckets: 2}, MinimumCalls: 3,
		Open: breaker.OpenConfig{Wait: sec}, HalfOpen: breaker.HalfOpenConfig{Probes: 2},
	}
	// The same over the last second, in one.
	oneBucket = with(byTime, func(c *breaker.Config) { c.Window = breaker.WindowConfig{Length: sec, Buckets: 1} })
	byStreak  = breaker.Config{
		Window: breaker.WindowConfig{Calls: 4}, MinimumCalls: 3, Open: breaker.OpenConfig{Wait: sec},
		HalfOpen: breaker.HalfOpenConfig{Probes: 1, Verdict: breaker.ByStreak, Successes: 2},
	}
	automatic = breaker.Config{
		Window: breaker.WindowConfig{Calls: 4}, MinimumCalls: 4, ConsecutiveFailures: 1, Open: breaker.OpenConfig{Wait: sec, Automatic: true},
		HalfOpen: breaker.HalfOpenConfig{Probes: 1, MaxWait: sec, ProbeLimit: never},
	}
	graceful = breaker.Config{
		Window: breaker.WindowConfig{Calls: 4}, MinimumCalls: 2, Grace: sec, Open: breaker.OpenConfig{Wait: sec},
	}
	timed = breaker.Config{
		Window: breaker.WindowConfig{Calls: 4}, MinimumCalls: 2, Open: breaker.OpenConfig{Wait: sec},
		SlowCall: breaker.SlowCallConfig{Duration: 100 * ms, Rate: 50},
	}
	tolerant = breaker.Config{
		Window: breaker.WindowConfig{Calls: 4}, MinimumCalls: 3, FailureRate: 90, Open: breaker.OpenConfig{Wait: sec},
	}
	inARow = breaker.Config{
		Window: breaker.WindowConfig{Calls: 4}, MinimumCalls: 4, FailureRate: never, ConsecutiveFailures: 2,
		Open: breaker.OpenConfig{Wait: sec},
	}
	strict = with(tolerant, func(c *breaker.Config) { c.FailureRate = 50 })
)

func with(c breaker.Config, change func(*breaker.Config)) breaker.Config {
	change(&c)
	return c
}

var scenes = []scene{
	// Tripping.
	{
		name: "S5, W4: a failure trips while successes are counted", config: byRate,
		first:   "acquire 0; acquire 1; acquire 2; do+ 3; do+ 3; do- 3",
		threads: []string{"failure 0", "success 1", "success 2"},
	},
	{
		name: "S5: a caller goes on after the trip", config: byRate,
		first:   "acquire 0; acquire 1; do+ 3; do+ 3; do- 3",
		threads: []string{"failure 0", "success 1; do+ 2; do+ 2"},
	},
	{
		name: "S7: two failures and one trip", heard: true, config: byRate,
		first:   "acquire 0; acquire 1; do+ 3; do+ 3; do- 3",
		threads: []string{"failure 0", "failure 1", "state; state"},
	},
	{
		name: "T5: events with errors", heard: true, config: byRate,
		first:   "acquire 0; do- 3; do+ 3",
		threads: []string{"do- 1", "move DISABLED", "state"},
	},
	{
		name: "W4: a success brings the window to its minimum", config: byRate,
		first:   "acquire 0; acquire 1; acquire 2; do- 3",
		threads: []string{"success 0", "success 1", "success 2"},
	},
	{
		name: "W4: a failure in a row", config: inARow,
		first:   "acquire 0; acquire 1; do+ 3; do+ 3; do- 3",
		threads: []string{"failure 0", "success 1", "do+ 2"},
	},
	{
		name: "N1: counting in one cell", config: byRate,
		first:   "acquire 0; acquire 1; do+ 3",
		threads: []string{"success 0", "counters", "success 1"},
	},
	{
		name: "N1: a failure that changes nothing is filed beside open cells", config: byRate,
		first:   "acquire 0; acquire 1; do+ 3; do+ 3; do+ 3; do+ 3",
		threads: []string{"failure 0", "success 1", "counters"},
	},
	{
		name: "N1: counting and reading", config: byRate,
		first:   "acquire 0; acquire 1; do+ 3; do+ 3; do+ 3; do+ 3",
		threads: []string{"success 0; do+ 2", "success 1", "snapshot"},
	},
	{
		name: "T2: slow calls", config: timed,
		first:   "acquire 0; acquire 1; do+ 3",
		threads: []string{"success 0", "success 1", "advance 101ms"},
	},

	// Buckets of a time window.
	{
		name: "W2: a bucket ends", config: byTime,
		first:   "acquire 0; acquire 1; do+ 3; do+ 3; do+ 3",
		threads: []string{"advance 1s; success 0", "success 1", "snapshot"},
	},
	{
		name: "W2: a bucket ends before a trip", config: byTime,
		first:   "acquire 0; acquire 1; do+ 3; do+ 3; do+ 3; do- 3; do- 3",
		threads: []string{"advance 1s", "failure 0", "success 1"},
	},

	{
		name: "W2: the only bucket ends", config: oneBucket,
		first:   "acquire 0; acquire 1; do+ 3; do+ 3; do+ 3",
		threads: []string{"advance 1s; success 0", "success 1", "counters"},
	},
	{
		name: "W2: DISABLED ends, and a bucket", config: oneBucket,
		first:   "move DISABLED; do+ 3",
		threads: []string{"reset", "advance 1s; do+ 1"},
	},

	// The gate of HALF_OPEN.
	{
		name: "O4, H1: callers arrive when the interval is over", heard: true, config: with(byRate, func(c *breaker.Config) { c.HalfOpen.Probes = 1 }),
		first:   "move OPEN; advance 1s",
		threads: []string{"acquire 0", "acquire 1", "state"},
	},
	{
		name: "O4: the interval ends", config: with(byRate, func(c *breaker.Config) { c.HalfOpen.Probes = 1 }),
		first:   "move OPEN",
		threads: []string{"acquire 0", "acquire 1", "advance 1s"},
	},
	{
		name: "H1: slots by rate", config: byRate,
		first:   "move HALF_OPEN; acquire 3",
		threads: []string{"acquire 0; released 0", "acquire 1; ignored 1", "acquire 2"},
	},
	{
		name: "H1, H3: slots by streak", config: byStreak,
		first:   "move HALF_OPEN",
		threads: []string{"acquire 0; success 0", "acquire 1; success 1"},
	},
	{
		name: "H2: the verdict, and callers behind it", config: byRate,
		first:   "move HALF_OPEN; acquire 0; acquire 1",
		threads: []string{"success 0", "success 1", "acquire 2; success 2"},
	},
	{
		name: "H2: the verdict is to open", config: byRate,
		first:   "move HALF_OPEN; acquire 0; acquire 1",
		threads: []string{"failure 0", "success 1", "acquire 2"},
	},
	{
		name: "H3: a failure against the last success", config: with(byStreak, func(c *breaker.Config) { c.HalfOpen.Probes = 2 }),
		first:   "move HALF_OPEN; acquire 0; success 0; acquire 0; acquire 1",
		threads: []string{"failure 0", "success 1", "acquire 2"},
	},
	{
		name: "H5: late outcomes of CLOSED", config: byRate,
		first:   "acquire 0; acquire 1; move HALF_OPEN; acquire 2; success 2; acquire 2",
		threads: []string{"failure 0", "success 1", "success 2"},
	},
	{
		name: "P2: two copies of a probe", config: byRate,
		first:   "move HALF_OPEN; acquire 0; copy 0 1; acquire 3",
		threads: []string{"success 0", "failure 1", "acquire 2"},
	},
	{
		name: "H8: an overdue probe", config: byRate,
		first:   "move HALF_OPEN; acquire 0; acquire 3; success 3; advance 1s",
		threads: []string{"success 0", "acquire 1", "acquire 2"},
	},
	{
		name: "H8: a probe becomes overdue", config: with(byRate, func(c *breaker.Config) { c.HalfOpen.Probes = 1 }),
		first:   "move HALF_OPEN; acquire 0",
		threads: []string{"success 0", "acquire 1", "advance 1s"},
	},

	{
		name: "S6: asking whether a call is worth while", config: byStreak,
		first:   "move HALF_OPEN; acquire 0; advance 1s",
		threads: []string{"failure 0", "ready; ready", "acquire 1"},
	},

	// Timers.
	{
		name: "O5: the interval ends by itself", config: automatic,
		first:   "do- 0",
		threads: []string{"advance 1s", "acquire 1", "move CLOSED"},
	},
	{
		name: "H6: no verdict in time", config: automatic,
		first:   "move HALF_OPEN; acquire 0",
		threads: []string{"advance 1s", "success 0", "state"},
	},
	{
		name: "S4: an expiry", config: byRate,
		first:   "acquire 0; move FORCED_OPEN 1s",
		threads: []string{"advance 1s", "acquire 1", "move METRICS_ONLY 1s"},
	},
	{
		name: "S4: METRICS_ONLY expires", config: byRate,
		first:   "move METRICS_ONLY 1s; acquire 0; acquire 1",
		threads: []string{"advance 1s", "failure 0", "success 1"},
	},
	{
		name: "T7: the grace ends", config: graceful,
		first:   "acquire 0; acquire 1; do- 2; do- 2",
		threads: []string{"advance 1s", "failure 0", "success 1"},
	},
	{
		name: "T7: the grace has ended, and nobody has looked yet", config: graceful,
		first:   "acquire 0; acquire 1; do- 2; do- 2; advance 1s",
		threads: []string{"success 0", "success 1", "snapshot"},
	},

	// Operators and reconfiguration.
	{
		name: "S4, S5: an operator among successes", config: byRate,
		first:   "acquire 0; acquire 1; do+ 3; do+ 3; do+ 3",
		threads: []string{"move DISABLED", "success 0", "do+ 2"},
	},
	{
		name: "S5: a reset among successes", config: byRate,
		first:   "acquire 0; do+ 3; do+ 3",
		threads: []string{"reset", "success 0", "do+ 2"},
	},
	{
		name: "S7: two operators", heard: true, config: byRate,
		first:   "acquire 0; do+ 3",
		threads: []string{"move FORCED_OPEN", "reset", "success 0"},
	},
	{
		name: "S5: a reset among probes", config: byRate,
		first:   "move HALF_OPEN; acquire 0; acquire 1; success 1",
		threads: []string{"reset", "failure 0", "acquire 2; success 2"},
	},
	{
		name: "R5: stricter rules, and a success that trips", config: tolerant, other: strict,
		first:   "acquire 0; acquire 1; do- 3; do+ 3; do- 3",
		threads: []string{"reconfigure", "success 0", "success 1"},
	},
	{
		name: "R2: calls become timed", config: byRate,
		other:   with(byRate, func(c *breaker.Config) { c.SlowCall = breaker.SlowCallConfig{Duration: sec, Rate: never} }),
		first:   "acquire 0; do+ 3; do+ 3; do+ 3",
		threads: []string{"reconfigure", "success 0; do+ 1"},
	},
	{
		name: "R2: calls become slow", config: with(timed, func(c *breaker.Config) { c.SlowCall.Duration = sec }), other: timed,
		first:   "acquire 0; do+ 3; do+ 3; advance 500ms",
		threads: []string{"reconfigure; counters", "success 0"},
	},
	{
		name: "R5: a reconfiguration and a trip", config: tolerant, other: strict,
		first:   "acquire 0; acquire 1; do+ 3; do- 3; do+ 3",
		threads: []string{"reconfigure", "failure 0", "failure 1"},
	},

	// Larger ones. Most orders of these differ from one another by nothing of interest, so
	// the number of preemptions is bounded where there are too many.
	{
		name: "large: a trip, callers before and behind it, a reader", large: true, bound: 4, config: byRate,
		first:   "acquire 0; acquire 1; acquire 2; do+ 3; do+ 3; do- 3",
		threads: []string{"failure 0; acquire 3", "success 1; do+ 4", "success 2; snapshot"},
	},
	{
		name: "large: a trip, with a listener", large: true, heard: true, bound: 4, config: byRate,
		first:   "acquire 0; acquire 1; acquire 2; do+ 3; do+ 3; do- 3",
		threads: []string{"failure 0", "do- 4", "success 2; state"},
	},
	{
		name: "large: buckets end", large: true, bound: 4, config: oneBucket,
		first:   "acquire 0; acquire 1; do+ 3; do+ 3; do+ 3",
		threads: []string{"advance 1s; success 0; advance 1s", "success 1; do+ 4", "do- 5; counters"},
	},
	{
		name: "large: from OPEN to a verdict", large: true, bound: 4, config: byRate,
		first:   "move OPEN; advance 1s",
		threads: []string{"acquire 0; success 0", "acquire 1; failure 1", "acquire 2; ignored 2"},
	},
	{
		name: "large: from OPEN to CLOSED and on", large: true, bound: 4, config: byRate,
		first:   "acquire 3; move OPEN; advance 1s",
		threads: []string{"acquire 0; success 0; do+ 0", "acquire 1; success 1; do+ 1", "failure 3"},
	},
	{
		name: "large: all timers", large: true, bound: 3, config: automatic,
		first:   "acquire 0; acquire 1",
		threads: []string{"advance 1s; advance 1s; advance 1s", "failure 0; acquire 2; success 2", "success 1; do+ 3"},
	},
	{
		name: "large: operators, a reconfiguration and calls", large: true, bound: 4, config: tolerant, other: strict,
		first:   "acquire 0; acquire 1; do- 3; do+ 3; do- 3",
		threads: []string{"reconfigure; do+ 2", "move DISABLED; reset", "success 0; success 1"},
	},
}
