package sim

import (
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/sim/internal/events"
)

const (
	maxTransitions = 10_000
	maxRounds      = 1000
	maxProbes      = 100
)

// A journal keeps what the breakers did, from their own events.
type journal struct {
	clock       *events.Clock
	transitions []Transition
	total       uint64
	rounds      []Round
}

func (j *journal) start() { j.transitions, j.rounds, j.total = nil, nil, 0 }

func (j *journal) report(res *Result) {
	res.Transitions, res.TransitionsTotal, res.Rounds = j.transitions, j.total, j.rounds
}

// listen returns a listener for one breaker.
func (j *journal) listen(g *guard) event.Listener {
	return event.Func(func(e event.Event) {
		if e.Kind == event.Transition {
			j.note(g, e)
		}
	})
}

func (j *journal) note(g *guard, e event.Event) {
	t := Transition{At: j.clock.Since(e.Time), Place: g.place, Instance: g.instance, Target: g.target}
	// The breaker writes the names that the type reads.
	_ = t.From.UnmarshalText([]byte(e.From))
	_ = t.To.UnmarshalText([]byte(e.To))
	change, _ := e.Detail.(*breaker.Change)
	if change != nil && t.To == breaker.Open {
		t.Trip = change.Trip
	}
	if j.total++; len(j.transitions) < maxTransitions {
		j.transitions = append(j.transitions, t)
	}
	if g.round >= 0 {
		r := &j.rounds[g.round]
		r.To, r.Decision = t.At, t.To
		if change != nil {
			r.Refused = change.Refused
		}
		g.round = -1
	}
	if t.To == breaker.HalfOpen && len(j.rounds) < maxRounds {
		g.round = len(j.rounds)
		j.rounds = append(j.rounds, Round{From: t.At, Place: g.place, Instance: g.instance, Target: g.target})
	}
}

// probe notes that a breaker has let a probe through, and returns where.
func (j *journal) probe(g *guard, now time.Duration) (round, probe int32) {
	if g.round < 0 {
		return 0, -1
	}
	r := &j.rounds[g.round]
	if len(r.Probes) == maxProbes {
		return 0, -1
	}
	r.Probes = append(r.Probes, Probe{At: now, Took: -1})
	return int32(g.round), int32(len(r.Probes) - 1)
}

// probed notes how the probe of a frame ended.
func (j *journal) probed(f *frame, now time.Duration) {
	p := &j.rounds[f.round].Probes[f.probe]
	p.Took, p.Outcome = now-p.At, f.reply.outcome()
}
