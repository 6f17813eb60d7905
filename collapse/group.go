package collapse

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/internal/check"
)

// A Group is a set of calls that can be shared. Make it with [New]; it must not be
// copied. All its methods are safe for concurrent use. See the package comment for
// the model.
type Group[K comparable, V any] struct {
	name   string
	cfg    Config
	clk    clock.Clock
	events event.Stream
	full   alarm // MaxKeys is reached
	panics alarm // a function panicked

	// mu guards what is below, and all flights of the group, for a few instructions
	// at a time. Nothing is called under it.
	mu      sync.Mutex
	flights map[K]*flight[K, V] // those that can be joined
	now     Snapshot
	total   Counters
}

// An Option wires a group to its surroundings. What the group should do is in
// [Config]. A nil option, and one that was given nil, leaves the default.
type Option func(*options)

type options struct {
	clk       clock.Clock
	listeners []event.Listener
}

// WithClock sets the clock, which is used for events only. Default [clock.Real].
func WithClock(c clock.Clock) Option {
	return func(o *options) {
		if c != nil {
			o.clk = c
		}
	}
}

// WithListener adds a listener for the group's events, all of them warnings. Several
// may be given; each gets every event. One that is not quick belongs in
// [event.Async].
func WithListener(l event.Listener) Option {
	return func(o *options) { o.listeners = append(o.listeners, l) }
}

// recent is how many events a group remembers for its readers.
const recent = 32

// New makes a group. The name appears in errors and events. If the configuration is
// not valid the error is a [*switchgear.ConfigError] that lists everything wrong with
// it. New never panics.
func New[K comparable, V any](name string, cfg Config, opts ...Option) (*Group[K, V], error) {
	var c check.Checker
	cfg.settle(&c)
	if err := c.Err(kind, name); err != nil {
		return nil, err
	}
	o := options{clk: clock.Real()}
	for _, set := range opts {
		if set != nil {
			set(&o)
		}
	}
	g := &Group[K, V]{name: name, cfg: cfg, clk: o.clk, flights: map[K]*flight[K, V]{}}
	g.full.last.Store(never)
	g.panics.last.Store(never)
	g.events.Init(recent, o.listeners...)
	return g, nil
}

// Must returns g, or panics if err is not nil. It is for package variables.
func Must[K comparable, V any](g *Group[K, V], err error) *Group[K, V] {
	if err != nil {
		panic(err)
	}
	return g
}

// Name returns the group's name.
func (g *Group[K, V]) Name() string { return g.name }

// Config returns the configuration in effect, every default filled in.
func (g *Group[K, V]) Config() Config { return g.cfg }

// Events returns the newest events, at most 32, oldest first.
func (g *Group[K, V]) Events() []event.Event { return g.events.Recent() }

// An alarm keeps something that may happen with every call from becoming an event
// every time: it is news only after it has not happened for a minute.
type alarm struct{ last atomic.Int64 }

const (
	never = math.MinInt64
	quiet = time.Minute
)

func (a *alarm) news(now time.Duration) bool {
	last := a.last.Swap(int64(now))
	return last == never || int64(now)-last >= int64(quiet)
}

// warn tells of something if it is news. Called without locks.
func (g *Group[K, V]) warn(a *alarm, reason func() string, detail any) {
	if !a.news(g.clk.Mono()) {
		return
	}
	g.events.Append(event.Event{
		Time: g.clk.Now(), Source: kind, Name: g.name, Kind: event.Warning, Reason: reason(), Detail: detail,
	})
	g.events.Deliver()
}
