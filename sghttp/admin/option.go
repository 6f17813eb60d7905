package admin

import (
	"net/http"

	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/explain"
)

// An Option wires a handler to its surroundings. A nil option, and one that was given
// nil, leaves the default.
type Option func(*options)

type options struct {
	clk    clock.Clock
	ledger *explain.Ledger
	flaps  *explain.FlapDetector
	author func(*http.Request) string
}

// WithClock sets the clock, which must be that of the registry. Default [clock.Real].
func WithClock(c clock.Clock) Option {
	return func(o *options) {
		if c != nil {
			o.clk = c
		}
	}
}

// WithLedger shows the books of a ledger, which must be listening to the breakers.
// Default none.
func WithLedger(l *explain.Ledger) Option { return func(o *options) { o.ledger = l } }

// WithFlapDetector shows which breakers flap, according to a detector that is listening
// to them. Default none.
func WithFlapDetector(d *explain.FlapDetector) Option { return func(o *options) { o.flaps = d } }

// WithAuthor sets how the author of a move is found: by the name that something in front
// of the handler has authenticated, for instance. What it returns takes the place of the
// author in the body, unless it is empty. Default none.
func WithAuthor(f func(*http.Request) string) Option { return func(o *options) { o.author = f } }
