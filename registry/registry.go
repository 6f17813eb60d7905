package registry

import (
	"sync"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/pipeline"
)

// A Registry keeps breakers and pipelines under their names. Make it with [New]; it must
// not be copied. All its methods are safe for concurrent use. See the package comment
// for the model.
type Registry struct {
	cfg       Config // with every default filled in
	clk       clock.Clock
	listeners []event.Listener // the hub, and those given to New
	breaker   []breaker.Option
	pipeline  []pipeline.Option

	hub     hub
	events  event.Stream // the registry's own
	entries entries      // read without a lock, written under mu

	// mu guards everything below. Nothing that could be the user's is called under it.
	mu        sync.Mutex
	making    map[string]chan struct{} // closed when the entry has been made, or has not
	count     int                      // entries there are, and being made
	queue     queue                    // of the entries that may go
	full      bool                     // there was no room for the last name that wanted some
	closed    bool
	sources   []attached // ordered by name
	observers []*observer
	counters  Counters
}

// Counters count over the life of a registry. Each only grows.
type Counters struct {
	// Added are the entries made here and those added. Removed are those of them that
	// [Registry.Remove] took out, Expired those that were idle when room was needed.
	Added   uint64 `json:"added"`
	Removed uint64 `json:"removed"`
	Expired uint64 `json:"expired"`
	// Refused are the calls that wanted a new entry and found no room.
	Refused uint64 `json:"refused"`
	// Events is how many events the hub has heard. EventsDropped are those that
	// listeners given to [Registry.Listen] missed because they were stuck.
	Events        uint64 `json:"events"`
	EventsDropped uint64 `json:"events_dropped"`
	// ListenerPanics and ObserverPanics are calls of these listeners and of observers
	// that ended in a panic.
	ListenerPanics uint64 `json:"listener_panics"`
	ObserverPanics uint64 `json:"observer_panics"`
}

// New makes an empty registry. If the configuration is not valid the error is a
// [*switchgear.ConfigError] that lists everything wrong with it.
func New(cfg Config, opts ...Option) (*Registry, error) {
	cfg, err := cfg.compile()
	if err != nil {
		return nil, err
	}
	o := options{clk: clock.Real()}
	for _, set := range opts {
		if set != nil {
			set(&o)
		}
	}
	r := &Registry{
		cfg:      cfg,
		clk:      o.clk,
		breaker:  append(o.breaker, breaker.WithClock(o.clk)),
		pipeline: append(o.pipeline, pipeline.WithClock(o.clk)),
		making:   make(map[string]chan struct{}),
	}
	r.hub.keep = max(cfg.Recent, 0)
	r.listeners = append([]event.Listener{&r.hub}, o.listeners...)
	r.events.Init(0, r.listeners...)
	return r, nil
}

// Must returns r, or panics if err is not nil. It is for package variables.
func Must(r *Registry, err error) *Registry {
	if err != nil {
		panic(err)
	}
	return r
}

// Config returns the configuration in effect, every default filled in.
func (r *Registry) Config() Config { return r.cfg }

// Breaker returns the breaker of that name, and makes it if there is none. However
// many ask at once, it is made once.
//
// If there is one already, cfg must be its configuration: the one it was made with, or
// the one in effect now, with defaults written out or not. Otherwise the error matches
// [ErrExists], and what is there stays. It also matches ErrExists if the name belongs
// to a pipeline. If cfg or the name is not valid the error is a
// [*switchgear.ConfigError], and if there is no room it matches [ErrFull].
//
// An entry that has expired has no part in later calls: ask again instead of keeping
// the result for longer than [Config.IdleAfter] without use.
func (r *Registry) Breaker(name string, cfg breaker.Config) (*breaker.Breaker, error) {
	if e := r.find(name); e != nil && madeBy(e, &cfg) {
		return e.Breaker, nil // without a look at anything else
	}
	e, err := r.obtain(name, &breakerRequest{given: cfg})
	if err != nil {
		return nil, err
	}
	return e.Breaker, nil
}

// Pipeline is [Registry.Breaker] for pipelines. Since a pipeline does not tell its
// configuration, cfg must be the one it was made with, field by field.
func (r *Registry) Pipeline(name string, cfg pipeline.Config) (*pipeline.Pipeline, error) {
	e, err := r.obtain(name, &pipelineRequest{given: cfg})
	if err != nil {
		return nil, err
	}
	return e.Pipeline, nil
}

// AddBreaker puts a breaker that was made elsewhere under its own name, and hands it
// over: it never expires, and is closed when it is removed. To have the hub hear it, make
// it with [Registry.Listener]. Adding it again does nothing. If the name is taken the
// error matches [ErrExists], and if there is no room [ErrFull].
func (r *Registry) AddBreaker(b *breaker.Breaker) error { return r.addBreaker(b) }

// AddPipeline is [Registry.AddBreaker] for a pipeline, and the breaker in it.
func (r *Registry) AddPipeline(p *pipeline.Pipeline) error { return r.addPipeline(p) }

// Remove takes out an entry made here or added, closes its breaker or pipeline, tells
// the observers, and reports whether there was one. Whoever holds the policy may go on
// using it, see [breaker.Breaker.Close]; the name is free for another one. An attached
// entry is its source's to remove.
func (r *Registry) Remove(name string) bool { return r.remove(name) }

// Close closes all breakers and pipelines made here or added, also those still to come,
// which stops their timers. The registry and they go on working, see
// [breaker.Breaker.Close]. Close is needed only where policies have timers.
func (r *Registry) Close() { r.close() }

// Lookup returns the entry of that name, and whether there is one. It makes none, and
// counts as use of the entry. It finds attached entries too, by going through their
// sources.
func (r *Registry) Lookup(name string) (Entry, bool) {
	if e := r.find(name); e != nil {
		return e.Entry, true
	}
	return r.lookupAttached(name)
}

// Len returns the number of entries made here and added; attached ones do not count.
func (r *Registry) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.count - len(r.making)
}

// Counters returns the registry's counters.
func (r *Registry) Counters() Counters {
	r.mu.Lock()
	c := r.counters
	r.mu.Unlock()
	r.hub.count(&c)
	return c
}

// Listener returns the hub: a listener to be given to policies and adapters that are
// made elsewhere, so that [Registry.Recent] and [Registry.Listen] have their events too.
// Policies made here report to it already. It is quick and safe for concurrent use.
func (r *Registry) Listener() event.Listener { return &r.hub }

// Listen has l hear every event that the hub hears from now on, until stop is called. It
// runs on a goroutine of its own, one event at a time, those of one policy in their
// order; if it falls behind by more than [event.MaxWaiting] events it loses the oldest.
// It may call stop, and stop may be called again. After stop no call of l begins; one
// may still be under way.
//
// The number of listeners is not bounded: whoever lets strangers listen must bound them.
func (r *Registry) Listen(l event.Listener) (stop func()) { return r.hub.listen(l) }

// Recent returns the newest events that the hub has heard, the oldest of them first: at
// most n, and at most [Config.Recent]. The slice is the caller's. Seq is that of the
// policy's own stream.
func (r *Registry) Recent(n int) []event.Event { return r.hub.recent(n) }
