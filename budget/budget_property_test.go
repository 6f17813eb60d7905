package budget_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/budget"
)

// A model follows the documentation with lists and loops, and forgets nothing.
type model struct {
	cfg    budget.Config
	now    time.Duration
	calls  []time.Duration
	taken  map[int]time.Duration // of a ratio, by number
	tokens int64                 // thousandths

	granted, refused, settled, cancelled uint64
}

func newModel(cfg budget.Config) *model {
	return &model{
		cfg: cfg, taken: map[int]time.Duration{},
		tokens: 1000 * int64(max(cfg.Quota.Capacity, cfg.Throttling.MaxTokens)),
	}
}

// counts tells whether what happened at that time is in the window.
func (m *model) counts(at time.Duration) bool {
	span := (m.cfg.Ratio.Window + 15) / 16
	return m.now/span-at/span < 16
}

// allowed and used are in ten-thousandths of an attempt.
func (m *model) allowed() (n int64) {
	for _, at := range m.calls {
		if m.counts(at) {
			n += int64(math.Round(float64(max(m.cfg.Ratio.Percent, 0)) * 100))
		}
	}
	return n + int64(math.Round(max(m.cfg.Ratio.MinPerSecond, 0)*m.cfg.Ratio.Window.Seconds()*10_000))
}

func (m *model) used() (n int64) {
	for _, at := range m.taken {
		if m.counts(at) {
			n += 10_000
		}
	}
	return n
}

func (m *model) change(tokens float64) {
	most := 1000 * int64(max(m.cfg.Quota.Capacity, m.cfg.Throttling.MaxTokens))
	m.tokens = min(max(m.tokens+int64(math.Round(tokens*1000)), 0), most)
}

func (m *model) outcome(o switchgear.Outcome) {
	switch {
	case m.cfg.Kind != budget.Throttling:
	case o == success:
		m.change(m.cfg.Throttling.TokenRatio)
	case o == failure:
		m.change(-1)
	}
}

func (m *model) withdraw(id, cost int) bool {
	var ok bool
	switch m.cfg.Kind {
	case budget.Ratio:
		if ok = m.used()+10_000 <= m.allowed(); ok {
			m.taken[id] = m.now
		}
	case budget.Quota:
		if ok = m.tokens >= int64(cost)*1000; ok {
			m.change(-float64(cost))
		}
	case budget.Throttling:
		ok = m.tokens*2 > int64(m.cfg.Throttling.MaxTokens)*1000
	}
	if ok {
		m.granted++
	} else {
		m.refused++
	}
	return ok
}

func (m *model) available() float64 {
	if m.cfg.Kind == budget.Ratio {
		return float64(max(m.allowed()-m.used(), 0)) / 10_000
	}
	return float64(m.tokens) / 1000
}

// held is a withdrawal that is not settled yet.
type held struct {
	budget.Withdrawal
	id, cost int
}

// drive makes random steps, on a budget and on its model, and compares them.
func drive(t *testing.T, cfg budget.Config, steps int, next func(n int) int) {
	r := newRig(t, cfg)
	m := newModel(r.Config())
	outcomes := []switchgear.Outcome{success, failure, ignored}
	var out []held
	pick := func() held {
		i := next(len(out))
		h := out[i]
		out[i] = out[len(out)-1]
		out = out[:len(out)-1]
		return h
	}
	for step := range steps {
		switch next(7) {
		case 0:
			r.Begin()
			m.calls = append(m.calls, m.now)
		case 1:
			o := outcomes[next(3)]
			r.End(o)
			m.outcome(o)
			if cfg.Kind == budget.Quota && o == success {
				m.change(1)
			}
		case 2, 3:
			cost, ask := m.cfg.Quota.Cost, r.Withdraw
			if next(4) == 0 {
				cost, ask = m.cfg.Quota.TimeoutCost, r.WithdrawTimeout
			}
			w, ok := ask()
			equal(t, "granted", ok, m.withdraw(step, cost))
			if ok {
				out = append(out, held{w, step, cost})
			}
		case 4:
			if len(out) == 0 {
				break
			}
			h, o := pick(), outcomes[next(3)]
			h.Settle(o)
			m.outcome(o)
			m.settled++
			if cfg.Kind == budget.Quota && o == success {
				m.change(float64(h.cost))
			}
		case 5:
			if len(out) == 0 {
				break
			}
			h := pick()
			h.Cancel()
			m.cancelled++
			delete(m.taken, h.id)
			if cfg.Kind == budget.Quota {
				m.change(float64(h.cost))
			}
		case 6:
			d := time.Duration(next(100)) * 10 * time.Millisecond
			r.clock.Advance(d)
			m.now += d
		}
		s := r.Snapshot()
		equal(t, "available", s.Available, m.available())
		equal(t, "in use", s.InUse, uint64(len(out)))
		equal(t, "granted, refused, settled, cancelled",
			[]uint64{s.Granted, s.Refused, s.Settled, s.Cancelled},
			[]uint64{m.granted, m.refused, m.settled, m.cancelled})
		if t.Failed() {
			t.Fatalf("at step %d", step)
		}
	}
	// States alternate, and are told once each.
	want := "exhausted"
	for _, e := range r.heard {
		equal(t, "state", e.To, want)
		if want = "exhausted"; e.To == want {
			want = "available"
		}
	}
}

func small() []budget.Config {
	return []budget.Config{
		ratio(20, off, time.Second),
		ratio(33.33, 0.7, 2*time.Second),
		ratio(off, 1.5, 3*time.Second),
		ratio(100, 5, 1001*time.Millisecond),
		{Kind: budget.Quota, Quota: budget.QuotaConfig{Capacity: 20, Cost: 5, TimeoutCost: 7}},
		quota(3, 1),
		throttling(6, 0.4),
		throttling(1, 1),
	}
}

func TestAgainstTheModel(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 4 {
		for _, cfg := range small() {
			drive(t, cfg, 800, func(n int) int { return rng.IntN(n) })
		}
	}
}
