package explain

import (
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
)

// An Option is something a detector works with. A nil one leaves the default.
type Option func(*options)

type options struct {
	clk       clock.Clock
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

// WithListener adds a listener for the detector's own events. Several may be given.
func WithListener(l event.Listener) Option {
	return func(o *options) { o.listeners = append(o.listeners, l) }
}
