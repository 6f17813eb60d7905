package main

import (
	"testing"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/event"
)

func TestPeriodsSince(t *testing.T) {
	events := func(first uint64, states ...string) (e []event.Event) {
		for i, s := range states {
			e = append(e, event.Event{Kind: event.Transition, Period: first + uint64(i), To: s})
		}
		return e
	}
	other := func(period uint64) event.Event { return event.Event{Kind: event.Reconfigured, Period: period} }
	for _, test := range []struct {
		name   string
		before mark
		recent []event.Event
		want   periods
		ok     bool
	}{
		{"nothing has ever happened", markOf(1, breaker.Closed), nil, periods{newest: 1, open: true}, true},
		{"nothing is remembered", markOf(2, breaker.Open), nil, periods{newest: 2}, false},
		{"nothing new", markOf(2, breaker.Open), events(2, "OPEN"), periods{newest: 2}, true},
		{"half-open since", markOf(2, breaker.Open), events(2, "OPEN", "HALF_OPEN"), periods{newest: 3, halfOpen: 3, probing: true}, true},
		{"half-open before", markOf(3, breaker.HalfOpen), events(2, "OPEN", "HALF_OPEN", "OPEN"), periods{newest: 4, halfOpen: 3, probing: true}, true},
		{"half-open twice", markOf(3, breaker.HalfOpen), events(3, "HALF_OPEN", "OPEN", "HALF_OPEN"), periods{newest: 5, probing: true}, true},
		{"open to all in between", markOf(2, breaker.ForcedOpen), events(3, "METRICS_ONLY", "OPEN"), periods{newest: 4, open: true}, true},
		{"a period was forgotten", markOf(2, breaker.Open), events(4, "CLOSED"), periods{newest: 2}, false},
		{"a period is known by another event only", markOf(2, breaker.Open), []event.Event{other(3)}, periods{newest: 2}, false},
		{"other events of the same period", markOf(2, breaker.Open), []event.Event{other(2), other(2)}, periods{newest: 2}, true},
		{"a state nobody knows", markOf(2, breaker.Open), events(3, "AJAR"), periods{newest: 2}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, ok := periodsSince(test.before, test.recent)
			equal(t, "periods", got, test.want)
			equal(t, "certain", ok, test.ok)
		})
	}
}

func TestMark(t *testing.T) {
	for s := range breaker.State(states) {
		m := markOf(1<<40, s)
		equal(t, "period", m.period(), 1<<40)
		equal(t, "state", m.state(), s)
	}
}
