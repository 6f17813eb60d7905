package pipeline

import (
	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
)

// An Option wires a pipeline, and the policies that [New] makes for it, to their
// surroundings. What they should do is in [Config]. A nil option, and one that was
// given nil, leaves the default.
type Option func(*options)

type options struct {
	clk       clock.Clock
	random    func() float64
	classify  func(error) switchgear.Judgement
	listeners []event.Listener
	accept    []Check
}

func gather(opts []Option) options {
	o := options{clk: clock.Real()}
	for _, set := range opts {
		if set != nil {
			set(&o)
		}
	}
	return o
}

// WithClock sets the clock of all policies. Default [clock.Real].
func WithClock(c clock.Clock) Option {
	return func(o *options) {
		if c != nil {
			o.clk = c
		}
	}
}

// WithRandom sets the source of chance of all policies: a function that returns numbers
// from 0 to 1 and is safe for concurrent use.
func WithRandom(f func() float64) Option {
	return func(o *options) { o.random = f }
}

// WithClassifier sets how errors are judged that the rules of [switchgear.Judge] leave
// open. It runs outside all locks, on the goroutine of the call, and must be safe for
// concurrent use.
func WithClassifier(f func(error) switchgear.Judgement) Option {
	return func(o *options) { o.classify = f }
}

// WithListener adds a listener for the events of all policies. Several may be given.
func WithListener(l event.Listener) Option {
	return func(o *options) {
		if l != nil {
			o.listeners = append(o.listeners, l)
		}
	}
}

// Accept overrules checks, as [Config.Accept] does.
func Accept(checks ...Check) Option {
	return func(o *options) { o.accept = append(o.accept, checks...) }
}
