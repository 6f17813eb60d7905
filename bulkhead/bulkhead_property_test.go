package bulkhead_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/bulkhead"
)

// A model is a bulkhead as one would write it for a single thread, with a list.
type model struct {
	limit, places int
	maxWait       time.Duration // 0 is no bound
	now           time.Duration

	running int
	waiting []*modelAsk
	count   bulkhead.Counters
	log     []string
}

type modelAsk struct {
	id      int
	brief   bool // gives its permit back at once
	expires time.Duration
}

// permits says how an ask was answered.
const permits = "permit"

func (m *model) answer(a *modelAsk, what string) {
	m.log = append(m.log, fmt.Sprint(a.id, " ", what))
	if what == permits && a.brief {
		m.release()
	}
}

func (m *model) enqueue(id int, brief bool) {
	a := &modelAsk{id: id, brief: brief}
	switch {
	case m.running < m.limit && len(m.waiting) == 0:
		m.running++
		m.count.Admitted++
		m.answer(a, permits)
	case len(m.waiting) < m.places:
		m.count.Queued++
		if m.maxWait > 0 {
			a.expires = m.now + m.maxWait
		}
		m.waiting = append(m.waiting, a)
	default:
		m.count.Refused++
		m.answer(a, "full")
	}
}

func (m *model) try() (ok bool) {
	if m.running < m.limit && len(m.waiting) == 0 {
		m.running++
		m.count.Admitted++
		return true
	}
	m.count.Refused++
	return false
}

func (m *model) release() {
	m.running--
	m.admit()
}

// admit admits all that there is room for, before any of them is told.
func (m *model) admit() {
	var admitted []*modelAsk
	for m.running < m.limit && len(m.waiting) > 0 {
		admitted = append(admitted, m.waiting[0])
		m.waiting = m.waiting[1:]
		m.running++
		m.count.Admitted++
	}
	for _, a := range admitted {
		m.answer(a, permits)
	}
}

func (m *model) cancel(id int) bool {
	i := slices.IndexFunc(m.waiting, func(a *modelAsk) bool { return a.id == id })
	if i < 0 {
		return false
	}
	m.waiting = slices.Delete(slices.Clone(m.waiting), i, i+1)
	m.count.GaveUp++
	return true
}

func (m *model) advance(d time.Duration) {
	m.now += d
	byDeadline := slices.Clone(m.waiting)
	slices.SortStableFunc(byDeadline, func(a, b *modelAsk) int { return int(a.expires - b.expires) })
	for _, a := range byDeadline {
		if a.expires > 0 && a.expires <= m.now {
			m.waiting = slices.DeleteFunc(slices.Clone(m.waiting), func(b *modelAsk) bool { return a == b })
			m.count.TimedOut++
			m.answer(a, "timed_out")
		}
	}
}

func (m *model) reconfigure(cfg bulkhead.Config) {
	m.limit, m.places, m.maxWait = cfg.MaxConcurrent, max(cfg.MaxWaiting, 0), 0
	if m.places > 0 {
		m.maxWait = cfg.MaxWait
		if cfg.MaxWait == 0 {
			m.maxWait = time.Second
		}
		m.maxWait = max(m.maxWait, 0)
	}
	m.admit()
}

// randomConfig returns small numbers, with everything full most of the time.
func randomConfig(rnd *rand.Rand) bulkhead.Config {
	cfg := bulkhead.Config{MaxConcurrent: 1 + rnd.IntN(5), MaxWaiting: rnd.IntN(6)}
	if cfg.MaxWaiting == 0 {
		return cfg
	}
	switch rnd.IntN(4) {
	case 0:
		cfg.MaxWait = off
	case 1, 2:
		cfg.MaxWait = time.Duration(1+rnd.IntN(20)) * time.Millisecond
	}
	return cfg
}

// Whatever is asked in whatever order, the bulkhead answers as the model does: the same
// callers, in the same order, with the same numbers.
func TestLikeTheModel(t *testing.T) {
	runs, steps := 300, 400
	if testing.Short() {
		runs = 60
	}
	for seed := range runs {
		if !t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { likeTheModel(t, uint64(seed), steps) }) {
			return
		}
	}
}

func likeTheModel(t *testing.T, seed uint64, steps int) {
	rnd := rand.New(rand.NewPCG(seed, 1))
	cfg := randomConfig(rnd)
	r, m := newRig(t, cfg), &model{}
	m.reconfigure(cfg)

	var log []string
	var held []*bulkhead.Permit // in the order in which they were given
	cancels := map[int]func() bool{}

	for step := range steps {
		what := ""
		switch k := rnd.IntN(100); {
		case k < 35:
			id, brief := step, rnd.IntN(4) == 0
			what = fmt.Sprint("enqueue ", id, brief)
			m.enqueue(id, brief)
			cancels[id] = r.Enqueue(func(p bulkhead.Permit, err error) {
				answer := permits
				if err != nil {
					answer = rejection(t, err).Reason.String()
				}
				log = append(log, fmt.Sprint(id, " ", answer))
				switch {
				case err != nil:
					p.Release() // does nothing
				case brief:
					p.Release()
				default:
					held = append(held, &p)
				}
			})
		case k < 45:
			what = "try"
			p, err := r.TryAcquire()
			equal(t, "try", err == nil, m.try())
			if err == nil {
				held = append(held, &p)
			}
		case k < 75:
			what = "release"
			if len(held) == 0 {
				continue
			}
			i := rnd.IntN(len(held))
			p := held[i]
			held = slices.Delete(held, i, i+1)
			m.release()
			p.Release()
			p.Release() // K39
		case k < 83:
			id := rnd.IntN(step + 1)
			what = fmt.Sprint("cancel ", id)
			if cancel := cancels[id]; cancel != nil {
				equal(t, what, cancel(), m.cancel(id))
			}
		case k < 96:
			d := time.Duration(rnd.IntN(10)) * time.Millisecond
			what = fmt.Sprint("advance ", d)
			m.advance(d)
			r.clock.Advance(d)
		default:
			cfg := randomConfig(rnd)
			what = fmt.Sprintf("reconfigure %+v", cfg)
			m.reconfigure(cfg)
			equal(t, "Reconfigure", r.Reconfigure(cfg), nil)
		}

		s := r.Snapshot()
		equal(t, "running", s.Running, m.running)
		equal(t, "permits held", len(held), m.running)
		equal(t, "limit", s.Limit, m.limit)
		equal(t, "available", s.Available, max(m.limit-m.running, 0))
		equal(t, "waiting", s.Waiting, len(m.waiting))
		equal(t, "counters", s.Counters, m.count)
		equal(t, "answers", log, m.log)
		if t.Failed() {
			t.Fatalf("seed %d, step %d: %s", seed, step, what)
		}
	}

	for len(held) > 0 {
		p := held[0]
		held = held[1:]
		p.Release()
	}
	r.now(0, 0)
	equal(t, "timers left", r.clock.Pending(), 0)
}
