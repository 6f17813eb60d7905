package sgslog

import (
	"context"
	"log/slog"
	"sync/atomic"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
)

// A Listener writes events to a log. Make it with [New]; it must not be copied. All its
// methods are safe for concurrent use, and it may be given to any number of policies.
type Listener struct {
	limiter limiter
	queue   *event.AsyncListener
	writer  writer
}

// Counters count over the life of a listener. Each only grows. When nothing is waiting,
// the events heard are the sum of all but Heard.
type Counters struct {
	// Heard are the events that came in.
	Heard uint64 `json:"heard"`
	// Written are the lines that the handler took.
	Written uint64 `json:"written"`
	// Disabled are those whose level the handler does not want.
	Disabled uint64 `json:"disabled"`
	// LeftOut are the events not written because there were too many like them.
	LeftOut uint64 `json:"left_out"`
	// Lost are those dropped because the handler hung, or after Close.
	Lost uint64 `json:"lost"`
	// Failed are the lines that the handler refused with an error, Panics those in the
	// middle of which it panicked, or ended the goroutine.
	Failed uint64 `json:"failed"`
	Panics uint64 `json:"panics"`
}

// New makes a listener that writes to logger. If the configuration is not valid the
// error is a [*switchgear.ConfigError] that lists everything wrong with it.
func New(logger *slog.Logger, cfg Config, opts ...Option) (*Listener, error) {
	cfg, err := cfg.compile()
	if logger == nil {
		invalid, _ := err.(*switchgear.ConfigError)
		if invalid == nil {
			invalid = &switchgear.ConfigError{Policy: "sgslog"}
		}
		invalid.Problems = append([]switchgear.Problem{{Path: "Logger", Value: "nil", Bound: "must be given"}}, invalid.Problems...)
		return nil, invalid
	}
	if err != nil {
		return nil, err
	}
	o := options{clk: clock.Real(), level: Level}
	for _, set := range opts {
		if set != nil {
			set(&o)
		}
	}
	l := &Listener{}
	l.writer = writer{handler: logger.Handler(), level: o.level, maxText: cfg.MaxText}
	l.queue = event.Async(&l.writer, cfg.Queue)
	l.writer.dropped = l.queue.Dropped
	l.limiter = limiter{cfg: cfg, clk: o.clk, out: l.queue, keys: make(map[key]*bucket)}
	return l, nil
}

// Must returns l, or panics if err is not nil. It is for package variables.
func Must(l *Listener, err error) *Listener {
	if err != nil {
		panic(err)
	}
	return l
}

// OnEvent queues e to be written, or counts it as one too many. It never blocks.
func (l *Listener) OnEvent(e event.Event) { l.limiter.OnEvent(e) }

// Close writes what is still to be written, and waits for it; later events are lost. If
// ctx ends first the rest is dropped, and the error is ctx.Err(). It must not be called
// by the handler.
func (l *Listener) Close(ctx context.Context) error {
	l.limiter.close()
	return l.queue.Close(ctx)
}

// Counters returns the listener's counters.
func (l *Listener) Counters() Counters {
	heard, leftOut := l.limiter.counts()
	w := &l.writer
	return Counters{
		Heard: heard, LeftOut: leftOut, Lost: l.queue.Dropped(), Panics: w.panics.Load(),
		Written: w.written.Load(), Disabled: w.disabled.Load(), Failed: w.failed.Load(),
	}
}

// tallies are what the writer counts.
type tallies struct{ written, disabled, failed, panics atomic.Uint64 }
