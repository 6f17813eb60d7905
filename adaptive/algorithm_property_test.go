package adaptive

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
)

// A limiter that is driven by random calls, one at a time among others that only hold
// their places, has at every step the limit that the straight-line calculation has.
func TestLimitersFollowTheFormulas(t *testing.T) {
	const steps = 2000
	for seed := range uint64(6) {
		for _, c := range []struct {
			algorithm Algorithm
			max       int
			straight  func(next func(int) (pathStep, bool)) []int
		}{
			{ByAIMD, 60, func(n func(int) (pathStep, bool)) []int { return straightAIMD(20, n) }},
			{ByVegas, 160, func(n func(int) (pathStep, bool)) []int { return straightVegas(20, n) }},
			{ByGradient, 160, func(n func(int) (pathStep, bool)) []int { return straightGradient2(20, n) }},
		} {
			t.Run(fmt.Sprint(c.algorithm, " seed ", seed), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(seed, 0))
				cfg := Config{Algorithm: c.algorithm, Min: 3, Max: c.max, Initial: 20, Window: single}
				if c.algorithm == ByAIMD {
					cfg.AIMD.Timeout = 80 * ms
				}
				r := newRig(t, cfg)
				mean, done := 20e6, 0
				var got []int
				next := func(limit int) (pathStep, bool) {
					if done == steps {
						return pathStep{}, false
					}
					done++
					if rng.IntN(200) == 0 {
						mean = 5e6 + 60e6*rng.Float64()
					}
					d := time.Duration(mean * (0.8 + 0.4*rng.Float64()))
					s := pathStep{float64(d), 1 + rng.IntN(limit), rng.IntN(40) == 0}
					permits := r.take(s.inFlight, Critical)
					r.clock.Advance(d)
					last := &permits[len(permits)-1]
					if s.dropped {
						last.Done(switchgear.Failure)
					} else {
						last.Done(switchgear.Success)
					}
					for i := range permits {
						permits[i].Ignore()
					}
					got = append(got, r.Limit())
					return s, true
				}
				want := c.straight(next)
				for i := range want {
					if got[i] != want[i] {
						t.Fatalf("step %d: the limit is %d, by the formula %d", i, got[i], want[i])
					}
				}
			})
		}
	}
}

// modelWindow keeps every sample of the window and counts at its end.
type modelWindow struct {
	ends  []time.Duration
	rtts  []time.Duration // 0 for a drop
	most  int
	cfg   WindowConfig
	drops float64
}

func (m *modelWindow) add(end, rtt time.Duration, inFlight, limit int) (step, bool) {
	m.ends = append(m.ends, end)
	m.rtts = append(m.rtts, rtt)
	m.most = max(m.most, inFlight)
	if end-m.ends[0] < m.cfg.Time || len(m.ends) < m.cfg.Samples && len(m.ends) < limit {
		return step{}, false
	}
	var sum, good, bad float64
	for _, d := range m.rtts {
		if d == 0 {
			bad++
		} else {
			good++
			sum += float64(d)
		}
	}
	s := step{inFlight: m.most, dropped: bad > 0 && bad/(bad+good) >= m.drops}
	if good > 0 {
		s.rtt = time.Duration(sum / good)
	}
	m.ends, m.rtts, m.most = nil, nil, 0
	return s, true
}

func TestSamplerEqualsAModel(t *testing.T) {
	for seed := range uint64(200) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 0))
			cfg := WindowConfig{Time: time.Duration(1+rng.IntN(50)) * ms, Samples: 1 + rng.IntN(30)}
			quarters := 1 + rng.IntN(4) // thresholds that binary fractions hold exactly
			w := sampler{time: cfg.Time, samples: cfg.Samples, drops: int64(quarters) * 25_00}
			m := modelWindow{cfg: cfg, drops: float64(quarters) * 0.25}
			var now time.Duration
			for range 500 {
				now += time.Duration(rng.IntN(int(3 * ms)))
				rtt := time.Duration(1 + rng.IntN(int(100*ms)))
				inFlight, limit := 1+rng.IntN(40), 1+rng.IntN(40)
				dropped := rng.IntN(3) == 0
				got, gotOK := w.add(sample{start: now - rtt, end: now, inFlight: inFlight, dropped: dropped}, limit)
				if dropped {
					rtt = 0
				}
				want, wantOK := m.add(now, rtt, inFlight, limit)
				if got != want || gotOK != wantOK {
					t.Fatalf("at %v: got %+v, %v, want %+v, %v", now, got, gotOK, want, wantOK)
				}
			}
		})
	}
}

// A model of the whole limiter but for its algorithm: it keeps the permits in a list,
// and asks the limiter for its limit.
func TestLimiterEqualsAModel(t *testing.T) {
	shares := []switchgear.Percent{100, 66.67, 50, 1}
	for seed := range uint64(60) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 0))
			cfg := Config{Algorithm: Algorithm(rng.IntN(3)), Max: 30, Shares: shares, Initial: 1 + rng.IntN(30)}
			if rng.IntN(2) == 0 {
				cfg.Window = single
			} else {
				cfg.Window.Time = 50 * ms
			}
			r := newRig(t, cfg)
			var running []Permit
			want := Counters{RejectedBy: make([]uint64, len(shares))}
			for range 3000 {
				switch rng.IntN(5) {
				case 0, 1, 2:
					p := Priority(rng.IntN(6))
					level := min(int(p), len(shares)-1)
					admit := float64(len(running)) < float64(r.Limit())*float64(shares[level])/100
					permit, err := r.TryAcquire(p)
					if (err == nil) != admit {
						t.Fatalf("priority %v, %d running, limit %d: got %v, want admitted %v", p, len(running), r.Limit(), err, admit)
					}
					if admit {
						want.Admitted++
						running = append(running, permit)
					} else {
						want.Rejected++
						want.RejectedBy[level]++
					}
				case 3:
					r.clock.Advance(time.Duration(rng.IntN(int(10 * ms))))
				case 4:
					if len(running) == 0 {
						continue
					}
					i := rng.IntN(len(running))
					p := &running[i]
					switch rng.IntN(8) {
					case 0:
						p.Dropped()
						want.Dropped++
					case 1:
						p.Ignore()
						want.Ignored++
					case 2:
						p.Release()
						want.Released++
					default:
						p.Success()
						want.Succeeded++
					}
					p.Release() // does nothing
					running[i] = running[len(running)-1]
					running = running[:len(running)-1]
				}
				equal(t, "running", r.Running(), len(running))
				within(t, "limit", r.Limit(), 1, 30)
			}
			got := r.Counters()
			if got.Raised+got.Lowered > got.Steps {
				t.Errorf("%d raised and %d lowered in %d steps", got.Raised, got.Lowered, got.Steps)
			}
			got.Steps, got.Raised, got.Lowered = 0, 0, 0
			equal(t, "counters", got, want)
		})
	}
}
