package budget_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
)

const (
	off     = switchgear.Off
	success = switchgear.Success
	failure = switchgear.Failure
	ignored = switchgear.Ignored
)

var start = time.Date(2020, time.May, 1, 12, 0, 0, 0, time.UTC)

// A rig is a budget in virtual time together with what it told its listener.
type rig struct {
	*budget.Budget
	t     testing.TB
	clock *clock.Virtual
	heard []event.Event
}

// OnEvent has no lock on purpose: events come one after the other.
func (r *rig) OnEvent(e event.Event) { r.heard = append(r.heard, e) }

func newRig(t testing.TB, cfg budget.Config) *rig {
	t.Helper()
	r := &rig{t: t, clock: clock.NewVirtual(start)}
	b, err := budget.New("stock", cfg, budget.WithClock(r.clock), budget.WithListener(r))
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	r.Budget = b
	return r
}

// calls makes n calls whose first attempt ends so.
func (r *rig) calls(n int, o switchgear.Outcome) {
	for range n {
		r.Begin()
		r.End(o)
	}
}

// take withdraws up to n times and returns what was granted.
func (r *rig) take(n int) (granted []budget.Withdrawal) {
	for range n {
		if w, ok := r.Withdraw(); ok {
			granted = append(granted, w)
		}
	}
	return granted
}

// settle settles all of them alike.
func settle(ws []budget.Withdrawal, o switchgear.Outcome) {
	for i := range ws {
		ws[i].Settle(o)
	}
}

func cancel(ws []budget.Withdrawal) {
	for i := range ws {
		ws[i].Cancel()
	}
}

// has checks what is available.
func (r *rig) has(want float64) {
	r.t.Helper()
	equal(r.t, "available", r.Snapshot().Available, want)
}

// turns checks the states that the events have told.
func (r *rig) turns(want ...string) {
	r.t.Helper()
	var got []string
	for _, e := range r.heard {
		if e.Kind == event.Transition {
			got = append(got, e.To)
		}
	}
	equal(r.t, "states", got, want)
}

func equal[T any](t testing.TB, what string, got, want T) {
	if !reflect.DeepEqual(got, want) {
		t.Helper()
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func ratio(percent switchgear.Percent, perSecond float64, window time.Duration) budget.Config {
	return budget.Config{Ratio: budget.RatioConfig{Percent: percent, MinPerSecond: perSecond, Window: window}}
}

func quota(capacity, cost int) budget.Config {
	return budget.Config{Kind: budget.Quota, Quota: budget.QuotaConfig{Capacity: capacity, Cost: cost}}
}

func throttling(most int, ratio float64) budget.Config {
	return budget.Config{Kind: budget.Throttling, Throttling: budget.ThrottlingConfig{MaxTokens: most, TokenRatio: ratio}}
}

// kinds holds one budget of each kind.
func kinds() map[string]budget.Config {
	return map[string]budget.Config{
		"ratio":      {},
		"quota":      {Kind: budget.Quota},
		"throttling": {Kind: budget.Throttling},
	}
}
