package cache

import (
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/internal/check"
)

// A Cache answers from memory what was answered before. Make it with [New]; it must
// not be copied. All its methods are safe for concurrent use. See the package
// comment for the model.
type Cache[K comparable, V any] struct {
	name string
	cfg  Config
	wiring
	store  Store[K, V]
	memory *Memory[K, V] // nil if a store was given
	fresh  time.Duration // answers younger than this are given without a call
	keep   time.Duration // and those younger than this in place of an error
	tally  tally
	events event.Stream

	// lastFailure is the instant at which the store failed last, or never.
	lastFailure atomic.Int64
}

const never = math.MinInt64

// quiet is how long a store must have worked for its next failure to be news.
const quiet = time.Minute

// wiring is what the options set.
type wiring struct {
	clk      clock.Clock
	cause    func(error) bool
	classify func(error) switchgear.Judgement
}

// An Option wires a cache to its surroundings. What the cache should do is in
// [Config]. A nil option, and one that was given nil, leaves the default.
type Option func(*options)

type options struct {
	wiring
	listeners []event.Listener
}

func gather(opts []Option) options {
	o := options{wiring: wiring{clk: clock.Real()}}
	for _, set := range opts {
		if set != nil {
			set(&o)
		}
	}
	return o
}

// WithClock sets the clock. Default [clock.Real]. A cache that was given a store
// uses it for events only.
func WithClock(c clock.Clock) Option {
	return func(o *options) {
		if c != nil {
			o.clk = c
		}
	}
}

// WithListener adds a listener for the cache's events, all of them warnings.
// Several may be given; each gets every event. One that is not quick belongs in
// [event.Async].
func WithListener(l event.Listener) Option {
	return func(o *options) { o.listeners = append(o.listeners, l) }
}

// WithCause narrows the errors in whose place a stale answer may come. It is never
// asked about an error that is an answer. Default: all others. The causes of package
// fallback fit here.
func WithCause(cause func(error) bool) Option { return func(o *options) { o.cause = cause } }

// WithClassifier sets how errors are judged: one whose health is a success is an
// answer, see the package comment. It is the classifier of [switchgear.Judge] and
// should be the one that the other policies have. Default: marks alone decide.
func WithClassifier(classify func(error) switchgear.Judgement) Option {
	return func(o *options) { o.classify = classify }
}

// New makes a cache that keeps its answers in store; if that is nil, in a [Memory]
// of its own within the bounds of cfg.Memory. The name appears in events. If the
// configuration is not valid the error is a [*switchgear.ConfigError] that lists
// everything wrong with it. New never panics.
func New[K comparable, V any](name string, cfg Config, store Store[K, V], opts ...Option) (*Cache[K, V], error) {
	var checks check.Checker
	cfg.settle(&checks, store != nil)
	if err := checks.Err(kind, name); err != nil {
		return nil, err
	}
	o := gather(opts)
	c := &Cache[K, V]{name: name, cfg: cfg, wiring: o.wiring, store: store}
	c.fresh = on(cfg.TTL)
	c.keep = c.fresh + on(cfg.StaleFor)
	c.lastFailure.Store(never)
	if store == nil {
		c.memory = newMemory[K, V](cfg.Memory, nil, o.clk)
		c.store = c.memory
	}
	c.events.Init(recent, o.listeners...)
	for _, w := range checks.Warnings {
		c.warn(w.String())
	}
	return c, nil
}

// recent is how many events a cache remembers for its readers.
const recent = 32

// Must returns c, or panics if err is not nil. It is for package variables.
func Must[K comparable, V any](c *Cache[K, V], err error) *Cache[K, V] {
	if err != nil {
		panic(err)
	}
	return c
}

// Name returns the cache's name.
func (c *Cache[K, V]) Name() string { return c.name }

// Config returns the configuration in effect, every default filled in. Its Memory is
// zero if a store was given.
func (c *Cache[K, V]) Config() Config { return c.cfg }

// Memory returns the store that New made, or nil if it was given one.
func (c *Cache[K, V]) Memory() *Memory[K, V] { return c.memory }

// Events returns the newest events, at most 32, oldest first.
func (c *Cache[K, V]) Events() []event.Event { return c.events.Recent() }

func (c *Cache[K, V]) warn(reason string) {
	c.events.Append(event.Event{Time: c.clk.Now(), Source: kind, Name: c.name, Kind: event.Warning, Reason: reason})
	c.events.Deliver()
}

// storeFailed counts a failure of the store and tells of it, unless it is one of a
// series: a store that is down must not add an event to every call.
func (c *Cache[K, V]) storeFailed(what any) {
	c.tally.storeFailures.Add(1)
	now := int64(c.clk.Mono())
	last := c.lastFailure.Swap(now)
	if last != never && now-last < int64(quiet) {
		return
	}
	if what == nil {
		what = "it ends the goroutine"
	}
	c.warn(fmt.Sprintf("the store fails: %v; calls are made as if nothing were cached", what))
}
