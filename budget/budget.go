package budget

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
)

// A Budget bounds the extra attempts of the calls that share it. Make it with [New];
// it must not be copied. All its methods are safe for concurrent use. See the package
// comment for the model.
type Budget struct {
	name     string
	cfg      Config
	clk      clock.Clock
	account  account
	refusal  *ExhaustedError
	warnings []switchgear.Problem

	granted   atomic.Uint64
	refused   atomic.Uint64
	settled   atomic.Uint64
	cancelled atomic.Uint64
	shortages atomic.Uint64

	events event.Stream

	// exhausted is the state that the last event told. It is written under mu
	// together with the event, so that the events alternate.
	exhausted atomic.Bool
	mu        sync.Mutex
}

// An account keeps the books of one kind of budget.
type account interface {
	// begin books a logical call, end the outcome of its first attempt.
	begin()
	end(o switchgear.Outcome)
	// withdraw grants an extra attempt or not. What it returns as mark comes back
	// with the settlement.
	withdraw(timedOut bool) (mark int64, ok bool)
	settle(mark int64, o switchgear.Outcome)
	cancel(mark int64)
	level() level
}

// level is how an account stands.
type level struct {
	available, capacity float64
	grants              bool // a withdrawal would be granted
	recovered           bool // so much is free that it is not exhausted any more
}

// An Option wires a budget to its surroundings. What it allows is in [Config]. A nil
// option, and one that was given nil, leaves the default.
type Option func(*options)

type options struct {
	clk       clock.Clock
	listeners []event.Listener
}

// WithClock sets the clock. Default [clock.Real]. The budget may call it under its
// lock, so it must not call the budget.
func WithClock(c clock.Clock) Option {
	return func(o *options) {
		if c != nil {
			o.clk = c
		}
	}
}

// WithListener adds a listener for the budget's events. Several may be given; each
// gets every event. A listener may call the budget. One that is not quick belongs in
// [event.Async].
func WithListener(l event.Listener) Option {
	return func(o *options) { o.listeners = append(o.listeners, l) }
}

// recent is how many events a budget remembers for its readers.
const recent = 32

// New makes a budget. The name appears in errors and events. If the configuration is
// not valid the error is a [*switchgear.ConfigError] that lists everything wrong with
// it. What is doubtful but possible is a warning: see [Budget.Warnings]. New never
// panics.
func New(name string, cfg Config, opts ...Option) (*Budget, error) {
	o := options{clk: clock.Real()}
	for _, set := range opts {
		if set != nil {
			set(&o)
		}
	}
	a, warnings, err := compile(name, &cfg, o.clk)
	if err != nil {
		return nil, err
	}
	b := &Budget{
		name: name, cfg: cfg, clk: o.clk, account: a, warnings: warnings,
		refusal: &ExhaustedError{Name: name, Config: cfg},
	}
	b.events.Init(recent, o.listeners...)
	for _, w := range warnings {
		b.events.Append(event.Event{
			Time: b.clk.Now(), Source: source, Name: name, Kind: event.Warning, Reason: w.String(),
		})
	}
	b.events.Deliver()
	return b, nil
}

// Must returns b, or panics if err is not nil. It is for package variables.
func Must(b *Budget, err error) *Budget {
	if err != nil {
		panic(err)
	}
	return b
}

// Name returns the budget's name.
func (b *Budget) Name() string { return b.name }

// Config returns the configuration with every default of its kind filled in.
func (b *Budget) Config() Config { return b.cfg }

// Warnings returns what validation found doubtful. They are also the budget's first
// events.
func (b *Budget) Warnings() []switchgear.Problem { return slices.Clone(b.warnings) }

// Events returns the newest events, at most 32, oldest first.
func (b *Budget) Events() []event.Event { return b.events.Recent() }

// Begin says that a logical call begins, with its first attempt. Extra attempts are
// not calls of their own.
func (b *Budget) Begin() {
	b.account.begin()
	b.check()
}

// End says how the first attempt of a logical call ended. It comes before the
// Withdraw for a retry of that attempt.
func (b *Budget) End(o switchgear.Outcome) {
	b.account.end(o)
	b.check()
}

// Withdraw asks for one extra attempt, a retry or a hedge. If it is granted, it counts
// from now on, also while it waits for its backoff; the Withdrawal must be settled or
// cancelled. If it is not, the result is false, and [Budget.Exhausted] is the error
// that tells why.
func (b *Budget) Withdraw() (Withdrawal, bool) { return b.withdraw(false) }

// WithdrawTimeout is [Budget.Withdraw] for a retry of an attempt that timed out, which
// a [Quota] lets pay more.
func (b *Budget) WithdrawTimeout() (Withdrawal, bool) { return b.withdraw(true) }

func (b *Budget) withdraw(timedOut bool) (Withdrawal, bool) {
	mark, ok := b.account.withdraw(timedOut)
	if !ok {
		b.refused.Add(1)
		b.exhaust()
		return Withdrawal{}, false
	}
	b.granted.Add(1)
	return Withdrawal{b: b, mark: mark}, true
}
