package explain_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/explain"
)

// A watch is a detector in virtual time, fed by hand.
type watch struct {
	*explain.FlapDetector
	clock *clock.Virtual
	heard []string
}

func newWatch(t *testing.T, cfg explain.FlapConfig) *watch {
	t.Helper()
	w := &watch{clock: clock.NewVirtual(start)}
	d, err := explain.NewFlapDetector(cfg, explain.WithClock(w.clock), explain.WithListener(event.Func(func(e event.Event) {
		w.heard = append(w.heard, fmt.Sprintf("%v %s %s %s -> %s: %v", w.clock.Mono(), e.Name, e.Kind, e.From, e.To, e.Detail))
	})))
	if err != nil {
		t.Fatal(err)
	}
	w.FlapDetector = d
	return w
}

func (w *watch) open(name string) {
	w.OnEvent(event.Event{
		Source: "breaker", Name: name, Kind: event.Transition, From: "CLOSED", To: "OPEN",
		Detail: &breaker.Change{Trip: &breaker.Trip{Rule: breaker.RuleFailureRate}},
	})
}

func TestFlapping(t *testing.T) {
	t.Run("one event above the bound, and one when it is over", func(t *testing.T) {
		w := newWatch(t, explain.FlapConfig{PerHour: 4})
		for range 8 { // at 0, 5, … 35 min
			w.open("a")
			w.clock.Advance(5 * time.Minute)
		}
		equal(t, "flapping", w.Flapping("a"), true)
		equal(t, "timers", w.clock.Pending(), 1)
		w.clock.Advance(24 * time.Hour)
		equal(t, "heard", w.heard, []string{
			"20m0s a flapping STEADY -> FLAPPING: opened 5 times in the last hour, more than 4",
			"1h25m0s a flapping FLAPPING -> STEADY: no longer flapping after 1 h 5 min: opened 2 times in the last hour",
		})
		equal(t, "flapping", w.Flapping("a"), false)
		equal(t, "timers", w.clock.Pending(), 0)
	})
	t.Run("as often as the bound is not flapping, also for days", func(t *testing.T) {
		w := newWatch(t, explain.FlapConfig{PerHour: 4})
		for range 1000 {
			w.open("a")
			w.clock.Advance(15 * time.Minute)
		}
		equal(t, "heard", len(w.heard), 0)
		equal(t, "timers", w.clock.Pending(), 0)
	})
	t.Run("between Calm and the bound it is not over", func(t *testing.T) {
		w := newWatch(t, explain.FlapConfig{PerHour: 4, Calm: 1})
		for range 5 {
			w.open("a")
		}
		for range 100 { // two or three an hour
			w.clock.Advance(25 * time.Minute)
			w.open("a")
		}
		equal(t, "heard", len(w.heard), 1)
		w.clock.Advance(time.Hour)
		equal(t, "heard", len(w.heard), 2)
	})
	t.Run("Z1: Calm off waits for an hour without any", func(t *testing.T) {
		w := newWatch(t, explain.FlapConfig{PerHour: 1, Calm: switchgear.Off})
		w.open("a")
		w.open("a")
		w.clock.Advance(time.Hour - 1)
		equal(t, "heard", len(w.heard), 1)
		w.clock.Advance(1)
		equal(t, "heard", w.heard[1:], []string{"1h0m0s a flapping FLAPPING -> STEADY: no longer flapping after 1 h: opened 0 times in the last hour"})
	})
	t.Run("it can begin again", func(t *testing.T) {
		w := newWatch(t, explain.FlapConfig{PerHour: 1})
		for range 3 {
			w.open("a")
			w.open("a")
			w.clock.Advance(2 * time.Hour)
		}
		equal(t, "heard", len(w.heard), 6)
	})
	t.Run("breakers are counted each for itself", func(t *testing.T) {
		w := newWatch(t, explain.FlapConfig{PerHour: 4})
		for i := range 100 {
			w.open(fmt.Sprint(i % 25))
		}
		equal(t, "heard", len(w.heard), 0)
	})
	t.Run("a long outage, operators and strangers are not counted", func(t *testing.T) {
		w := newWatch(t, explain.FlapConfig{PerHour: 1})
		trip := &breaker.Change{Trip: &breaker.Trip{}}
		for range 3 {
			for _, e := range []event.Event{
				{Source: "breaker", Kind: event.Transition, From: "HALF_OPEN", To: "OPEN", Detail: trip},
				{Source: "breaker", Kind: event.Transition, From: "CLOSED", To: "OPEN", Reason: "drill", Detail: trip},
				{Source: "breaker", Kind: event.Transition, From: "CLOSED", To: "FORCED_OPEN", Detail: trip},
				{Source: "breaker", Kind: event.Renewed, From: "CLOSED", To: "OPEN", Detail: trip},
				{Source: "other", Kind: event.Transition, From: "CLOSED", To: "OPEN", Detail: trip},
				{Source: "breaker", Kind: event.Transition, From: "CLOSED", To: "OPEN"},
			} {
				w.OnEvent(e)
			}
		}
		equal(t, "heard", len(w.heard), 0)
	})
	t.Run("a timer that is late does no harm", func(t *testing.T) {
		w := newWatch(t, explain.FlapConfig{PerHour: 4, Calm: 3})
		late := &lateClock{Virtual: w.clock}
		d, err := explain.NewFlapDetector(explain.FlapConfig{PerHour: 4, Calm: 3}, explain.WithClock(late),
			explain.WithListener(event.Func(func(e event.Event) { w.heard = append(w.heard, e.To) })))
		if err != nil {
			t.Fatal(err)
		}
		w.FlapDetector = d
		for range 5 {
			w.open("a")
		}
		w.clock.Advance(3 * time.Hour)
		w.open("a")
		equal(t, "heard", w.heard, []string{"FLAPPING", "STEADY"})
		for _, f := range late.due {
			f()
		}
		equal(t, "heard after the timers", len(w.heard), 2)
	})
	t.Run("K61: names are bounded, and one that flaps stays", func(t *testing.T) {
		w := newWatch(t, explain.FlapConfig{PerHour: 1, Names: 3})
		w.open("flaps")
		w.open("flaps")
		for i := range 1000 {
			w.open(fmt.Sprint(i))
		}
		equal(t, "flapping", w.Flapping("flaps"), true)
		equal(t, "unwatched", w.Unwatched(), 0)
		w.open("999")
		w.open("998")
		equal(t, "flapping", w.Flapping("998"), true) // the two newest were still known
		w.open("new")
		equal(t, "unwatched", w.Unwatched(), 1)
		w.clock.Advance(2 * time.Hour)
		equal(t, "heard", len(w.heard), 6)
		w.open("new")
		equal(t, "unwatched", w.Unwatched(), 1)
	})
	t.Run("K2: Close leaves no timer", func(t *testing.T) {
		w := newWatch(t, explain.FlapConfig{PerHour: 1})
		w.open("a")
		w.open("a")
		w.Close()
		w.Close()
		equal(t, "timers", w.clock.Pending(), 0)
		w.open("b")
		w.open("b")
		equal(t, "heard", len(w.heard), 1)
		equal(t, "flapping", w.Flapping("a"), false)
	})
	t.Run("a real breaker", func(t *testing.T) {
		w := newWatch(t, explain.FlapConfig{PerHour: 2})
		r := newRig(t, "payments", plain(), breaker.WithListener(w))
		w.FlapDetector, _ = explain.NewFlapDetector(explain.FlapConfig{PerHour: 2}, explain.WithClock(r.clock),
			explain.WithListener(event.Func(func(e event.Event) { w.heard = append(w.heard, e.Name+" "+e.To) })))
		for range 3 {
			r.trip()
			r.clock.Advance(time.Minute)
			r.calls(3, nil)
		}
		r.clock.Advance(2 * time.Hour)
		equal(t, "heard", w.heard, []string{"payments FLAPPING", "payments STEADY"})
	})
}

// A lateClock has timers that fire when it is too late, though they were stopped.
type lateClock struct {
	*clock.Virtual
	due []func()
}

func (c *lateClock) AfterFunc(_ time.Duration, f func()) clock.Timer {
	c.due = append(c.due, f)
	return deaf{}
}

type deaf struct{}

func (deaf) Stop() bool { return false }

func TestConfigs(t *testing.T) {
	for _, tt := range []struct {
		err  func() error
		want string
	}{
		{func() error {
			_, err := explain.NewFlapDetector(explain.FlapConfig{PerHour: 1001, Calm: -1, Names: -1}, nil, explain.WithClock(nil))
			return err
		}, `flap detector "": invalid configuration: PerHour = 1001: must be from 1 to 1000; Calm = -1: must be from 1 to 1001, or Off; Names = -1: must be from 1 to 100000`},
		{func() error {
			_, err := explain.NewFlapDetector(explain.FlapConfig{PerHour: 3, Calm: 4})
			return err
		}, `flap detector "": invalid configuration: Calm = 4: must be from 1 to 3, or Off`},
		{func() error {
			_, err := explain.NewLedger(explain.LedgerConfig{Names: 100_001, FailedCall: -1})
			return err
		}, `ledger "": invalid configuration: Names = 100001: must be from 1 to 100000; FailedCall = -1ns: must be from 1ns to 720h0m0s`},
	} {
		err := tt.err()
		if !errors.Is(err, switchgear.ErrConfig) || err.Error() != tt.want {
			t.Errorf("got  %v\nwant %s", err, tt.want)
		}
	}
}
