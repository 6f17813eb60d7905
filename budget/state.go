package budget

import (
	"github.com/switchgear-go/switchgear/event"
)

const (
	source = "budget"

	available = "available"
	exhausted = "exhausted"
)

// exhaust follows a refusal: the first one of a shortage makes an event.
func (b *Budget) exhaust() {
	if !b.exhausted.Load() {
		b.turn(true)
	}
}

// check follows everything that may give a budget something back. While nothing is
// short it costs one atomic load.
//
// Half of the capacity has to be free for the shortage to be over. Under an outage a
// budget gets a little back all the time and grants it away at once; with a lower
// mark there would be two events each time.
func (b *Budget) check() {
	if b.exhausted.Load() && b.account.level().recovered {
		b.turn(false)
	}
}

// turn changes the state and appends its event, unless another goroutine did.
func (b *Budget) turn(short bool) {
	b.mu.Lock()
	if b.exhausted.Load() != short && (short || b.account.level().recovered) {
		e := event.Event{Time: b.clk.Now(), Source: source, Name: b.name, Kind: event.Transition}
		if short {
			e.From, e.To, e.Reason = available, exhausted, b.cfg.limit()
			b.shortages.Add(1)
		} else {
			e.From, e.To, e.Reason = exhausted, available, "at least half of the budget is free again"
		}
		b.exhausted.Store(short)
		b.events.Append(e)
	}
	b.mu.Unlock()
	b.events.Deliver()
}
