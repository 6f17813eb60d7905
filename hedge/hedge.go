package hedge

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
)

const source = "hedge"

// A Hedge makes extra attempts of slow calls to one dependency. Make it with [New];
// it must not be copied. All its methods are safe for concurrent use. See the package
// comment for the model.
type Hedge struct {
	name string
	cfg  Config
	wiring
	extra    int   // most extra attempts, 0 if off
	left     int64 // most abandoned attempts, -1 if off
	tail     *tail // nil where the delay is fixed
	now      func() time.Time
	warnings []switchgear.Problem
	events   event.Stream
	warned   [warningKinds]atomic.Int64

	counts    counts
	running   atomic.Int64
	abandoned atomic.Int64
}

type wiring struct {
	clk      clock.Clock
	budget   *budget.Budget
	shared   bool
	classify func(error) switchgear.Judgement
	probing  func() bool
}

// An Option wires a hedge to its surroundings. What it should do is in [Config]. A
// nil option, and one that was given nil, leaves the default.
type Option func(*options)

type options struct {
	wiring
	listeners []event.Listener
}

// WithClock sets the clock. Default [clock.Real].
func WithClock(c clock.Clock) Option {
	return func(o *options) {
		if c != nil {
			o.clk = c
		}
	}
}

// WithBudget makes every extra attempt draw on b, at the moment it starts. If b
// refuses, the call goes on without further extra attempts. The hedge also tells b of
// every call it makes, hedged or not, so b must not be told of them by anybody else:
// see [WithSharedBudget]. Default none, which New warns of: when the dependency gets
// slow as a whole, its load is then multiplied at the worst moment.
func WithBudget(b *budget.Budget) Option {
	return func(o *options) {
		if b != nil {
			o.budget, o.shared = b, false
		}
	}
}

// WithSharedBudget is [WithBudget] for a budget that another policy further out, such
// as a retry, tells of the calls. The hedge only withdraws from it.
func WithSharedBudget(b *budget.Budget) Option {
	return func(o *options) {
		if b != nil {
			o.budget, o.shared = b, true
		}
	}
}

// WithClassifier sets how errors are judged that the rules of [switchgear.Judge] leave
// open. It runs on the attempt's goroutine.
func WithClassifier(f func(error) switchgear.Judgement) Option {
	return func(o *options) {
		if f != nil {
			o.classify = f
		}
	}
}

// WithProbing sets a function that is asked before each extra attempt whether the
// dependency is being probed, as behind a breaker that is HALF_OPEN; if it says yes
// the call gets no further extra attempts. It must be quick. See also [NoMore].
func WithProbing(f func() bool) Option {
	return func(o *options) {
		if f != nil {
			o.probing = f
		}
	}
}

// WithListener adds a listener for the hedge's events, which all are warnings: about
// the configuration, about panics, and when [Config.MaxAbandoned] is reached; the
// latter two at most once a minute each. Several may be given.
func WithListener(l event.Listener) Option {
	return func(o *options) { o.listeners = append(o.listeners, l) }
}

// New makes a hedge. The name appears in errors and events. If the configuration is
// not valid the error is a [*switchgear.ConfigError] that lists everything wrong with
// it. What is doubtful but possible is a warning: see [Hedge.Warnings]. New never
// panics.
func New(name string, cfg Config, opts ...Option) (*Hedge, error) {
	hundredths, warnings, err := settle(name, &cfg)
	if err != nil {
		return nil, err
	}
	o := options{wiring: wiring{clk: clock.Real()}}
	for _, set := range opts {
		if set != nil {
			set(&o)
		}
	}
	if o.budget == nil && cfg.MaxExtra != off {
		warnings = append(warnings, switchgear.Problem{
			Path: "MaxExtra", Value: cfg.MaxExtra,
			Bound: "draws on no budget, so a dependency that gets slow as a whole is sent its calls more than once",
		})
	}
	h := &Hedge{
		name: name, cfg: cfg, wiring: o.wiring,
		extra: max(cfg.MaxExtra, 0), left: int64(max(cfg.MaxAbandoned, -1)),
		now: o.clk.Now, warnings: warnings,
	}
	if hundredths > 0 {
		h.tail = newTail(hundredths, cfg.MinimumSamples, cfg.Window, o.clk.Mono())
	}
	h.events.Init(0, o.listeners...)
	for _, w := range warnings {
		h.tell(w.String(), nil)
	}
	h.events.Deliver()
	return h, nil
}

// Must returns h, or panics if err is not nil. It is for package variables.
func Must(h *Hedge, err error) *Hedge {
	if err != nil {
		panic(err)
	}
	return h
}

// Name returns the hedge's name.
func (h *Hedge) Name() string { return h.name }

// Config returns the configuration, every default filled in. Window, MinimumSamples
// and MinDelay stay as they were given where Percentile is off.
func (h *Hedge) Config() Config { return h.cfg }

// Warnings returns what New found doubtful. They are also the first events.
func (h *Hedge) Warnings() []switchgear.Problem { return slices.Clone(h.warnings) }

// Latency returns a percentile of the latencies of good answers in the window, and
// whether there is any: not before the first answer, not where [Config.Percentile] is
// off, and not for a p that is not from 0 to 100 or has more than two decimals. It is
// the nearest rank, so 0 is the shortest latency.
//
// The latency of a call is the time from its first attempt to the good answer,
// whichever attempt gave it. For the time of the answering attempt alone, the hedges
// would cut off the very tail that is measured: the percentile would sink, cause more
// hedges, and sink further. Measured this way, what lies below the delay is not
// touched by hedging, and nor is the percentile that is the delay.
//
// The result is never too short, and at most 1/16 of the true value, or 1.024 µs if
// that is more, too long. If all answers took equally long, and for 0 and 100, it is
// exact. Calls that could not be hedged are not measured.
func (h *Hedge) Latency(p switchgear.Percent) (time.Duration, bool) {
	hundredths, ok := p.Hundredths()
	if !ok || h.tail == nil {
		return 0, false
	}
	return h.tail.percentile(hundredths, h.clk.Mono())
}

// delay returns how long an attempt of a call beginning now has to answer.
func (h *Hedge) delay(now time.Duration) (d time.Duration, measured bool) {
	if h.tail != nil {
		if d := h.tail.value(now); d > 0 {
			return max(d, h.cfg.MinDelay), true
		}
	}
	return h.cfg.Delay, false
}

// possible reports whether calls that are safe can be hedged now.
func (h *Hedge) possible() bool {
	if h.extra == 0 {
		return false
	}
	if h.crowded() {
		h.warn(crowding, "calls are not hedged: too many attempts run on after their call was over", nil)
		return false
	}
	return true
}

// crowded reports whether MaxAbandoned has been reached.
func (h *Hedge) crowded() bool { return h.left >= 0 && h.abandoned.Load() >= h.left }

// hedgeable reports whether a call with ctx can be hedged now.
func (h *Hedge) hedgeable(ctx context.Context) bool {
	safe, marked := Marked(ctx)
	if !marked {
		safe = h.cfg.Always
	}
	if h.extra == 0 || !safe {
		return false
	}
	if a, ok := switchgear.AttemptOf(ctx); ok && a.Probe {
		return false
	}
	return h.possible()
}

// settleBudget says how an attempt ended to the budget.
func (h *Hedge) settleBudget(attempt int, w budget.Withdrawal, o switchgear.Outcome) {
	switch {
	case h.budget == nil:
	case attempt > 1:
		w.Settle(o)
	case !h.shared:
		h.budget.End(o)
	}
}
