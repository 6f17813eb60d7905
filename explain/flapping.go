package explain

import (
	"fmt"
	"sync"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/internal/check"
)

// Flapping is the kind of a [FlapDetector]'s events. From and To are [Steady] and
// [Flaps] when it begins, and the other way round when it is over.
const Flapping event.Kind = "flapping"

// What a breaker does, in the view of a [FlapDetector].
const (
	Steady = "STEADY"
	Flaps  = "FLAPPING"
)

const flapSource = "explain"

// Flap is the Detail of a [Flapping] event.
type Flap struct {
	// Opened is how often the breaker has opened in the last hour, and Bound how
	// often it may without being taken for flapping.
	Opened int `json:"opened"`
	Bound  int `json:"bound"`
	// Lasted is how long it flapped, when it is over.
	Lasted time.Duration `json:"lasted_ns,omitzero"`
}

// String says it in one line.
func (f *Flap) String() string {
	if f.Lasted > 0 {
		return fmt.Sprintf("no longer flapping after %s: opened %d times in the last hour", span(f.Lasted), f.Opened)
	}
	return fmt.Sprintf("opened %d times in the last hour, more than %d", f.Opened, f.Bound)
}

// FlapConfig is when a breaker flaps.
type FlapConfig struct {
	// PerHour is how often a breaker may open in an hour. Default 6; from 1 to 1,000.
	PerHour int
	// Calm is the number of times in an hour at which flapping is over. Default half
	// of PerHour, rounded down; from 1 to PerHour, or Off for none at all.
	Calm int
	// Names bounds the breakers that are watched. Default 1,000; at most 100,000. The
	// one that has not opened for longest has to go, but none that flaps.
	Names int
}

// A FlapDetector is a listener that notices breakers which do not come to rest. For
// each breaker it counts, in a sliding hour, how often it opened while it admitted
// calls: from CLOSED to OPEN, by a rule. Above the bound it raises one [Flapping]
// event, and another one when the count has come down again.
//
// Probes that fail are not counted, or every long outage would be flapping. Nor are
// operators' moves.
//
// It starts a timer for each breaker that flaps, and none otherwise. It is safe for
// concurrent use.
type FlapDetector struct {
	cfg    FlapConfig
	clk    clock.Clock
	events event.Stream

	mu        sync.Mutex
	names     table[flaps]
	unwatched uint64
	closed    bool
}

// flaps is what is known of one breaker.
type flaps struct {
	opened []time.Duration // the newest openings, oldest first, at most PerHour+1
	since  time.Duration   // of flapping
	timer  clock.Timer     // nil unless flapping
	alarm  uint64          // tells a timer from one that was stopped too late
}

// NewFlapDetector makes a detector. If cfg is not valid the error is a
// [*switchgear.ConfigError].
func NewFlapDetector(cfg FlapConfig, opts ...Option) (*FlapDetector, error) {
	var c check.Checker
	c.Int("PerHour", &cfg.PerHour, 6, 1, 1000, false)
	c.Int("Calm", &cfg.Calm, cfg.PerHour/2, 1, max(cfg.PerHour, 1), true)
	c.Int("Names", &cfg.Names, 1000, 1, 100_000, false)
	if err := c.Err("flap detector", ""); err != nil {
		return nil, err
	}
	if cfg.Calm == switchgear.Off {
		cfg.Calm = 0
	}
	o := options{clk: clock.Real()}
	for _, opt := range opts {
		if opt != nil {
			opt(&o)
		}
	}
	d := &FlapDetector{cfg: cfg, clk: o.clk, names: newTable[flaps](cfg.Names)}
	d.events.Init(0, o.listeners...)
	return d, nil
}

// OnEvent takes a breaker's event. All others it lets pass.
func (d *FlapDetector) OnEvent(e event.Event) {
	c, ok := e.Detail.(*breaker.Change)
	if !ok || c == nil || c.Trip == nil || e.Source != breakerSource || e.Kind != event.Transition || e.Reason != "" ||
		e.From != breaker.Closed.String() || e.To != breaker.Open.String() {
		return
	}
	defer d.events.Deliver()
	now := d.clk.Mono() // what the event has is a wall clock's (rule C5)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return
	}
	w, _ := d.names.touch(e.Name)
	if w == nil {
		d.unwatched++
		return
	}
	f := &w.value
	if len(f.opened) > d.cfg.PerHour {
		f.opened = append(f.opened[:0], f.opened[1:]...)
	}
	f.opened = append(f.opened, now)
	f.forget(now)
	switch {
	case f.timer != nil && len(f.opened) <= d.cfg.Calm: // the timer is late
		f.timer.Stop()
		f.alarm++
		d.calm(w)
	case f.timer != nil:
		d.arm(w, now)
	case len(f.opened) > d.cfg.PerHour:
		f.since = now
		d.names.keep(w, true)
		d.raise(w, Steady, Flaps, &Flap{Opened: len(f.opened), Bound: d.cfg.PerHour})
		d.arm(w, now)
	}
}

// forget drops the openings that are an hour old.
func (f *flaps) forget(now time.Duration) {
	n := 0
	for n < len(f.opened) && now-f.opened[n] >= time.Hour {
		n++
	}
	f.opened = append(f.opened[:0], f.opened[n:]...)
}

// arm sets the timer to the instant at which, if nothing more happens, the breaker
// has calmed down: when all but the newest Calm openings are an hour old.
func (d *FlapDetector) arm(w *entry[flaps], now time.Duration) {
	f := &w.value
	if f.timer != nil {
		f.timer.Stop()
	}
	f.alarm++
	alarm := f.alarm
	f.timer = d.clk.AfterFunc(f.opened[len(f.opened)-1-d.cfg.Calm]+time.Hour-now, func() {
		defer d.events.Deliver()
		d.mu.Lock()
		defer d.mu.Unlock()
		if f.alarm == alarm && !d.closed {
			d.calm(w)
		}
	})
}

// calm ends the flapping of one breaker. Called under mu.
func (d *FlapDetector) calm(w *entry[flaps]) {
	now, f := d.clk.Mono(), &w.value
	f.forget(now)
	f.timer = nil
	d.names.keep(w, false)
	d.raise(w, Flaps, Steady, &Flap{Opened: len(f.opened), Bound: d.cfg.PerHour, Lasted: now - f.since})
}

func (d *FlapDetector) raise(w *entry[flaps], from, to string, f *Flap) {
	d.events.Append(event.Event{
		Time: d.clk.Now(), Source: flapSource, Name: w.name, Kind: Flapping, From: from, To: to, Detail: f,
	})
}

// Flapping reports whether the breaker of that name flaps.
func (d *FlapDetector) Flapping(name string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	w := d.names.entries[name]
	return w != nil && w.value.timer != nil
}

// Unwatched returns how many openings were not counted because as many breakers as
// may be watched were flapping. It only grows.
func (d *FlapDetector) Unwatched() uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.unwatched
}

// Close stops the timers. From then on the detector does nothing.
func (d *FlapDetector) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	for _, w := range d.names.entries {
		if w.value.timer != nil {
			w.value.timer.Stop()
			w.value.timer = nil
		}
	}
}
