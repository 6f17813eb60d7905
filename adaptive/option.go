package adaptive

import (
	"math/rand/v2"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
)

// An Option wires a limiter to its surroundings. What the limiter should do is in
// [Config]. A nil option, and one that was given nil, leaves the default.
type Option func(*options)

type options struct {
	clk       clock.Clock
	now       func() time.Time
	random    func() float64
	classify  func(error) switchgear.Judgement
	listeners []event.Listener
	recent    int
}

// defaultRecent is how many events a limiter remembers for its readers.
const defaultRecent = 32

func gather(opts []Option) options {
	o := options{clk: clock.Real(), random: rand.Float64, recent: defaultRecent}
	for _, set := range opts {
		if set != nil {
			set(&o)
		}
	}
	o.now = o.clk.Now
	return o
}

// WithClock sets the clock. Default [clock.Real]. The limiter may call it under its
// lock, so it must not call the limiter.
func WithClock(c clock.Clock) Option {
	return func(o *options) {
		if c != nil {
			o.clk = c
		}
	}
}

// WithRandom sets the source of chance: a function that returns numbers from 0 to 1.
// [ByVegas] asks it once per probe, under the limiter's lock; it must not call the
// limiter. If limiters share it, it must be safe for concurrent use. Default
// [rand.Float64].
func WithRandom(f func() float64) Option {
	return func(o *options) {
		if f != nil {
			o.random = f
		}
	}
}

// WithListener adds a listener for the limiter's events: warnings, and [LimitMoved].
// Several may be given; each gets every event. A listener may call the limiter. One
// that is not quick belongs in [event.Async].
func WithListener(l event.Listener) Option {
	return func(o *options) { o.listeners = append(o.listeners, l) }
}

// WithRecent sets how many of its newest events the limiter remembers. Default 32; 0
// or less remembers none.
func WithRecent(n int) Option { return func(o *options) { o.recent = n } }

// WithClassifier sets how [Do] judges errors that [switchgear.Judge] leaves open: a
// failure is a dropped call. Let it answer [switchgear.Success] or
// [switchgear.Ignored] for errors that do not speak of overload, such as "not found".
// It is called outside all locks, and not for a nil error.
func WithClassifier(f func(error) switchgear.Judgement) Option {
	return func(o *options) { o.classify = f }
}
