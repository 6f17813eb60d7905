package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/window"
)

var noon = time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)

// storyConfig trips after three failures in a row and wants three outcomes of at most four probes.
var storyConfig = breaker.Config{
	FailureRate: off, ConsecutiveFailures: 3, MinimumCalls: 3, Grace: time.Second,
	Open:     breaker.OpenConfig{Wait: 10 * time.Second, Jitter: off},
	HalfOpen: breaker.HalfOpenConfig{Probes: 4, MaxWait: time.Minute},
}

func numbers(minimum, calls, failed int64) breaker.Numbers {
	return breaker.Numbers{Minimum: minimum, Counts: window.Counts{Calls: calls, Failed: failed}}
}

// Places of events in a story.
const (
	trip = iota
	probing
	closing
	reconfiguration
	warning
	move
	expiry
	restoration
	renewal
)

// story returns events of which each is as it should be.
func story() []event.Event {
	events := []event.Event{
		trip: {From: "CLOSED", To: "OPEN", Detail: &breaker.Change{
			Lasted: 2 * time.Second, Numbers: numbers(3, 5, 3),
			Trip: &breaker.Trip{
				Rule: breaker.RuleConsecutive, Time: noon.Add(2 * time.Second), Limit: 3, Consecutive: 3, Numbers: numbers(3, 5, 3),
				Wait: 10 * time.Second, Errors: []breaker.ErrorGroup{{Kind: "error", Count: 3, Sample: "down"}},
			},
		}},
		probing: {From: "OPEN", To: "HALF_OPEN", Detail: &breaker.Change{Lasted: 10 * time.Second, Refused: 7, Numbers: numbers(3, 5, 3)}},
		closing: {From: "HALF_OPEN", To: "CLOSED", Detail: &breaker.Change{
			Lasted: time.Second, Refused: 1, Probes: 5, GivenBack: 1, Numbers: numbers(3, 3, 1),
		}},
		reconfiguration: {Kind: event.Reconfigured, Detail: &breaker.Reconfiguration{Version: 2, Changes: make([]breaker.Difference, 1)}},
		warning:         {Kind: event.Warning},
		move: {From: "CLOSED", To: "FORCED_OPEN", Author: "ana", Reason: "maintenance", Detail: &breaker.Change{
			Lasted: time.Second, Expires: noon.Add(time.Hour), Numbers: numbers(3, 4, 0),
			Trip: &breaker.Trip{Rule: breaker.RuleOperator, Author: "ana", Reason: "maintenance", Wait: time.Hour},
		}},
		expiry: {From: "FORCED_OPEN", To: "OPEN", Reason: "the operator's move has expired", Detail: &breaker.Change{Lasted: time.Hour, Expired: true}},
		restoration: {From: "OPEN", To: "CLOSED", Reason: "restored from CLOSED of 2026-03-01T12:00:00Z", Detail: &breaker.Change{
			Lasted: time.Second, Restored: true,
		}},
		renewal: {From: "CLOSED", To: "CLOSED", Author: "ana", Reason: "again", Kind: event.Renewed, Detail: &breaker.Change{Numbers: numbers(3, 9, 2)}},
	}
	period := uint64(1)
	for i := range events {
		e := &events[i]
		e.Seq, e.Source, e.Name, e.Time = uint64(i+1), "breaker", "stock", noon
		if e.Kind == "" {
			e.Kind = event.Transition
		}
		if e.From != "" {
			period++
		}
		e.Period = period
	}
	return events
}

func newStory(t *testing.T) *history {
	first, second := full(t, storyConfig), full(t, breaker.Config{})
	h := newHistory("stock", func(version uint64) *limits {
		switch version {
		case 1:
			return first
		case 2:
			return second
		}
		return nil
	})
	h.made = noon
	return h
}

// tell feeds a history, and returns the first accusation.
func tell(h *history, events []event.Event) error {
	for i, e := range events {
		if err := h.add(e); err != nil {
			return fmt.Errorf("%w (event %d)", err, i)
		}
	}
	return nil
}

func change(e *event.Event) *breaker.Change {
	c := *e.Detail.(*breaker.Change)
	e.Detail = &c
	return &c
}

func tripOf(e *event.Event) *breaker.Trip {
	c := change(e)
	t := *c.Trip
	c.Trip = &t
	return &t
}

func TestHistoryBelieves(t *testing.T) {
	h := newStory(t)
	accuses(t, tell(h, story()), "")
	equal(t, "events", h.sum.events, 9)
	equal(t, "period", h.period, 8)
	equal(t, "refused", h.sum.refused, 8)
	equal(t, "probes", h.sum.probes, 5)
	equal(t, "given back", h.sum.given, 1)
	equal(t, "trips", h.sum.trips, 1)
	equal(t, "expired", h.sum.expired, 1)
	equal(t, "restored", h.sum.restored, 1)
	equal(t, "reconfigured", h.sum.reconfigured, 1)
	equal(t, "renewed", h.sum.pairs[breaker.Closed][breaker.Closed], 1)
	equal(t, "state of period 3", h.stateOf(3), breaker.HalfOpen)
	equal(t, "state of no period", h.stateOf(9), nowhere)
}

func TestHistoryNotices(t *testing.T) {
	for _, test := range []struct {
		name   string
		event  int
		tamper func(*event.Event)
		rule   string
	}{
		{"an event twice", probing, func(e *event.Event) { e.Seq = 1 }, "S7"},
		{"a period left out", probing, func(e *event.Event) { e.Period++ }, "S5"},
		{"a period twice", probing, func(e *event.Event) { e.Period-- }, "S5"},
		{"a state that was not in force", probing, func(e *event.Event) { e.From = "CLOSED" }, "S7"},
		{"a state that does not exist", probing, func(e *event.Event) { e.To = "AJAR" }, "S7"},
		{"a transition without facts", probing, func(e *event.Event) { e.Detail = nil }, "S7"},
		{"renewed, but moved", move, func(e *event.Event) { e.Kind = event.Renewed }, "S4"},
		{"moved, but to the same state", renewal, func(e *event.Event) { e.Kind = event.Transition }, "S4"},
		{"a warning of another period", warning, func(e *event.Event) { e.Period++ }, "S5"},
		{"a configuration nobody gave", reconfiguration, func(e *event.Event) {
			e.Detail = &breaker.Reconfiguration{Version: 3, Changes: make([]breaker.Difference, 1)}
		}, "R1"},
		{"a change that changes nothing", reconfiguration, func(e *event.Event) { e.Detail = &breaker.Reconfiguration{Version: 2} }, "R1"},

		{"a period of negative length", move, func(e *event.Event) { change(e).Lasted = -1 }, "C5"},
		{"more failures than calls", move, func(e *event.Event) { change(e).Numbers.Failed = 5 }, "W3"},
		{"a window in FORCED_OPEN", expiry, func(e *event.Event) { change(e).Numbers.Calls = 1 }, "W5"},
		{"probes outside HALF_OPEN", move, func(e *event.Event) { change(e).Probes = 1 }, "S3"},
		{"more slots given back than taken", closing, func(e *event.Event) { change(e).GivenBack = 6 }, "H4"},
		{"an outcome more than probes", closing, func(e *event.Event) { change(e).GivenBack = 3 }, "H8"},
		{"a probe too many", closing, func(e *event.Event) { change(e).GivenBack = 0 }, "H1"},

		{"a trip by nobody", trip, func(e *event.Event) { change(e).Trip = nil }, "T5"},
		{"a trip that leads to HALF_OPEN", trip, func(e *event.Event) { e.To = "HALF_OPEN" }, "T5"},
		{"a trip one failure early", trip, func(e *event.Event) { tripOf(e).Consecutive = 2 }, "T3"},
		{"a trip one failure late", trip, func(e *event.Event) { tripOf(e).Consecutive = 4 }, "T3"},
		{"a trip by a rule that is off", trip, func(e *event.Event) { tripOf(e).Rule = breaker.RuleFailureRate }, "T1"},
		{"a trip of the probes' out of CLOSED", trip, func(e *event.Event) { tripOf(e).Rule = breaker.RuleProbesLate }, "H6"},
		{"a trip in the grace", trip, func(e *event.Event) { tripOf(e).Time = noon.Add(time.Second - 1) }, "T7"},
		{"an interval too long", trip, func(e *event.Event) { tripOf(e).Wait += time.Microsecond }, "O1"},
		{"an interval too short", trip, func(e *event.Event) { tripOf(e).Wait -= time.Microsecond }, "O1"},
		{"too many errors", trip, func(e *event.Event) { tripOf(e).Errors = []breaker.ErrorGroup{{Kind: "error", Count: 9}} }, "T5"},
		{"too long a text", trip, func(e *event.Event) {
			tripOf(e).Errors = []breaker.ErrorGroup{{Kind: "error", Count: 1, Sample: strings.Repeat("x", 257)}}
		}, "T5"},
		{"half-open early", probing, func(e *event.Event) { change(e).Lasted-- }, "O4"},
		{"a verdict early", closing, func(e *event.Event) { change(e).Numbers = numbers(3, 2, 0) }, "H2"},
		{"a verdict late", closing, func(e *event.Event) { change(e).Numbers = numbers(3, 4, 1) }, "H2"},
		{"a verdict that is wrong", closing, func(e *event.Event) { change(e).Numbers = numbers(3, 3, 2) }, "H2"},
		{"a verdict by the wrong minimum", closing, func(e *event.Event) { change(e).Numbers.Minimum = 4 }, "H2"},
		{"CLOSED without a verdict", probing, func(e *event.Event) { e.To = "CLOSED" }, "S7"},
		{"no reason but words", probing, func(e *event.Event) { e.Reason = "just so" }, "S7"},

		{"an operator's trip without a record", move, func(e *event.Event) { change(e).Trip = nil }, "S4"},
		{"an operator's trip by somebody else", move, func(e *event.Event) { tripOf(e).Author = "bob" }, "S4"},
		{"a move that trips and does not open", move, func(e *event.Event) { e.To = "DISABLED" }, "S4"},
		{"expired early", expiry, func(e *event.Event) { change(e).Lasted-- }, "S4"},
		{"expired to the wrong state", expiry, func(e *event.Event) { e.To = "CLOSED" }, "S4"},
		{"expired without an expiry", renewal, func(e *event.Event) {
			e.Author, e.Reason, e.Kind, e.To = "", "the operator's move has expired", event.Transition, "OPEN"
			change(e).Expired = true
		}, "S4"},
	} {
		t.Run(test.rule+": "+test.name, func(t *testing.T) {
			events := story()
			test.tamper(&events[test.event])
			err := tell(newStory(t), events[:test.event+1])
			accuses(t, err, test.rule)
			if err != nil && !strings.HasSuffix(err.Error(), fmt.Sprintf("(event %d)", test.event)) {
				t.Errorf("a false accusation before: %v", err)
			}
		})
	}
	for name, tamper := range map[string]func(*event.Event){
		"another breaker": func(e *event.Event) { e.Name = "orders" },
		"another source":  func(e *event.Event) { e.Source = "retry" },
		"no time":         func(e *event.Event) { e.Time = time.Time{} },
		"another kind":    func(e *event.Event) { e.Kind = "surprise" },
	} {
		t.Run(name, func(t *testing.T) {
			events := story()
			tamper(&events[trip])
			if newStory(t).add(events[trip]) == nil {
				t.Error("not noticed")
			}
		})
	}
}

func TestHistoryGaps(t *testing.T) {
	t.Run("S7: events that were dropped are counted, and nothing is held against what follows", func(t *testing.T) {
		for gone := range story() {
			events := story()
			events = append(events[:gone], events[gone+1:]...)
			h := newStory(t)
			accuses(t, tell(h, events), "")
			want := uint64(1)
			if gone == len(events) { // nothing follows that would tell
				want = 0
			}
			equal(t, fmt.Sprint("missed without event ", gone), h.missed, want)
		}
	})
	t.Run("S5: the state of a period that was not heard of is unknown", func(t *testing.T) {
		h := newStory(t)
		accuses(t, tell(h, story()[probing:]), "")
		equal(t, "state of period 2", h.stateOf(2), nowhere)
		equal(t, "state of period 3", h.stateOf(3), breaker.HalfOpen)
	})
	t.Run("S5: periods only grow, also over a gap", func(t *testing.T) {
		h := newStory(t)
		events := story()
		accuses(t, tell(h, events[:probing]), "")
		events[closing].Period = 2
		accuses(t, h.add(events[closing]), "S5")
	})
}
