package breaker_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
)

func TestSnapshot(t *testing.T) {
	t.Run("a new breaker", func(t *testing.T) {
		r := newRig(t, plain())
		equal(t, "snapshot", r.Snapshot(), breaker.Snapshot{
			Name: "stock", State: breaker.Closed, Period: 1, ConfigVersion: 1, Since: start,
			Numbers: breaker.Numbers{Minimum: 4},
		})
		equal(t, "name", r.Name(), "stock")
	})
	t.Run("an open breaker", func(t *testing.T) {
		r := newRig(t, plain())
		r.clock.Advance(time.Minute)
		r.succeed(1)
		r.fail(3)
		r.clock.Advance(4 * time.Second)
		s := r.Snapshot()
		equal(t, "since", s.Since, start.Add(time.Minute))
		equal(t, "last failure", s.LastFailure, start.Add(time.Minute))
		equal(t, "retry after", s.RetryAfter, 6*time.Second)
		equal(t, "interval passed", s.IntervalPassed, false)
		equal(t, "run of failures", s.Consecutive, 0)
		equal(t, "last trip", s.LastTrip.Time, start.Add(time.Minute))
		r.clock.Advance(6 * time.Second)
		s = r.Snapshot()
		equal(t, "retry after", s.RetryAfter, 0)
		equal(t, "interval passed", s.IntervalPassed, true)
	})
	t.Run("the last trip outlives the recovery", func(t *testing.T) {
		r := newRig(t, plain())
		r.trip()
		trip := r.Snapshot().LastTrip
		r.clock.Advance(10 * time.Second)
		r.succeed(2)
		r.in(breaker.Closed)
		equal(t, "last trip", r.Snapshot().LastTrip, trip)
	})
	t.Run("times are right after a jump of the wall clock", func(t *testing.T) {
		r := newRig(t, plain())
		r.fail(1)
		r.clock.Advance(time.Minute)
		r.clock.JumpWall(time.Hour)
		s := r.Snapshot()
		equal(t, "since", r.clock.Now().Sub(s.Since), time.Minute)
		equal(t, "last failure", r.clock.Now().Sub(s.LastFailure), time.Minute)
	})
	t.Run("the lock is asked once: numbers and state are of one instant", func(t *testing.T) {
		r := newRig(t, plain())
		r.succeed(3)
		a, b := r.Snapshot(), r.Snapshot()
		equal(t, "two in a row", a, b)
	})
	t.Run("as a document", func(t *testing.T) {
		r := newRig(t, plain())
		r.trip()
		text, err := json.Marshal(r.Snapshot())
		if err != nil {
			t.Fatal(err)
		}
		var back struct {
			State   string `json:"state"`
			Numbers struct {
				Calls   int `json:"calls"`
				Minimum int `json:"minimum"`
			} `json:"numbers"`
			LastTrip struct {
				Rule      string `json:"rule"`
				Threshold string `json:"threshold"`
				Errors    []struct {
					Kind   string `json:"kind"`
					Count  int    `json:"count"`
					Sample string `json:"sample"`
				} `json:"errors"`
			} `json:"last_trip"`
			Counters map[string]int `json:"counters"`
		}
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		equal(t, "state", back.State, "OPEN")
		equal(t, "calls", back.Numbers.Calls, 4)
		equal(t, "minimum", back.Numbers.Minimum, 4)
		equal(t, "rule", back.LastTrip.Rule, "failure_rate")
		equal(t, "threshold", back.LastTrip.Threshold, "50%")
		equal(t, "errors", back.LastTrip.Errors[0].Count, 4)
		equal(t, "failed", back.Counters["failed"], 4)
	})
}
