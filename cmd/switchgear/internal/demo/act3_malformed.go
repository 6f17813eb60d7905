package demo

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/cmd/switchgear/internal/term"
	"github.com/switchgear-go/switchgear/event"
)

const (
	malformedScene = `The service is well. A client sends 20 requests that it has to turn
down, since the SKU is in lower case. A service that says so is alive.`
	malformedLook = `the breaker, which does not move. Else one faulty client could cut off all
others.`
)

func (s *show) playMalformed(ctx context.Context, a *Act) error {
	stock, err := breaker.New("stock", streakConfig(threshold, s.scaled(8*time.Second)))
	if err != nil {
		return err
	}
	if err := s.client.setHealthy(ctx, true); err != nil {
		return err
	}
	before := s.service.Requests()
	turnedDown := 0
	var last result
	for range calls {
		last = s.client.through(ctx, stock, strings.ToLower(sku))
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if last.status() == http.StatusBadRequest {
			turnedDown++
		}
	}
	s.say("malformed  %s  %s: %v", s.row(term.Mixed, calls, 0), last.outcome(), last.err)

	a.count("real_calls", "reached the service", calls, s.service.Requests()-before)
	a.count("status_400", "answered with status 400", calls, turnedDown)
	a.count("counted_failures", "counted as failures of the service", 0, int(stock.Counters().Failed))
	a.count("transitions", "changes of state", 0, len(transitions(stock)))
	a.word("state", "state", "closed", stateName(stock.State()))
	return nil
}

// transitions returns the breaker's changes of state.
func transitions(b *breaker.Breaker) (events []event.Event) {
	for _, e := range b.Events() {
		if e.Kind == event.Transition {
			events = append(events, e)
		}
	}
	return events
}
