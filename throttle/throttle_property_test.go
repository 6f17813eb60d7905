package throttle_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/throttle"
)

// A model is a throttle as the book has it: a list of all requests, recounted each time.
type model struct {
	cfg      throttle.Config
	requests []modelRequest
	count    throttle.Counters
}

type modelRequest struct {
	at       time.Duration
	accepted bool
}

func (m *model) window(now time.Duration) (requests, accepts int64) {
	n := time.Duration(m.cfg.Buckets)
	width := (m.cfg.Window + n - 1) / n
	for _, q := range m.requests {
		if now/width-q.at/width >= n {
			continue
		}
		requests++
		if q.accepted {
			accepts++
		}
	}
	return requests, accepts
}

func (m *model) refusal(now time.Duration) float64 {
	requests, accepts := m.window(now)
	if requests < int64(m.cfg.MinimumRequests) {
		return 0
	}
	p := (float64(requests) - m.cfg.K*float64(accepts)) / float64(requests+1)
	if m.cfg.MaxRefusal != off {
		p = min(p, float64(m.cfg.MaxRefusal)/100)
	}
	return max(p, 0)
}

func (m *model) acquire(now time.Duration, die float64) bool {
	if die < m.refusal(now) {
		m.requests = append(m.requests, modelRequest{now, false})
		m.count.Refused++
		return false
	}
	return true
}

func (m *model) settle(now time.Duration, o switchgear.Outcome) {
	switch o {
	case switchgear.Success:
		m.count.Accepted++
		m.requests = append(m.requests, modelRequest{now, true})
	case switchgear.Failure:
		m.count.Failed++
		m.requests = append(m.requests, modelRequest{now, false})
	case switchgear.Ignored:
		m.count.Ignored++
	default:
		m.count.Released++
	}
}

func randomConfig(rnd *rand.Rand) throttle.Config {
	cfg := throttle.Config{
		K:               []float64{1, 1.1, 1.5, 2, 3.7}[rnd.IntN(5)],
		Window:          []time.Duration{time.Second, 7 * time.Second, 10*time.Second + 1}[rnd.IntN(3)],
		Buckets:         []int{1, 2, 7, 10}[rnd.IntN(4)],
		MaxRefusal:      []switchgear.Percent{off, 100, 90, 33.33}[rnd.IntN(4)],
		MinimumRequests: []int{1, 5, 20}[rnd.IntN(3)],
	}
	return cfg
}

// Whatever happens in whatever order, the throttle decides as the book's formula does
// over a list of all requests.
func TestLikeTheBook(t *testing.T) {
	runs := 200
	if testing.Short() {
		runs = 40
	}
	for seed := range runs {
		if !t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { likeTheBook(t, uint64(seed)) }) {
			return
		}
	}
}

func likeTheBook(t *testing.T, seed uint64) {
	rnd := rand.New(rand.NewPCG(seed, 1))
	m := &model{cfg: randomConfig(rnd)}
	r := newRig(t, m.cfg)
	var open []throttle.Permit
	good := rnd.Float64()
	for step := range 500 {
		now := r.clock.Mono()
		switch k := rnd.IntN(100); {
		case k < 50:
			r.die = rnd.Float64()
			p, err := r.Acquire(context.Background())
			equal(t, "admitted", err == nil, m.acquire(now, r.die))
			if err == nil {
				open = append(open, p)
			}
		case k < 85:
			if len(open) == 0 {
				continue
			}
			i := rnd.IntN(len(open))
			o := switchgear.Failure
			if rnd.Float64() < good {
				o = switchgear.Success
			} else if rnd.IntN(5) == 0 {
				o = switchgear.Outcome(rnd.IntN(4))
			}
			m.settle(now, o)
			open[i].Done(o)
			open[i].Done(switchgear.Success) // does nothing
			open = slices.Delete(open, i, i+1)
		case k < 97:
			r.clock.Advance(time.Duration(rnd.Int64N(int64(time.Second))))
		case k < 98:
			r.clock.Advance(time.Duration(rnd.Int64N(int64(20 * time.Second))))
		case k < 99:
			good = rnd.Float64()
		default:
			cfg := randomConfig(rnd)
			if cfg.Window != m.cfg.Window || cfg.Buckets != m.cfg.Buckets {
				m.requests = nil
			}
			m.cfg = cfg
			equal(t, "Reconfigure", r.Reconfigure(cfg), nil)
		}
		s := r.Snapshot()
		requests, accepts := m.window(r.clock.Mono())
		equal(t, "requests", s.Requests, requests)
		equal(t, "accepts", s.Accepts, accepts)
		equal(t, "counters", s.Counters, m.count)
		if t.Failed() {
			t.Fatalf("seed %d, step %d, %+v", seed, step, m.cfg)
		}
	}
}
