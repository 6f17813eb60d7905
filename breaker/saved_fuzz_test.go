package breaker_test

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/evidence"
)

// FuzzRestore gives breakers documents that nobody has checked. They may refuse
// them, and then stay as they were; what they accept leaves a breaker that works
// (B1).
func FuzzRestore(f *testing.F) {
	for _, cfg := range fuzzedConfigs {
		for s := breaker.Closed; s <= breaker.ForcedOpen; s++ {
			r := newRig(f, cfg)
			r.trip()
			r.move(breaker.Closed)
			r.succeed(3)
			r.fail(2)
			if s != breaker.Closed {
				r.move(s)
			}
			document, err := breaker.SaveAll(r.Breaker)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(document)
		}
	}
	f.Add([]byte(`{"version":1,"breakers":[{"version":1,"name":"stock","time":"2020-05-01T12:00:00Z","state":"DISABLED",` +
		`"until":"2020-05-01T12:30:00Z","last_trip":{"rule":"evidence","evidence":{}}}]}`))
	f.Add([]byte(`{"version":1,"breakers":[{"version":1,"name":"stock","time":"2020-05-01T12:00:00Z","state":"OPEN",` +
		`"until":"9999-01-01T00:00:00Z","retrips":9223372036854775807,"last_trip":{"hint_ns":-1,"retrips":-5}}]}`))

	f.Fuzz(func(t *testing.T, document []byte) {
		for _, cfg := range fuzzedConfigs {
			r := newRigAt(t, start.Add(5*time.Second), cfg)
			before := r.Snapshot()
			if err := breaker.RestoreAll(document, r.Breaker); err != nil {
				equal(t, "breaker", r.Snapshot(), before)
				continue
			}
			works(t, r)
		}
	})
}

// TestRestoreNonsense does the same with values that a fuzzer of texts would rarely
// come upon: extreme numbers and times in otherwise sound states.
func TestRestoreNonsense(t *testing.T) {
	rounds, accepted := scale(4000, 1000), 0
	for seed := range uint64(rounds) {
		c := rand.New(rand.NewPCG(seed, 6))
		for _, cfg := range fuzzedConfigs {
			r := newRigAt(t, start.Add(5*time.Second), cfg)
			before := r.Snapshot()
			if err := r.Restore(nonsense(c)); err != nil {
				equal(t, "breaker", r.Snapshot(), before)
				continue
			}
			accepted++
			works(t, r)
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if accepted < rounds/4 {
		t.Errorf("only %d states of %d were accepted", accepted, 2*rounds)
	}
}

func nonsense(c chooser) breaker.Saved {
	number := func() int64 {
		return pick[int64](c, 0, 0, 1, 2, 7, 100, 1_000_000_000, math.MaxInt64, -1, math.MinInt64)
	}
	moment := func() time.Time {
		near := start.Add(pick(c, 0, time.Second, 10*time.Second, time.Hour, -time.Second, -time.Hour))
		return pick(c, near, near, near, near, near.AddDate(-2019, 0, 0), near.AddDate(7000, 0, 0), time.Time{})
	}
	few := func(add func()) {
		for range c.IntN(4) {
			add()
		}
	}
	s := breaker.Saved{
		Version: 1, Name: "stock", Time: moment(), Since: moment(), Until: moment(), State: breaker.State(c.IntN(7)),
		Reason: "chance", Retrips: int(max(number(), 0)), Consecutive: max(number(), 0),
	}
	few(func() {
		s.Runs = append(s.Runs, breaker.SavedRun{N: max(number(), 1), Failed: c.IntN(2) == 0, Slow: c.IntN(3) == 0})
	})
	few(func() {
		s.Buckets = append(s.Buckets, breaker.SavedBucket{Start: moment(), Calls: number(), Failed: number(), Slow: number(), SlowFailed: number()})
	})
	if c.IntN(2) == 0 {
		slices.SortFunc(s.Buckets, func(x, y breaker.SavedBucket) int { return x.Start.Compare(y.Start) })
	}
	if c.IntN(2) == 0 {
		s.LastTrip = &breaker.Trip{
			Rule: pick(c, breaker.RuleFailureRate, breaker.RuleEvidence, breaker.RuleSlowEvidence, "none"), Time: moment(),
			Wait: time.Duration(number()), Hint: time.Duration(number()), Retrips: int(number()),
		}
		if c.IntN(2) == 0 {
			s.LastTrip.Evidence = &evidence.Report{Calls: number(), Elapsed: time.Duration(number())}
		}
	}
	return s
}

var fuzzedConfigs = []breaker.Config{
	plain(),
	{
		MinimumCalls: 4, ConsecutiveFailures: 5, FailureCount: 8, SlowCall: breaker.SlowCallConfig{Duration: time.Second},
		Evidence: &evidence.Config{}, SlowEvidence: &evidence.Config{},
		Open:     breaker.OpenConfig{Factor: 3, Automatic: true},
		HalfOpen: breaker.HalfOpenConfig{Verdict: breaker.ByStreak, MaxWait: time.Minute},
	},
}

// works checks that the breaker can tell what it knows, that it can be saved again,
// and that it goes its ways: closed, tripped, probed and closed again.
func works(t *testing.T, r *rig) {
	t.Helper()
	snapshot := r.Snapshot()
	if _, err := json.Marshal(snapshot); err != nil {
		t.Errorf("Snapshot: %v", err)
	}
	for _, e := range r.heard {
		_ = e.String()
	}
	if wait := snapshot.RetryAfter; wait < 0 || wait > 30*24*time.Hour {
		t.Errorf("the next probe is in %v", wait)
	}
	saved := throughJSON(t, r.Save())
	again := breaker.Must(breaker.New("stock", r.Config(), breaker.WithClock(clock.NewVirtual(r.clock.Now()))))
	if err := again.Restore(saved); err != nil {
		t.Errorf("what Save returns cannot be restored: %v", err)
	}

	if s := r.State(); s == breaker.Disabled || s == breaker.MetricsOnly || s == breaker.ForcedOpen {
		r.succeedOnce()
		r.move(breaker.Closed)
	}
	for range 20 {
		if r.State() == breaker.Closed {
			break
		}
		r.clock.Advance(r.Snapshot().RetryAfter)
		r.succeedOnce()
	}
	r.in(breaker.Closed)
	r.trip()
	r.refused()
	r.clock.Advance(r.Snapshot().RetryAfter)
	r.succeed(r.Config().HalfOpen.Probes)
	r.in(breaker.Closed)
}

// succeedOnce makes a call; if it is refused the refusal must be able to say why.
func (r *rig) succeedOnce() {
	if err := r.Do(context.Background(), func(context.Context) error { return nil }); err != nil {
		_ = err.Error()
		_, _ = switchgear.RetryAfter(err)
	}
}
