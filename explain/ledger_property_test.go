package explain_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/explain"
)

// A tally follows a breaker from outside, call by call, and knows nothing of events:
// it looks at the state before and after each step.
type tally struct {
	refused, forced  uint64
	open, half, held time.Duration // held by an operator
	probes           uint64
	rounds           []round
	now              round
	trips            uint64
}

// A round is what one OPEN and the HALF_OPEN after it have seen.
type round struct{ refused, good, bad float64 }

// TestLedgerReplay compares the ledger with tallies of random lives.
func TestLedgerReplay(t *testing.T) {
	lives := 300
	if testing.Short() {
		lives = 60
	}
	for seed := range uint64(lives) {
		random := rand.New(rand.NewPCG(seed, 1))
		l := newLedger(t, explain.LedgerConfig{FailedCall: time.Second})
		cfg := plain()
		cfg.Open.Wait = time.Duration(1+random.IntN(60)) * time.Second
		cfg.HalfOpen.Probes = 1 + random.IntN(6)
		if random.IntN(2) == 0 {
			cfg.HalfOpen.Verdict = breaker.ByStreak
		}
		cfg.ConsecutiveFailures = 1 + random.IntN(5)
		r := newRig(t, "b", cfg, breaker.WithListener(l))
		model := live(r, random)
		b, _ := l.Book("b")
		if err := model.check(b); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// live lets the breaker live, and ends in CLOSED so that all periods have ended.
func live(r *rig, random *rand.Rand) *tally {
	m := &tally{}
	sick := 0.5
	for range 400 {
		before := r.State()
		probes := r.Counters().Probes
		trips := r.Counters().Trips
		switch random.IntN(12) {
		case 0:
			d := time.Duration(random.IntN(20_000)) * time.Millisecond
			r.clock.Advance(d)
			switch before { // nothing but calls and orders without expiry moves it
			case breaker.Open:
				m.open += d
			case breaker.HalfOpen:
				m.half += d
			case breaker.ForcedOpen:
				m.held += d
			}
		case 1:
			sick = random.Float64()
		case 2:
			if random.IntN(8) == 0 {
				to := breaker.State(random.IntN(6))
				r.move(breaker.Move{To: to, Reason: "drill"})
				m.moved(before, to)
			}
		default:
			var err error
			if random.Float64() < sick {
				err = errDown
			}
			m.call(r, before, err)
		}
		m.probes += r.Counters().Probes - probes
		m.trips += r.Counters().Trips - trips
	}
	before := r.State()
	r.move(breaker.Move{To: breaker.Closed, Reason: "the end"})
	m.moved(before, breaker.Closed)
	return m
}

func (m *tally) call(r *rig, before breaker.State, err error) {
	admitted := r.call(err)
	after := r.State()
	switch {
	case !admitted && before == breaker.ForcedOpen:
		m.forced++
	case !admitted:
		m.refused++
		m.now.refused++
	case before == breaker.Open || before == breaker.HalfOpen: // a probe
		if err == nil {
			m.now.good++
		} else {
			m.now.bad++
		}
		if after == breaker.Open || after == breaker.Closed {
			m.end()
		}
	}
}

// moved: an order ends the round, unless it goes from OPEN on to HALF_OPEN.
func (m *tally) moved(from, to breaker.State) {
	if from != breaker.Open || to != breaker.HalfOpen {
		m.end()
	}
}

func (m *tally) end() {
	if m.now.good+m.now.bad > 0 {
		m.rounds = append(m.rounds, m.now)
	}
	m.now = round{}
}

func (m *tally) check(b explain.Book) error {
	if b.Refused != m.refused || b.RefusedForced != m.forced || b.Open != m.open || b.HalfOpen != m.half ||
		b.Forced != m.held || b.Probes != m.probes || b.Trips != m.trips || b.Missed != 0 {
		return fmt.Errorf("book %+v\ntally %+v", b, m)
	}
	var refused, good, sum, below, above float64
	for _, r := range m.rounds {
		n := r.good + r.bad
		share := r.good / n
		low, high := score(r.good, n)
		refused += r.refused
		good += r.good
		sum += r.refused * share
		below += math.Pow(r.refused*(share-low), 2)
		above += math.Pow(r.refused*(high-share), 2)
	}
	if float64(b.Estimated) != refused || float64(b.ProbesGood) != good {
		return fmt.Errorf("estimated %d, probes good %d; the tally has %v and %v", b.Estimated, b.ProbesGood, refused, good)
	}
	want := [...]float64{sum, max(0, sum-math.Sqrt(below)), min(refused, sum+math.Sqrt(above))}
	spared := [...]float64{refused - want[0], refused - want[2], refused - want[1]}
	got := [...]float64{b.WouldBeGood.Estimate, b.WouldBeGood.Low, b.WouldBeGood.High}
	gotSpared := [...]float64{b.WaitSpared.Estimate / 1e9, b.WaitSpared.Low / 1e9, b.WaitSpared.High / 1e9}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-6*(1+refused) || math.Abs(gotSpared[i]-spared[i]) > 1e-6*(1+refused) {
			return fmt.Errorf("would be good %v, want %v; spared %v, want %v", got, want, gotSpared, spared)
		}
	}
	if b.WouldBeGood.Low > b.WouldBeGood.Estimate || b.WouldBeGood.Estimate > b.WouldBeGood.High {
		return fmt.Errorf("%+v is no range", b.WouldBeGood)
	}
	return nil
}

// score finds the bounds of Wilson's interval by its definition: the shares p from
// which the share seen is 1.96 standard deviations away.
func score(good, n float64) (low, high float64) {
	const z = 1.959963984540054
	seen := good / n
	away := func(p float64) bool { return math.Abs(seen-p) > z*math.Sqrt(p*(1-p)/n) }
	find := func(in, out float64) float64 {
		for range 100 {
			if middle := (in + out) / 2; away(middle) {
				out = middle
			} else {
				in = middle
			}
		}
		return in
	}
	return find(seen, 0), find(seen, 1)
}

func TestWilson(t *testing.T) {
	// The last is the example of Newcombe (1998), to the four digits given there.
	for _, tt := range []struct{ good, n, low, high float64 }{
		{0, 1, 0, 0.7934507},
		{1, 1, 0.2065493, 1},
		{0, 3, 0, 0.5614970},
		{2, 3, 0.2076597, 0.9385081},
		{5, 10, 0.2365931, 0.7634069},
		{81, 263, 0.2553, 0.3662},
	} {
		got := explain.Wilson(tt.good, tt.n)
		near(t, "low", got.Low, tt.low)
		near(t, "high", got.High, tt.high)
		low, high := score(tt.good, tt.n)
		near(t, "low by definition", low, tt.low)
		near(t, "high by definition", high, tt.high)
	}
	for n := 1.0; n < 200; n++ {
		for good := 0.0; good <= n; good++ {
			r, other := explain.Wilson(good, n), explain.Wilson(n-good, n)
			if !(0 <= r.Low && r.Low <= r.Estimate && r.Estimate <= r.High && r.High <= 1) ||
				math.Abs(r.Low+other.High-1) > 1e-9 {
				t.Fatalf("%v of %v: %+v and %+v", good, n, r, other)
			}
		}
	}
}
