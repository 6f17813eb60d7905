package sgslog

import (
	"log/slog"
	"time"

	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/explain"
	"github.com/switchgear-go/switchgear/internal/check"
)

// maxBurst is such that Burst times Every is within a Duration.
const maxBurst = 1_000

// Config says how much is written. It is plain data; a zero field means the default its
// comment names.
type Config struct {
	// Burst is how many lines of one source, name and kind may follow each other at
	// once. Default 10; at most 1,000. An outage with one recovery takes three.
	Burst int

	// Every is the time after which one more may be written. Default 1 s; from 1 ms to
	// 30 days.
	Every time.Duration

	// MaxText bounds each text in a line, the message included, in bytes. Longer ones
	// are cut and end in "…". Default 1,024; from 64 to 65,536.
	MaxText int

	// MaxNames bounds for how many combinations of source, name and kind the lines are
	// counted at a time. Those for which there is no room are counted together, as one. A
	// combination that has been quiet makes room. Default 10,000; at most 100,000.
	MaxNames int

	// Queue is how many events may wait for the handler. Default [event.MaxWaiting]; at
	// most 1,000,000.
	Queue int
}

func (cfg Config) compile() (Config, error) {
	var c check.Checker
	c.Int("Burst", &cfg.Burst, 10, 1, maxBurst, false)
	c.Duration("Every", &cfg.Every, time.Second, time.Millisecond, check.MaxDuration, false)
	c.Int("MaxText", &cfg.MaxText, 1_024, 64, 65_536, false)
	c.Int("MaxNames", &cfg.MaxNames, 10_000, 1, 100_000, false)
	c.Int("Queue", &cfg.Queue, event.MaxWaiting, 1, 1_000_000, false)
	return cfg, c.Err("sgslog", "")
}

// An Option wires a listener to its surroundings. A nil option, and one that was given
// nil, leaves the default.
type Option func(*options)

type options struct {
	clk   clock.Clock
	level func(event.Event) slog.Level
}

// WithClock sets the clock by which lines are counted. The time in a line is that of
// its event. Default [clock.Real].
func WithClock(c clock.Clock) Option {
	return func(o *options) {
		if c != nil {
			o.clk = c
		}
	}
}

// WithLevel sets the function that gives an event its level. It runs on the listener's
// own goroutine. Default [Level].
func WithLevel(f func(event.Event) slog.Level) Option {
	return func(o *options) {
		if f != nil {
			o.level = f
		}
	}
}

// Level is the level of an event unless [WithLevel] says otherwise: Warn for a policy
// that begins to refuse calls, for a breaker that begins to flap, and for warnings; Info
// for everything else, also for the end of these.
func Level(e event.Event) slog.Level {
	switch {
	case e.Kind == event.Warning,
		e.Kind == event.Transition && refusing[e.To],
		e.Kind == explain.Flapping && e.To == explain.Flaps:
		return slog.LevelWarn
	}
	return slog.LevelInfo
}

// refusing are the states in which policies refuse calls: of breakers, throttles and
// budgets.
var refusing = map[string]bool{"OPEN": true, "FORCED_OPEN": true, "THROTTLING": true, "exhausted": true}
