package sim

import (
	"slices"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/adaptive"
	"github.com/switchgear-go/switchgear/backoff"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/hedge"
	"github.com/switchgear-go/switchgear/ratelimit"
	"github.com/switchgear-go/switchgear/retry"
	"github.com/switchgear-go/switchgear/sim/internal/random"
	"github.com/switchgear-go/switchgear/throttle"
)

// single is one call at second 1, whose answer takes 30 ms, seen by the millisecond.
func single(call Call, faults ...Fault) Config {
	return Config{
		Duration: 3 * second, Row: ms, Load: Load{Kind: Recorded, Arrivals: []time.Duration{second}},
		Client:   Client{Call: call},
		Services: []Service{{Latency: Distribution{Kind: Fixed, Mean: 30 * ms}, Faults: faults}},
	}
}

// sentAt returns when attempts were sent, to the row.
func sentAt(r *Result) (at []time.Duration) {
	for _, row := range r.Rows {
		for range row.Sent {
			at = append(at, row.At)
		}
	}
	return at
}

func plain(kind backoff.Kind, initial time.Duration) backoff.Config {
	return backoff.Config{Kind: kind, Initial: initial, Jitter: backoff.None, Spread: off}
}

// Every instant of a single call is known beforehand.
func TestSingleCall(t *testing.T) {
	broken := Fault{Kind: Errors}
	for _, tt := range []struct {
		name    string
		call    Call
		faults  []Fault
		sent    []time.Duration // after the arrival
		took    time.Duration
		outcome Outcome
	}{
		{
			name: "constant backoff", faults: []Fault{broken},
			call: Call{Retry: &retry.Config{Attempts: 4, Backoff: plain(backoff.Constant, 200*ms)}},
			sent: []time.Duration{0, 230 * ms, 460 * ms, 690 * ms}, took: 720 * ms, outcome: Failed,
		},
		{
			name: "exponential backoff", faults: []Fault{broken},
			call: Call{Retry: &retry.Config{Attempts: 4, Backoff: plain(backoff.Exponential, 100*ms)}},
			sent: []time.Duration{0, 130 * ms, 360 * ms, 790 * ms}, took: 820 * ms, outcome: Failed,
		},
		{
			name:   "a retry that helps",
			call:   Call{Retry: &retry.Config{Backoff: plain(backoff.Constant, 200*ms)}},
			faults: []Fault{{Kind: Errors, To: second + 100*ms}},
			sent:   []time.Duration{0, 230 * ms}, took: 260 * ms,
		},
		{
			name: "attempts that time out", faults: []Fault{{}},
			call: Call{Timeout: 100 * ms, Retry: &retry.Config{Attempts: 2, Backoff: plain(backoff.Constant, 200*ms)}},
			sent: []time.Duration{0, 300 * ms}, took: 400 * ms, outcome: TimedOut,
		},
		{
			name: "an answer at the very limit is too late",
			call: Call{Timeout: 30 * ms, Total: second},
			sent: []time.Duration{0}, took: 30 * ms, outcome: TimedOut,
		},
		{
			name: "the total time ends an attempt", faults: []Fault{{}},
			call: Call{Timeout: 100 * ms, Total: 350 * ms, Retry: &retry.Config{Backoff: plain(backoff.Constant, 200*ms)}},
			sent: []time.Duration{0, 300 * ms}, took: 350 * ms, outcome: TimedOut,
		},
		{
			name: "no wait is begun that would end with the total time", faults: []Fault{{}},
			call: Call{Timeout: 100 * ms, Total: 300 * ms, Retry: &retry.Config{Backoff: plain(backoff.Constant, 200*ms)}},
			sent: []time.Duration{0}, took: 100 * ms, outcome: TimedOut,
		},
		{
			name: "only the total time", faults: []Fault{{}}, call: Call{Total: 350 * ms},
			sent: []time.Duration{0}, took: 350 * ms, outcome: TimedOut,
		},
		{
			name:   "the wait that the service asks for",
			call:   Call{Retry: &retry.Config{Backoff: plain(backoff.Constant, 200*ms)}},
			faults: []Fault{{Kind: Throttle, Limit: 1, Hint: 500 * ms}, broken},
			sent:   []time.Duration{0, 230 * ms, 730 * ms}, took: 730 * ms, outcome: Failed,
		},
		{
			name:   "a longer wait than one takes",
			call:   Call{Retry: &retry.Config{MaxHint: 400 * ms, Backoff: plain(backoff.Constant, 200*ms)}},
			faults: []Fault{{Kind: Throttle, Limit: 1, Hint: 500 * ms}, broken},
			sent:   []time.Duration{0, 230 * ms}, took: 230 * ms, outcome: Failed,
		},
		{
			name: "a hedge too late to win", call: Call{Hedge: &hedge.Config{Delay: 20 * ms}},
			sent: []time.Duration{0, 20 * ms}, took: 30 * ms,
		},
		{
			name: "a hedge that is not needed", call: Call{Hedge: &hedge.Config{Delay: 30 * ms}},
			sent: []time.Duration{0}, took: 30 * ms,
		},
		{
			name: "a hedge that wins", call: Call{Hedge: &hedge.Config{Delay: 20 * ms}},
			faults: []Fault{{Kind: Slow, To: second + ms}},
			sent:   []time.Duration{0, 20 * ms}, took: 50 * ms,
		},
		{
			name: "two hedges", call: Call{Hedge: &hedge.Config{Delay: 20 * ms, MaxExtra: 2}},
			faults: []Fault{{Kind: Slow, To: second + 30*ms}},
			sent:   []time.Duration{0, 20 * ms, 40 * ms}, took: 70 * ms,
		},
		{
			name: "an error is not hedged, but tried again", faults: []Fault{broken},
			call: Call{
				Hedge: &hedge.Config{Delay: 40 * ms},
				Retry: &retry.Config{Attempts: 2, Backoff: plain(backoff.Constant, 200*ms)},
			},
			sent: []time.Duration{0, 230 * ms}, took: 260 * ms, outcome: Failed,
		},
		{
			name: "the total time ends all hedges", faults: []Fault{{}},
			call: Call{Total: 100 * ms, Hedge: &hedge.Config{Delay: 20 * ms, MaxExtra: 2}},
			sent: []time.Duration{0, 20 * ms, 40 * ms}, took: 100 * ms, outcome: TimedOut,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := New(single(tt.call, tt.faults...))
			if err != nil {
				t.Fatal(err)
			}
			r, err := s.Run(t.Context(), 1)
			if err != nil {
				t.Fatal(err)
			}
			atRest(t, s)
			idle(t, s)
			for i := range tt.sent {
				tt.sent[i] += second
			}
			if got := sentAt(r); !slices.Equal(got, tt.sent) {
				t.Errorf("sent at %v, want %v", got, tt.sent)
			}
			w := r.Whole
			equal(t, "took", w.Max, tt.took)
			equal(t, "attempts", w.Attempts, uint64(len(tt.sent)))
			equal(t, "outcome", [...]uint64{w.Succeeded, w.Failed, w.TimedOut}[tt.outcome], 1)
		})
	}
}

// The service behind is not told that a loser, or an attempt whose time is over, has
// been given up.
func TestServiceWorksOn(t *testing.T) {
	cfg := single(Call{Hedge: &hedge.Config{Delay: 20 * ms}}, Fault{Kind: Slow, To: second + ms})
	cfg.Services[0].Pool.Workers = 2
	r := simulate(t, cfg, 1)
	equal(t, "took", r.Whole.Max, 50*ms)
	near(t, "busy", r.Pools[0].Busy*3, 0.3+0.03, 1e-9) // 300 ms and 30 ms of three seconds
	for at, want := range map[time.Duration]float64{second + 10*ms: 1, second + 30*ms: 2, second + 60*ms: 0} {
		row := r.Rows[at/ms]
		near(t, "in flight for the client", row.InFlight, want, 0)
		equal(t, "peak", row.Peak, int64(want))
	}
}

// An attempt that is turned away has that answer a moment later, though at the same
// instant. By then its race may be decided, and its place taken by another call.
func TestTurnedAwayAtTheInstantOfTheDecision(t *testing.T) {
	cfg := single(Call{Hedge: &hedge.Config{Delay: 40 * ms}})
	cfg.Services[0].Pool = Pool{Workers: 1, Queue: 1}
	// The second waits for the first until 1.01, and so is answered at 1.04, when its
	// hedge comes, too, and finds the third in the queue. The fourth comes at that very
	// instant.
	cfg.Load.Arrivals = []time.Duration{980 * ms, second, 1020 * ms, 1040 * ms}
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Run(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	atRest(t, s)
	idle(t, s)
	h := r.Policies[0].Hedge
	equal(t, "won", h.Won, r.Whole.Succeeded)
	equal(t, "calls", h.Won+h.Failed, 4)
	equal(t, "turned away", r.Pools[0].Shed > 0, true)
}

// The total time ends what waits in a queue of one's own, and what is out, at once.
func TestTotalTimeEndsEverything(t *testing.T) {
	cfg := single(Call{
		Timeout: 60 * ms, Total: 100 * ms, Bulkhead: &bulkhead.Config{MaxConcurrent: 1, MaxWaiting: 1}, Throttle: &throttle.Config{},
		Retry: &retry.Config{Backoff: plain(backoff.Constant, 10*ms)},
	}, Fault{})
	// The second has the only place from 1.06 to 1.12. The first waits for it, with its
	// second attempt, from 1.07 to 1.1.
	cfg.Load.Arrivals = []time.Duration{second, 1020 * ms}
	r := simulate(t, cfg, 1)
	p := r.Policies[0]
	equal(t, "timed out", r.Whole.TimedOut, 2)
	equal(t, "sent", r.Whole.Attempts, 2)
	equal(t, "gave up in the queue", p.Bulkhead.GaveUp, 1)
	equal(t, "took", r.Whole.Max, 100*ms)
	equal(t, "both took", r.Whole.P50, 100*ms)
	equal(t, "held against the service", p.Throttle.Failed, 1)
	equal(t, "and not", p.Throttle.Ignored, 1)

	cfg = single(Call{Total: 100 * ms, Hedge: &hedge.Config{Delay: 20 * ms, MaxExtra: 2}, Breaker: &breaker.Config{}}, Fault{})
	r = simulate(t, cfg, 1)
	h := r.Policies[0].Hedge
	equal(t, "races ended", h.Stopped, 1)
	equal(t, "attempts ended with it", h.Late, 3)
	equal(t, "held against the service", r.Breakers[0].Failed, 3)

	cfg = single(Call{Total: 100 * ms}, Fault{})
	cfg.Services[0].Pool = Pool{Workers: 1} // the worker is stuck for as long
	r = simulate(t, cfg, 1)
	equal(t, "took", r.Whole.Max, 100*ms)
	near(t, "busy", r.Pools[0].Busy*3, 0.1, 1e-9)
}

// Rows are stretches of time for what is in flight, whatever became of the calls that
// arrived in them. The last one ends with the run.
func TestRowsOfAttempts(t *testing.T) {
	cfg := single(Call{Timeout: 200 * ms, Retry: &retry.Config{Attempts: 3, Backoff: plain(backoff.Constant, 100*ms)}}, Fault{To: 10 * second})
	cfg.Duration, cfg.Row = 2500*ms, second
	cfg.Load.Arrivals = []time.Duration{1900 * ms, 2050 * ms}
	r := simulate(t, cfg, 1)
	// The first is sent at 1.9, 2.2 and 2.5, the second at 2.05, 2.35 and 2.65.
	for i, want := range []struct {
		attempts, sent uint64
		inFlight       float64
		peak           int64
	}{
		{0, 0, 0, 0},
		{3, 1, 0.1, 1},
		{3, 3, (0.1 + 0.2 + 0.2 + 0.15) / 0.5, 2},
	} {
		row := r.Rows[i]
		equal(t, "attempts", row.Attempts, want.attempts)
		equal(t, "sent", row.Sent, want.sent)
		near(t, "in flight", row.InFlight, want.inFlight, 1e-9)
		equal(t, "peak", row.Peak, want.peak)
	}
}

// A turn that comes with the end of the total time comes too late.
func TestNoTurnAtTheEndOfTheTotalTime(t *testing.T) {
	cfg := single(Call{Total: 100 * ms, RateLimit: &ratelimit.Config{Rate: 10, Burst: 1, MaxWait: second}})
	cfg.Load.Arrivals = []time.Duration{second, second}
	equal(t, "refused", simulate(t, cfg, 1).Whole.Rejected, 1)
	cfg.Client.Call.Total++
	r := simulate(t, cfg, 1)
	equal(t, "refused with a nanosecond more", r.Whole.Rejected, 0)
	equal(t, "timed out", r.Whole.TimedOut, 1)
}

// hundred is a load of 100 a second on a service that answers after 50 ms on average.
func hundred(call Call, faults ...Fault) Config {
	return Config{
		Duration: 30 * second, Load: Load{Rate: 100}, Client: Client{Call: call},
		Services: []Service{{Latency: Distribution{Mean: 50 * ms}, Faults: faults}},
	}
}

func TestRateLimitBoundsEverySecond(t *testing.T) {
	for seed := range uint64(5) {
		cfg := hundred(Call{RateLimit: &ratelimit.Config{Kind: ratelimit.SlidingWindow, Rate: 20, MaxWait: 200 * ms}})
		r := simulate(t, cfg, seed)
		for _, row := range r.Rows {
			if row.Sent > 20 {
				t.Errorf("seed %d: %d sent in the second from %v", seed, row.Sent, row.At)
			}
		}
		// All that is allowed is made use of.
		near(t, "sent", float64(r.Whole.Attempts), 20*30, 20)
		equal(t, "refused", r.Policies[0].RateLimit.Refused, r.Whole.Rejected)
		if r.Policies[0].RateLimit.Delayed == 0 {
			t.Error("nobody waited")
		}
	}
}

func TestBulkheadBoundsTheAttemptsInFlight(t *testing.T) {
	slow := Fault{Kind: Slow, From: 10 * second, To: 20 * second}
	for seed := range uint64(5) {
		call := Call{Timeout: second, Bulkhead: &bulkhead.Config{MaxConcurrent: 8, MaxWaiting: 4, MaxWait: 100 * ms}}
		r := simulate(t, hundred(call, slow), seed)
		for _, w := range r.Windows {
			equal(t, "peak", w.Peak, 8)
		}
		near(t, "in flight in the fault", r.Windows[1].InFlight, 8, 0.2)
		b := r.Policies[0].Bulkhead
		equal(t, "refused", b.Refused+b.TimedOut, r.Whole.Rejected)
		equal(t, "some waited, in vain and not", b.TimedOut > 0 && b.Queued > b.TimedOut, true)
	}
}

// In any stretch of the budget's window the retries stay within its share of the calls.
func TestBudgetBoundsTheRetries(t *testing.T) {
	for seed := range uint64(5) {
		call := Call{
			Retry:  &retry.Config{Attempts: 5, Backoff: plain(backoff.Constant, 10*ms)},
			Budget: &budget.Config{Ratio: budget.RatioConfig{Percent: 10, MinPerSecond: off, Window: 5 * second}},
		}
		r := simulate(t, hundred(call, Fault{Kind: Errors}), seed)
		p := r.Policies[0]
		equal(t, "attempts", p.Attempts, p.Calls+p.Budget.Granted)
		equal(t, "refused by the budget", p.Retry.GaveUp.Budget, p.Budget.Refused)
		if share := float64(p.Budget.Granted) / float64(p.Calls); share > 0.1 || share < 0.08 {
			t.Errorf("seed %d: %.3f retries for each call", seed, share)
		}
		call.Budget = nil
		// Some of the last ones are made after the fault.
		without := simulate(t, hundred(call, Fault{Kind: Errors}), seed).Whole
		near(t, "attempts of each call without a budget", float64(without.Attempts)/float64(without.Requests), 5, 0.02)
	}
}

// Retry and hedge draw on the same budget, which counts each call once.
func TestRetryAndHedgeShareABudget(t *testing.T) {
	call := Call{
		Retry:  &retry.Config{Attempts: 3, Backoff: plain(backoff.Constant, 10*ms)},
		Hedge:  &hedge.Config{Delay: 20 * ms},
		Budget: &budget.Config{Ratio: budget.RatioConfig{Percent: 10, MinPerSecond: off, Window: 5 * second}},
	}
	p := simulate(t, hundred(call, Fault{Kind: Errors, Probability: 20}), 1).Policies[0]
	extra := p.Attempts - p.Calls
	equal(t, "extra attempts", extra, p.Retry.Retries+p.Hedge.Hedges)
	if share := float64(extra) / float64(p.Calls); share > 0.1 || share < 0.08 || p.Retry.Retries == 0 || p.Hedge.Hedges == 0 {
		t.Errorf("%.3f extra attempts for each call: %d retries, %d hedges", share, p.Retry.Retries, p.Hedge.Hedges)
	}
}

// Outside the breaker a retry shows it every attempt, and is ended by it. Inside, the
// breaker sees one outcome of each call, and a probe is one attempt.
func TestRetryInsideAndOutsideTheBreaker(t *testing.T) {
	call := Call{
		Retry: &retry.Config{Attempts: 3, Backoff: plain(backoff.Constant, 10*ms)},
		Breaker: &breaker.Config{
			Window: breaker.WindowConfig{Calls: 4}, MinimumCalls: 4,
			Open: breaker.OpenConfig{Wait: second, Jitter: off}, HalfOpen: breaker.HalfOpenConfig{Probes: 1},
		},
	}
	cfg := single(call, Fault{Kind: Errors})
	cfg.Load.Arrivals = nil
	for at := range time.Duration(5) {
		cfg.Load.Arrivals = append(cfg.Load.Arrivals, at*200*ms)
	}
	cfg.Load.Arrivals = append(cfg.Load.Arrivals, 2500*ms) // a probe
	outside := simulate(t, cfg, 1)
	cfg.Client.Call.RetryInsideBreaker = true
	inside := simulate(t, cfg, 1)

	// Outside: the fourth attempt trips it, the first of the second call; that loop
	// ends, and three calls are refused.
	equal(t, "outside: attempts", outside.Whole.Attempts, 3+1+1)
	equal(t, "outside: trip", outside.Transitions[0].At, 230*ms)
	equal(t, "outside: outcomes", outside.Whole.Failed, 3)
	equal(t, "outside: refused", outside.Whole.Rejected, 3)
	equal(t, "outside: loops ended by the breaker", outside.Policies[0].Retry.GaveUp.Refused, 1+3+1)
	// Inside: the fourth call trips it.
	equal(t, "inside: attempts", inside.Whole.Attempts, 4*3+1)
	equal(t, "inside: trip", inside.Transitions[0].At, 710*ms)
	equal(t, "inside: outcomes", inside.Whole.Failed, 5)
	equal(t, "inside: refused", inside.Whole.Rejected, 1)
	equal(t, "inside: seen by the breaker", inside.Breakers[0].Failed, 5)
	for _, r := range []*Result{outside, inside} {
		equal(t, "probes", len(r.Rounds[0].Probes), 1)
		equal(t, "probe", r.Rounds[0].Probes[0], Probe{At: 2500 * ms, Took: 30 * ms, Outcome: Failed})
	}
}

// Before a service that can do 50 a second, of 100: with K = 2 about 2×50 are sent, and
// what is refused costs the service nothing.
func TestThrottleHoldsBack(t *testing.T) {
	cfg := hundred(Call{Throttle: &throttle.Config{Window: 5 * second}}, Fault{Kind: Throttle, Limit: 25})
	for seed := range uint64(5) {
		r := simulate(t, cfg, seed)
		near(t, "accepted a second", float64(r.Windows[0].Succeeded)/30, 25, 2)
		near(t, "sent a second", float64(r.Rows[29].Sent+r.Rows[28].Sent+r.Rows[27].Sent+r.Rows[26].Sent)/4, 50, 10)
		equal(t, "refused", r.Policies[0].Throttle.Refused, r.Whole.Rejected)
	}
}

// A service with four workers gets half of them taken away by slowness: the limit
// follows, and there is less of a queue before the service than without.
func TestAdaptiveFindsALimit(t *testing.T) {
	cfg := hundred(Call{Timeout: second}, Fault{Kind: Slow, Factor: 3, From: 10 * second, To: 20 * second})
	cfg.Load.Rate = 60
	cfg.Services[0].Pool = Pool{Workers: 4, Queue: 200}
	without := simulate(t, cfg, 1)
	cfg.Client.Call.Adaptive = &adaptive.Config{Algorithm: adaptive.ByVegas, Window: adaptive.WindowConfig{Time: 200 * ms}}
	with := simulate(t, cfg, 1)
	a := with.Policies[0].Adaptive
	if a.Lowest >= 20 || a.Lowest < 1 || a.Steps < 50 {
		t.Errorf("limits from %d to %d in %d steps", a.Lowest, a.Highest, a.Steps)
	}
	equal(t, "refused", a.Rejected, with.Whole.Rejected)
	if with.Pools[0].Waiting > without.Pools[0].Waiting/4 {
		t.Errorf("%.1f wait on average, %.1f without", with.Pools[0].Waiting, without.Pools[0].Waiting)
	}
	if with.Windows[1].Succeeded <= without.Windows[1].Succeeded {
		t.Errorf("%d succeed in the fault, %d without", with.Windows[1].Succeeded, without.Windows[1].Succeeded)
	}
}

// A policy that draws random numbers shifts nobody else's: not the arrivals, and not
// what the policies of another place draw.
func TestStreamsOfPoliciesAreApart(t *testing.T) {
	bare := hundred(Call{})
	full := hundred(Call{Retry: &retry.Config{}, Throttle: &throttle.Config{}, Adaptive: &adaptive.Config{}, Hedge: &hedge.Config{Delay: second}})
	a, b := simulate(t, bare, 7), simulate(t, full, 7)
	equal(t, "without failures all is the same", inJSON(t, a.Whole), inJSON(t, b.Whole))

	fault := Fault{Kind: Errors, Probability: 50}
	a, b = simulate(t, hundred(Call{}, fault), 7), simulate(t, hundred(full.Client.Call, fault), 7)
	for i := range a.Rows {
		equal(t, "arrivals", a.Rows[i].Requests, b.Rows[i].Requests)
	}
	equal(t, "arrivals drawn", a.Draws.Arrivals, b.Draws.Arrivals)
	equal(t, "the retries are there", b.Policies[0].Retry.Retries > 100, true)
}

func TestEachInstanceDrawsItsOwn(t *testing.T) {
	s, err := New(Config{Client: Client{Instances: 2, Call: fullCall()}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.start(1); err != nil {
		t.Fatal(err)
	}
	seen := map[float64]bool{}
	for i := range s.places[0].policies {
		p := &s.places[0].policies[i]
		for _, stream := range []*random.Stream{&p.backoff, &p.probing, &p.chance} {
			seen[stream.Float64()] = true
		}
	}
	equal(t, "different streams", len(seen), 6)
}

func TestRunsOfPoliciesAreRepeatable(t *testing.T) {
	cfg := hundred(fullCall(), Fault{Kind: Errors, Probability: 60, From: 5 * second, To: 10 * second}, Fault{From: 15 * second, To: 20 * second})
	cfg.Client.Instances = 3
	want := make([]string, 8)
	for i := range want {
		want[i] = inJSON(t, simulate(t, cfg, uint64(i)))
	}
	i := 0
	err := Many(t.Context(), cfg, 0, len(want), func(r *Result) error {
		equal(t, "run", inJSON(t, r), want[i])
		i++
		return nil
	})
	equal(t, "error", err, nil)
}

// fullCall has every policy there is.
func fullCall() Call {
	return Call{
		Timeout: 200 * ms, Total: 2 * second,
		RateLimit: &ratelimit.Config{Rate: 2000},
		Adaptive:  &adaptive.Config{},
		Throttle:  &throttle.Config{},
		Retry:     &retry.Config{},
		Hedge:     &hedge.Config{},
		Budget:    &budget.Config{},
		Breaker:   &breaker.Config{},
		Bulkhead:  &bulkhead.Config{MaxConcurrent: 50, MaxWaiting: 20, MaxWait: 100 * ms},
	}
}

// What a run allocates is for its policies, rows and results, not for its 60,000 calls.
func TestPoliciesDoNotAllocateForEachCall(t *testing.T) {
	s, err := New(Config{Load: Load{Rate: 1000}, Client: Client{Call: fullCall()}})
	if err != nil {
		t.Fatal(err)
	}
	run := func() {
		if _, err := s.Run(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
	}
	run()
	if n := testing.AllocsPerRun(1, run); n > 2000 {
		t.Errorf("%v allocations", n)
	}
}

// A place in the bulkhead that comes at the very end of the time is of no use.
func TestGrantAtTheDeadline(t *testing.T) {
	cfg := recorded([]time.Duration{0, 0}, Service{Latency: fixed(200 * ms)})
	cfg.Client.Call = Call{Total: 100 * ms, Bulkhead: &bulkhead.Config{MaxConcurrent: 1, MaxWaiting: 5, MaxWait: second}}
	r := simulate(t, cfg, 1)
	equal(t, "Reached", r.Whole.Reached, 1)
	equal(t, "Attempts", r.Whole.Attempts, 1)
	equal(t, "Rejected", r.Whole.Rejected, 1)
	equal(t, "TimedOut", r.Whole.TimedOut, 1)
}
