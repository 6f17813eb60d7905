package explain_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/explain"
)

func TestOf(t *testing.T) {
	t.Run("K63: the record has the numbers of the state that ended", func(t *testing.T) {
		r := newRig(t, "payments", plain())
		r.trip()
		trip := r.last()
		equal(t, "calls", trip.Numbers.Calls, 20)
		equal(t, "failed", trip.Numbers.Failed, 12)
		equal(t, "minimum", trip.Numbers.Minimum, 20)
		equal(t, "cause", trip.Cause, explain.Cause(breaker.RuleFailureRate))
		equal(t, "version", trip.ConfigVersion, 1)
		equal(t, "next probe", trip.NextProbe, start.Add(27*time.Second))

		r.clock.Advance(27 * time.Second)
		r.calls(3, nil)
		back := r.last()
		equal(t, "cause", back.Cause, explain.Recovered)
		equal(t, "probes", back.Probes, 3)
		equal(t, "outcomes", back.Numbers.Calls, 3)
		equal(t, "failed", back.Numbers.Failed, 0)
		equal(t, "trip", back.Trip, nil)
		equal(t, "period", back.Period, 4)
		equal(t, "seq", back.Seq, 3)
	})
	t.Run("every event of a breaker has a record, but a warning", func(t *testing.T) {
		cfg := plain()
		cfg.MinimumCalls = 100
		r := newRig(t, "payments", cfg)
		r.calls(1, nil)
		equal(t, "kind", r.heard[0].Kind, event.Warning)
		_, ok := explain.Of(r.heard[0])
		equal(t, "explained", ok, false)
	})
	t.Run("O5: the cause of HALF_OPEN is the end of the interval", func(t *testing.T) {
		r := newRig(t, "payments", plain())
		r.trip()
		r.clock.Advance(time.Minute)
		r.calls(1, nil)
		equal(t, "event", r.last().Cause, explain.IntervalPassed)
		equal(t, "state", r.now().Cause, explain.IntervalPassed)
	})
	t.Run("B7: after a restart the trip is not this one's, and the next probe not told", func(t *testing.T) {
		before, r := newRig(t, "payments", plain()), newRig(t, "payments", plain())
		before.trip()
		if err := r.Restore(before.Save()); err != nil {
			t.Fatal(err)
		}
		equal(t, "cause", r.last().Cause, explain.Restored)
		equal(t, "trip", r.last().Trip, nil)
		equal(t, "next probe", r.last().NextProbe, time.Time{})
		equal(t, "trip of the state", r.now().Trip.Rule, breaker.RuleFailureRate)
		equal(t, "next probe of the state", r.now().NextProbe, start.Add(27*time.Second))
	})
	t.Run("other events are let pass", func(t *testing.T) {
		var change *breaker.Change
		var reconfiguration *breaker.Reconfiguration
		for _, e := range []event.Event{
			{},
			{Source: "adaptive", Kind: event.Transition},
			{Kind: event.Transition, Detail: "text"},
			{Kind: event.Transition, Detail: change},
			{Kind: event.Reconfigured, Detail: reconfiguration},
			{Kind: event.Warning, Detail: &breaker.Change{}},
			{Kind: event.Transition, Detail: &breaker.Reconfiguration{}},
		} {
			if _, ok := explain.Of(e); ok {
				t.Errorf("explained: %v", e)
			}
		}
	})
	t.Run("T5: errors are bounded in number and length", func(t *testing.T) {
		cfg := plain()
		cfg.ConsecutiveFailures = 8
		r := newRig(t, "payments", cfg, breaker.WithErrorKind(func(err error) string { return err.Error()[:1] }))
		for i := range 8 {
			r.call(errors.New(fmt.Sprint(i) + strings.Repeat("é", 500)))
		}
		for _, rec := range []explain.Record{r.last(), r.now()} {
			equal(t, "kinds", len(rec.Trip.Errors), 3)
			for _, g := range rec.Trip.Errors {
				if len(g.Sample) > 160 || strings.ContainsRune(g.Sample, '\uFFFD') {
					t.Errorf("sample of %d bytes: %q", len(g.Sample), g.Sample)
				}
			}
		}
		equal(t, "kinds in the breaker's own record", len(r.Snapshot().LastTrip.Errors), 8)
	})
	t.Run("a record is the same after a journey as JSON", func(t *testing.T) {
		r := newRig(t, "payments", plain())
		r.trip()
		r.move(breaker.Move{To: breaker.MetricsOnly, Author: "ana", Reason: "drill", For: time.Hour})
		for _, e := range r.heard {
			rec, _ := explain.Of(e)
			var back explain.Record
			text, err := json.Marshal(rec)
			if err == nil {
				err = json.Unmarshal(text, &back)
			}
			equal(t, "error", err, nil)
			equal(t, "line", back.String(), rec.String())
		}
	})
	t.Run("a record from elsewhere with nothing in it is still a line", func(t *testing.T) {
		for _, rec := range []explain.Record{
			{},
			{Kind: explain.State},
			{Trip: &breaker.Trip{Rule: breaker.RuleEvidence}},
			{Kind: explain.State, To: "OPEN", Trip: &breaker.Trip{Rule: "of the house\n", Errors: []breaker.ErrorGroup{{Kind: "k"}}}},
			{Cause: explain.Recovered, Numbers: breaker.Numbers{}},
		} {
			if line := rec.String(); line == "" || strings.Contains(line, "\n") {
				t.Errorf("%q", line)
			}
		}
	})
}

// Once the cause was read from the text of the reason: an operator who held a breaker open
// because the dependency's data was "restored from backup" was nowhere to be found, since the
// record said that the program had been started again, and named nobody.
func TestAReasonsTextDecidesNothing(t *testing.T) {
	for _, reason := range []string{"restored from backup, keep closed", "the operator's move has expired"} {
		for _, to := range []breaker.State{breaker.ForcedOpen, breaker.MetricsOnly, breaker.Disabled, breaker.Open, breaker.HalfOpen, breaker.Closed} {
			for _, author := range []string{"ana", ""} {
				r := newRig(t, "payments", plain())
				r.move(breaker.Move{To: to, Author: author, Reason: reason})
				what := fmt.Sprintf("%v by %q: %s", to, author, reason)
				e, s := r.last(), r.now()
				equal(t, what+": event", e.Cause, explain.Operator)
				if to == breaker.Open || to == breaker.ForcedOpen {
					equal(t, what+": trip", e.Trip != nil, true)
				}
				want := explain.Operator
				if author == "" && (to == breaker.Open || to == breaker.Closed) {
					want = "" // a snapshot does not tell an order from its end
				}
				equal(t, what+": state", s.Cause, want)
				for _, rec := range []explain.Record{e, s} {
					if line := rec.String(); !strings.Contains(line, strconv.Quote(reason)) || author != "" && !strings.Contains(line, `"ana"`) {
						t.Errorf("%s: %s", what, line)
					}
				}
			}
		}
	}
	t.Run("what the breaker says itself is known without its words", func(t *testing.T) {
		change := &breaker.Change{Expired: true}
		e := event.Event{Kind: event.Transition, From: "FORCED_OPEN", To: "OPEN", Reason: "in other words", Detail: change}
		rec, _ := explain.Of(e)
		equal(t, "cause", rec.Cause, explain.Expired)
		e.Detail = &breaker.Change{Restored: true}
		rec, _ = explain.Of(e)
		equal(t, "cause", rec.Cause, explain.Restored)
	})
}

// The names of the fields are what programs rely on.
func TestJSON(t *testing.T) {
	r := newRig(t, "payments", plain())
	r.trip()
	text, err := json.MarshalIndent(r.last(), "", " ")
	equal(t, "error", err, nil)
	equal(t, "event", string(text), `{
 "name": "payments",
 "kind": "transition",
 "seq": 1,
 "time": "2026-03-01T03:12:44Z",
 "from": "CLOSED",
 "to": "OPEN",
 "period": 2,
 "config_version": 1,
 "cause": "failure_rate",
 "trip": {
  "rule": "failure_rate",
  "time": "2026-03-01T03:12:44Z",
  "numbers": {
   "calls": 20,
   "failed": 12,
   "slow": 0,
   "slow_failed": 0,
   "minimum": 20
  },
  "threshold": "50%",
  "consecutive": 12,
  "wait_ns": 27000000000,
  "errors": [
   {
    "kind": "error",
    "count": 8,
    "sample": "dial tcp: connection refused"
   }
  ]
 },
 "numbers": {
  "calls": 20,
  "failed": 12,
  "slow": 0,
  "slow_failed": 0,
  "minimum": 20
 },
 "next_probe": "2026-03-01T03:13:11Z"
}`)
	r.clock.Advance(27 * time.Second)
	r.calls(1, nil)
	r.move(breaker.Move{To: breaker.ForcedOpen, Author: "ana", Reason: "drill", For: time.Hour})
	text, err = json.Marshal(r.last())
	equal(t, "error", err, nil)
	equal(t, "move", string(text), `{"name":"payments","kind":"transition","seq":3,"time":"2026-03-01T03:13:11Z","from":"HALF_OPEN",`+
		`"to":"FORCED_OPEN","period":4,"config_version":1,"cause":"operator","trip":{"rule":"operator","time":"2026-03-01T03:13:11Z",`+
		`"numbers":{"calls":1,"failed":0,"slow":0,"slow_failed":0,"minimum":3},"wait_ns":3600000000000,"retrips":1,"author":"ana","reason":"drill"},`+
		`"numbers":{"calls":1,"failed":0,"slow":0,"slow_failed":0,"minimum":3},"probes":1,"author":"ana","reason":"drill",`+
		`"expires":"2026-03-01T04:13:11Z"}`)
	text, err = json.Marshal(r.now())
	equal(t, "error", err, nil)
	for _, field := range []string{`"kind":"state"`, `"to":"FORCED_OPEN"`, `"since":"2026-03-01T03:13:11Z"`, `"cause":"operator"`} {
		if !strings.Contains(string(text), field) {
			t.Errorf("state: no %s in %s", field, text)
		}
	}
}
