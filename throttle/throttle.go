package throttle

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
)

// The states that the events of a throttle tell of.
const (
	// Passing: in the last bucket of the window no call was refused.
	Passing = "PASSING"
	// Throttling: in the last bucket of the window calls were refused.
	Throttling = "THROTTLING"
)

// A Throttle refuses calls to a dependency that accepts too few of them. Make it with
// [New]; it must not be copied. All its methods are safe for concurrent use. See the
// package comment for the model.
type Throttle struct {
	name string
	wiring

	// What callers touch on every call. newest is the bucket that calls are counted in
	// now; it is replaced, under mu, when its time is over, and rules at each
	// reconfiguration.
	rules  atomic.Pointer[rules]
	newest atomic.Pointer[bucket]

	// Lifetime counts. They stand apart from the buckets because a caller may be late
	// with a bucket that has left the window already.
	accepted, failed, ignored, released, refused atomic.Uint64

	events event.Stream

	// mu guards what is below, and the change of buckets. It is held for a few
	// instructions; no user code is called under it. The stream's lock and the clock's
	// are taken inside it, never the other way round.
	mu         sync.Mutex
	ring       ring
	throttling bool
}

// wiring is what the options set.
type wiring struct {
	clk      clock.Clock
	random   func() float64
	classify func(error) switchgear.Judgement
}

// recent is how many events a throttle remembers for its readers.
const recent = 32

// An Option wires a throttle to its surroundings. What the throttle should do is in
// [Config]. A nil option, and one that was given nil, leaves the default.
type Option func(*options)

type options struct {
	wiring
	listeners []event.Listener
}

// WithClock sets the clock. Default [clock.Real]. The throttle may call it under its
// lock, so it must not call the throttle.
func WithClock(c clock.Clock) Option {
	return func(o *options) {
		if c != nil {
			o.clk = c
		}
	}
}

// WithRandom sets the source of chance: a function that returns numbers from 0 up to, but
// not including, 1. It is asked for each call while calls are being refused, by many at
// once, and so must be safe for concurrent use. Default [rand.Float64].
func WithRandom(f func() float64) Option {
	return func(o *options) {
		if f != nil {
			o.random = f
		}
	}
}

// WithClassifier sets how [Do] judges errors that the rules of [switchgear.Judge] leave
// open. It may return an undecided health; then an error is a failure.
func WithClassifier(f func(error) switchgear.Judgement) Option {
	return func(o *options) { o.classify = f }
}

// WithListener adds a listener for the throttle's events: warnings about its
// configuration, reconfigurations, and transitions between [Passing] and [Throttling].
// There is at most one transition per bucket of the window, at the first call after that
// bucket's end; single refusals are counted and make no events. Several listeners may be
// given; each gets every event. A listener may call the throttle. One that is not quick
// belongs in [event.Async].
func WithListener(l event.Listener) Option {
	return func(o *options) { o.listeners = append(o.listeners, l) }
}

// New makes a throttle. The name appears in errors and events. If the configuration is
// not valid the error is a [*switchgear.ConfigError] that lists everything wrong with it.
// What is doubtful but possible is a warning: see [Throttle.Warnings]. New never panics.
func New(name string, cfg Config, opts ...Option) (*Throttle, error) {
	r, err := compile(name, cfg)
	if err != nil {
		return nil, err
	}
	o := options{wiring: wiring{clk: clock.Real(), random: rand.Float64}}
	for _, set := range opts {
		if set != nil {
			set(&o)
		}
	}
	t := &Throttle{name: name, wiring: o.wiring, ring: newRing(r.cfg)}
	t.events.Init(recent, o.listeners...)
	t.rules.Store(r)
	t.newest.Store(t.ring.begin(t.clk.Mono()))
	t.warn(r)
	t.events.Deliver()
	return t, nil
}

// Must returns t, or panics if err is not nil. It is for package variables.
func Must(t *Throttle, err error) *Throttle {
	if err != nil {
		panic(err)
	}
	return t
}

// Name returns the throttle's name.
func (t *Throttle) Name() string { return t.name }

// Config returns the configuration in effect, every default filled in.
func (t *Throttle) Config() Config { return t.rules.Load().cfg }

// Warnings returns what validation found doubtful in the configuration in effect. They
// are events too.
func (t *Throttle) Warnings() []switchgear.Problem { return slices.Clone(t.rules.Load().warnings) }

// Events returns the newest events, oldest first, at most 32.
func (t *Throttle) Events() []event.Event { return t.events.Recent() }

// Acquire asks for permission to make one call. It returns a permit or a [*Rejection],
// at once: a throttle never waits, and so has no use for ctx. A refusal counts as a
// request at once, a permit when it is settled as a success or a failure.
func (t *Throttle) Acquire(context.Context) (Permit, error) {
	b := t.bucket()
	n, r := b.window(), t.rules.Load()
	if p := r.refusal(n); p > 0 && t.random() < p {
		t.refused.Add(1)
		b.refused.Add(1)
		return Permit{}, &Rejection{
			Name: t.name, Refusal: percent(p), Requests: n.requests, Accepts: n.accepts, Window: r.cfg.Window,
		}
	}
	return Permit{t}, nil
}

// bucket returns the bucket to count in now. A reading of the clock that was overtaken
// by another counts in the newest bucket, not in the one it belongs to.
func (t *Throttle) bucket() *bucket {
	now := t.clk.Mono()
	if b := t.newest.Load(); now < b.end {
		return b
	}
	return t.advance(now)
}

// advance begins the bucket that now falls into, unless somebody else has done it.
func (t *Throttle) advance(now time.Duration) *bucket {
	defer t.events.Deliver()
	t.mu.Lock()
	defer t.mu.Unlock()
	last := t.newest.Load()
	if t.ring.index(now) <= last.index { // also at the end of time, which no bucket reaches beyond
		return last
	}
	b := t.ring.begin(now)
	t.newest.Store(b)
	// After a pause the bucket that ended just now is an empty one.
	t.tell(last.refused.Load() > 0 && b.index == last.index+1)
	return b
}

// tell makes an event of a change between passing and throttling. Called under mu.
func (t *Throttle) tell(throttling bool) {
	if throttling == t.throttling {
		return
	}
	t.throttling = throttling
	e := event.Event{
		Time: t.clk.Now(), Source: source, Name: t.name, Kind: event.Transition,
		From: Throttling, To: Passing, Reason: "no call was refused in the last bucket",
	}
	if throttling {
		e.From, e.To, e.Reason = Passing, Throttling, "calls were refused in the last bucket"
	}
	t.events.Append(e)
}
