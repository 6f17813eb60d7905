package sim

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
)

// chance makes scenarios, all of them valid, most of them in trouble.
type chance struct{ *rand.Rand }

func (c chance) one(of int) bool { return c.IntN(of) == 0 }

func (c chance) duration(most time.Duration) time.Duration {
	return 1 + time.Duration(c.Int64N(int64(most)))
}

func (c chance) share() switchgear.Percent { return switchgear.Percent(1 + c.IntN(100)) }

func (c chance) distribution(most time.Duration) Distribution {
	d := Distribution{Kind: DistributionKind(c.IntN(len(distributionNames))), Mean: c.duration(most), Sigma: 0.1 + c.Float64()}
	if d.Kind == Empirical {
		for range 1 + c.IntN(4) {
			d.Values = append(d.Values, time.Duration(c.Int64N(int64(most))))
		}
	}
	return d
}

func (c chance) pool() Pool {
	if c.one(2) {
		return Pool{}
	}
	p := Pool{Workers: 1 + c.IntN(5), Queue: c.IntN(10)}
	if c.one(3) {
		p.Queue = off
	}
	return p
}

func (c chance) call() Call {
	call := Call{Timeout: c.duration(500 * ms), Refused: c.duration(ms)}
	if c.one(4) {
		call.Refused = off
	}
	if c.one(3) {
		return call
	}
	call.PerInstance = c.one(3)
	call.Breaker = &breaker.Config{
		Window:       breaker.WindowConfig{Calls: 5 + c.IntN(20)},
		MinimumCalls: 1 + c.IntN(5),
		Open:         breaker.OpenConfig{Wait: c.duration(second), Automatic: c.one(3)},
		HalfOpen:     breaker.HalfOpenConfig{Probes: 1 + c.IntN(5), Verdict: breaker.Verdict(c.IntN(2))},
	}
	if c.one(3) {
		call.Breaker.HalfOpen.MaxWait = c.duration(second)
	}
	if c.one(3) {
		call.Breaker.SlowCall.Duration = c.duration(100 * ms)
	}
	return call
}

func (c chance) fault(duration time.Duration) Fault {
	f := Fault{
		Kind: FaultKind(c.IntN(len(faultNames))), From: time.Duration(c.Int64N(int64(duration))),
		Share: c.share(), Probability: c.share(), Factor: 1 + 9*c.Float64(),
		Limit: 1 + c.IntN(50), Hint: c.duration(second), Down: ms + c.duration(second),
	}
	f.To = f.From + c.duration(duration)
	if c.one(3) {
		f.Every = c.duration(second)
		f.For = c.duration(f.Every)
	}
	if c.one(3) {
		f.Took = c.duration(50 * ms)
	}
	return f
}

func (c chance) config() Config {
	cfg := Config{
		Duration:  500*ms + c.duration(5*second),
		Generator: Generator(c.IntN(2)),
		Load: Load{
			Kind: LoadKind(c.IntN(len(loadNames))), Rate: 1 + c.Float64()*200,
			Size: 1 + c.IntN(50), Every: 100*ms + c.duration(second), Users: 1 + c.IntN(30), Think: c.distribution(200 * ms),
		},
		Client: Client{Instances: 1 + c.IntN(3), Pool: c.pool(), Call: c.call()},
		Row:    100*ms + c.duration(second),
	}
	if cfg.Load.Kind == Recorded {
		for at := time.Duration(0); at < cfg.Duration; at += c.duration(50 * ms) {
			cfg.Load.Arrivals = append(cfg.Load.Arrivals, at)
		}
	}
	// Users who hardly think about answers that take hardly any time would make
	// this test a long one.
	if cfg.Load.Kind == Closed {
		cfg.Load.Think.Mean += 5 * ms
		cfg.Load.Think.Values = append(cfg.Load.Think.Values, 50*ms)
	}
	for range 1 + c.IntN(3) {
		s := Service{Instances: 1 + c.IntN(3), Pool: c.pool(), Latency: c.distribution(50 * ms), Call: c.call()}
		if c.one(3) {
			s.ErrorRate = c.share()
		}
		for range c.IntN(3) {
			s.Faults = append(s.Faults, c.fault(cfg.Duration))
		}
		cfg.Services = append(cfg.Services, s)
	}
	cfg.Services[len(cfg.Services)-1].Call = Call{}
	return cfg
}

// atRest checks that a run has left nothing behind.
func atRest(t *testing.T, s *Simulator) {
	t.Helper()
	free := 0
	for i := s.free; i != none; i = s.frames[i].next {
		free++
	}
	equal(t, "frames given back", free, len(s.frames))
	equal(t, "calls in flight", s.rec.level.Number(), 0)
	equal(t, "events left", s.waits, 0)
	for i := range s.places {
		p := &s.places[i]
		equal(t, "busy", p.busy.Number(), 0)
		equal(t, "waiting", p.waiting.Number(), 0)
		for _, in := range p.instances {
			equal(t, "instance", in, instance{first: none, last: none})
		}
	}
	for _, o := range s.rec.open {
		equal(t, "row left open", o == nil, true)
	}
}

// Whatever the scenario: nothing is lost, nothing is counted twice, the parts add
// up, time does not run backwards, and it all happens again with the same seed.
func TestAnyScenario(t *testing.T) {
	count := uint64(1500)
	if raceEnabled || testing.Short() {
		count = 150
	}
	for seed := range count {
		cfg := chance{rand.New(rand.NewPCG(seed, 1))}.config()
		anyScenario(t, cfg, seed)
		if t.Failed() {
			t.Fatalf("scenario of seed %d: %s", seed, inJSON(t, cfg))
		}
	}
}

func anyScenario(t *testing.T, cfg Config, seed uint64) {
	t.Helper()
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Run(context.Background(), seed)
	if err != nil {
		t.Fatal(err)
	}
	atRest(t, s)
	var rows Counts
	for _, row := range r.Rows {
		rows.Requests += row.Requests
		rows.Reached += row.Reached
		rows.Attempts += row.Attempts
		rows.Rejected += row.Rejected
		rows.Shed += row.Shed
		rows.Succeeded += row.Succeeded
		rows.Failed += row.Failed
		rows.TimedOut += row.TimedOut
	}
	w, b := r.Whole, r.Breakers[0]
	equal(t, "rows", rows, w.Counts)
	equal(t, "outcomes", w.Succeeded+w.Failed+w.TimedOut, w.Reached)
	equal(t, "requests", w.Reached+w.Rejected+w.Shed, w.Requests)
	if cfg.Client.Call.Breaker != nil {
		equal(t, "settled", b.Successful+b.Failed+b.Late+b.Ignored+b.Released, w.Reached)
		equal(t, "refused", b.Rejected, w.Rejected)
	}
	for i := 1; i < len(r.Transitions); i++ {
		equal(t, "transitions in order", r.Transitions[i].At >= r.Transitions[i-1].At, true)
	}
	for _, round := range r.Rounds {
		for _, p := range round.Probes {
			equal(t, "probe has ended", p.Took >= 0, true)
		}
	}
	equal(t, "the longest is within the run", w.Max <= r.Ended, true)
	equal(t, "quantiles in order", w.P50 <= w.P90 && w.P90 <= w.P99 && w.P99 <= w.P999 && w.P999 <= w.Max, true)

	again, err := s.Run(context.Background(), seed)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "the same again", inJSON(t, again), inJSON(t, r))
}

func FuzzAnyScenario(f *testing.F) {
	f.Add(uint64(1), uint64(1))
	f.Fuzz(func(t *testing.T, a, b uint64) {
		anyScenario(t, chance{rand.New(rand.NewPCG(a, b))}.config(), a)
	})
}
