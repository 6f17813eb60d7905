package bulkhead

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
)

// A Bulkhead bounds the calls that run at once. Make it with [New]; it must not be
// copied. All its methods are safe for concurrent use. See the package comment for the
// model.
type Bulkhead struct {
	// What callers touch on every call. limit and rules change under mu, limit
	// together with the word.
	word  atomic.Uint64
	limit atomic.Int64
	rules atomic.Pointer[rules]

	name    string
	clk     clock.Clock
	refused atomic.Uint64
	events  event.Stream

	// mu guards what is below, and the word while its held bit is set. It is held for
	// a few instructions; no user code is called under it. The stream's lock and the
	// clock's are taken inside it, never the other way round.
	mu       sync.Mutex
	queue    queue
	due      queue  // callers with a callback that is still to be called
	admitted uint64 // without what the word has counted
	queued   uint64
	timedOut uint64
	gaveUp   uint64
}

// recent is how many events a bulkhead remembers for its readers.
const recent = 32

// An Option wires a bulkhead to its surroundings. What the bulkhead should do is in
// [Config]. A nil option, and one that was given nil, leaves the default.
type Option func(*options)

type options struct {
	clk       clock.Clock
	listeners []event.Listener
}

// WithClock sets the clock that measures MaxWait. Default [clock.Real]. The bulkhead
// may call it under its lock, so it must not call the bulkhead, except from timers.
func WithClock(c clock.Clock) Option {
	return func(o *options) {
		if c != nil {
			o.clk = c
		}
	}
}

// WithListener adds a listener for the bulkhead's events: warnings about its
// configuration, and reconfigurations. Refusals are counted and make no events. Several
// may be given; each gets every event. A listener may call the bulkhead. One that is
// not quick belongs in [event.Async].
func WithListener(l event.Listener) Option {
	return func(o *options) { o.listeners = append(o.listeners, l) }
}

// New makes a bulkhead. The name appears in errors and events. If the configuration is
// not valid the error is a [*switchgear.ConfigError] that lists everything wrong with
// it. What is doubtful but possible is a warning: see [Bulkhead.Warnings]. New never
// panics.
func New(name string, cfg Config, opts ...Option) (*Bulkhead, error) {
	r, err := compile(name, cfg)
	if err != nil {
		return nil, err
	}
	o := options{clk: clock.Real()}
	for _, set := range opts {
		if set != nil {
			set(&o)
		}
	}
	b := &Bulkhead{name: name, clk: o.clk}
	b.events.Init(recent, o.listeners...)
	b.rules.Store(r)
	b.limit.Store(r.limit)
	b.word.Store(uint64(bias + r.limit))
	b.warn(r)
	b.events.Deliver()
	return b, nil
}

// Must returns b, or panics if err is not nil. It is for package variables.
func Must(b *Bulkhead, err error) *Bulkhead {
	if err != nil {
		panic(err)
	}
	return b
}

// Name returns the bulkhead's name.
func (b *Bulkhead) Name() string { return b.name }

// Config returns the configuration in effect, every default filled in.
func (b *Bulkhead) Config() Config { return b.rules.Load().cfg }

// Warnings returns what validation found doubtful in the configuration in effect. They
// are events too.
func (b *Bulkhead) Warnings() []switchgear.Problem { return slices.Clone(b.rules.Load().warnings) }

// Events returns the newest events, oldest first, at most 32.
func (b *Bulkhead) Events() []event.Event { return b.events.Recent() }

// TryAcquire asks for a permit and never waits. It returns a [*Rejection] if all
// permits are out, or if one is free only for those who wait already.
func (b *Bulkhead) TryAcquire() (Permit, error) {
	if b.take() {
		return Permit{b}, nil
	}
	return b.tryAcquire()
}

func (b *Bulkhead) tryAcquire() (Permit, error) {
	_, err := b.ask(nil, false)
	return b.result(err)
}

// Acquire asks for a permit and, where [Config.MaxWaiting] allows, waits for one: at
// most for [Config.MaxWait], and not beyond the end of ctx. The [*Rejection] of a
// caller whose context ended matches the context's error as well.
//
// ctx is looked at only if there is no room at once. A permit that arrives together
// with the end of ctx is returned: the call will notice by itself.
func (b *Bulkhead) Acquire(ctx context.Context) (Permit, error) {
	if b.take() {
		return Permit{b}, nil
	}
	return b.acquire(ctx)
}

func (b *Bulkhead) acquire(ctx context.Context) (Permit, error) {
	if ctx.Err() != nil {
		return Permit{}, b.turnAway(ctx)
	}
	w, err := b.ask(nil, true)
	if w == nil {
		return b.result(err)
	}
	select {
	case err = <-w.ready:
	case <-ctx.Done():
		if b.cancel(w) {
			return Permit{}, b.gone(ctx)
		}
		err = <-w.ready // decided already, perhaps a permit: it must not be lost
	}
	return b.result(err)
}

func (b *Bulkhead) result(err error) (Permit, error) {
	if err != nil {
		return Permit{}, err
	}
	return Permit{b}, nil
}

// Enqueue asks for a permit and calls f with it, or with a [*Rejection], exactly once:
// it is [Bulkhead.Acquire] for those who have no goroutine to wait with, such as a
// simulator in virtual time.
//
// If there is room, or no place in the queue, f is called before Enqueue returns.
// Otherwise it is called later: on the goroutine whose Release or Reconfigure made room,
// or by the clock's timer after [Config.MaxWait]. It holds that goroutine up, so it must
// be quick and must not block. No lock is held: f may use the bulkhead. If f gives its
// permit back before it returns, the callback of the next in the queue runs inside that
// Release.
//
// The permit is f's from the moment it is called, also if f panics. A panic goes up to
// the goroutine that f was called on; callbacks that are due with it are called first.
//
// cancel takes the caller out of the queue. It returns true if f will never be called,
// and false if it has been, or is about to be. f must not be nil.
func (b *Bulkhead) Enqueue(f func(Permit, error)) (cancel func() bool) {
	if b.take() {
		f(Permit{b}, nil)
		return tooLate
	}
	w, err := b.ask(f, true)
	if w == nil {
		f(b.result(err))
		return tooLate
	}
	return func() bool { return b.cancel(w) }
}

// tooLate is cancel for a callback that has been called.
func tooLate() bool { return false }

// ask is all ways of asking once the fast one has failed. It returns the place in the
// queue or, if there is none, why not; both are nil for a permit. f is the callback, or
// nil for a caller that will wait for the channel.
func (b *Bulkhead) ask(f func(Permit, error), mayWait bool) (*waiter, error) {
	if r := b.rules.Load(); !mayWait || r.queue == 0 {
		// Without the lock as well: nobody waits and all permits are out.
		if w := b.word.Load(); w&held == 0 && roomIn(w) == 0 {
			b.refused.Add(1)
			return nil, r.full
		}
	}
	b.lock()
	defer b.unlock()
	r := b.rules.Load() // anew, since they may have been replaced
	switch {
	case b.admitOne(): // while anybody waits there is no room, so this overtakes nobody
		return nil, nil
	case mayWait && b.queue.n < r.queue:
		return b.wait(r, f), nil
	}
	b.refused.Add(1)
	running := b.running()
	switch {
	case running == r.limit && b.queue.n == 0:
		return nil, r.full
	case running == r.limit && b.queue.n == r.queue:
		return nil, r.queueFull
	}
	return nil, r.reject(b.name, Full, running, b.queue.n)
}

// handOver gives a permit back under the lock: to the first in the queue, if there is
// one. A permit that cannot be out is a copy of one that was given back, and dropped.
func (b *Bulkhead) handOver() {
	b.lock()
	defer b.unlock()
	if w := b.word.Load(); roomIn(w) < b.limit.Load() {
		b.word.Store(w + permit)
		b.admitWaiters()
	}
}

// turnAway refuses a caller whose context had ended when it came.
func (b *Bulkhead) turnAway(ctx context.Context) error {
	b.mu.Lock()
	b.gaveUp++
	b.mu.Unlock()
	return b.gone(ctx)
}

// gone is the refusal of a caller that is not in the queue any more.
func (b *Bulkhead) gone(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.rules.Load().reject(b.name, GaveUp, b.running(), b.queue.n).becauseOf(ctx)
}
