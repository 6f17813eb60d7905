package report

import (
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/sim"
)

// A lane tells how many of the breakers of one place were in which state, over
// time.
type lane struct {
	place    int
	breakers int
	steps    []step // the first at 0
	// until is up to when the transitions are known: a run keeps the first 10,000.
	until time.Duration
}

// A step holds from its instant to the next one's.
type step struct {
	at             time.Duration
	open, halfOpen int // the other breakers are closed
}

// lanes returns a lane for each place that has breakers.
func lanes(r *Run) (all []lane) {
	until := r.Config.Duration
	if t := r.Result.Transitions; uint64(len(t)) < r.Result.TransitionsTotal && len(t) > 0 {
		until = min(until, t[len(t)-1].At)
	}
	for place := range r.Config.Services {
		call := calls(&r.Config, place)
		if call.Breaker == nil {
			continue
		}
		n := r.Config.Client.Instances
		if place > 0 {
			n = r.Config.Services[place-1].Instances
		}
		n = max(n, 1)
		if call.PerInstance {
			n *= max(r.Config.Services[place].Instances, 1)
		}
		all = append(all, lane{place: place, breakers: n, until: until, steps: steps(r.Result.Transitions, place)})
	}
	return all
}

func steps(transitions []sim.Transition, place int) []step {
	out := []step{{}}
	now := step{}
	for _, t := range transitions {
		if t.Place != place {
			continue
		}
		now.at = t.At
		now.add(t.From, -1)
		now.add(t.To, +1)
		if last := &out[len(out)-1]; last.at == now.at {
			*last = now
		} else {
			out = append(out, now)
		}
	}
	return out
}

func (s *step) add(state breaker.State, n int) {
	switch state {
	case breaker.Open, breaker.ForcedOpen:
		s.open += n
	case breaker.HalfOpen:
		s.halfOpen += n
	}
}

// caller names the place whose breakers a lane shows.
func caller(c *sim.Config, place int) string {
	if place == 0 {
		return "client"
	}
	return c.Services[place-1].Name
}

// several names the lane within its run; "" where there is nothing to tell apart.
func (l *lane) several(c *sim.Config) (s string) {
	if l.place > 0 {
		s = caller(c, l.place) + " → " + c.Services[l.place].Name
	}
	if l.breakers > 1 {
		if s != "" {
			s += ", "
		}
		s += count(l.breakers) + " breakers"
	}
	return s
}

// whose names the breaker of a transition or round within its run; "" for the only one.
func whose(c *sim.Config, place, instance, target int) string {
	if place >= len(c.Services) {
		return ""
	}
	call := calls(c, place)
	instances := c.Client.Instances
	if place > 0 {
		instances = c.Services[place-1].Instances
	}
	s := ""
	if place > 0 || instances > 1 {
		s = caller(c, place)
	}
	if instances > 1 {
		s += fmt.Sprintf(" %d", instance+1)
	}
	if call.PerInstance && c.Services[place].Instances > 1 {
		s += fmt.Sprintf(" → %s %d", c.Services[place].Name, target+1)
	}
	return s
}

// states are the names of a breaker's states as a reader finds them in a sentence.
var states = map[breaker.State]string{
	breaker.Closed: "closed", breaker.Open: "open", breaker.HalfOpen: "half-open",
	breaker.Disabled: "disabled", breaker.MetricsOnly: "metrics only", breaker.ForcedOpen: "forced open",
}
