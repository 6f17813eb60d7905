package inject_test

import (
	"context"
	"math/rand"
	"slices"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/inject"
)

// A model is an injector written down as plainly as can be.
type model struct {
	faults []inject.Fault
	hang   time.Duration
	random *rand.Rand
	on     bool
	until  time.Duration

	counters inject.Counters
	struck   []uint64
}

func (m *model) draw(now time.Duration, key string) (e inject.Effect, struck bool) {
	if !m.on || now >= m.until {
		return e, false
	}
	m.counters.Calls++
	for n, f := range m.faults {
		if f.Keys != nil && !slices.Contains(f.Keys, key) {
			continue
		}
		if f.Probability == 0 || f.Probability < 100 && m.random.Float64()*100 >= float64(f.Probability) {
			continue
		}
		if !struck {
			m.counters.Disturbed++
		}
		struck = true
		m.struck[n]++
		err := &inject.Error{Name: "stock", Kind: f.Kind, Message: f.Message}
		switch f.Kind {
		case inject.Latency:
			if e.Delay == 0 {
				m.counters.Delayed++
			}
			e.Delay += f.Delay
			continue
		case inject.Failure:
			m.counters.Failed++
			e.Err = err
		case inject.Hang:
			m.counters.Hung++
			e.Err, e.Hang = err, m.hang
		case inject.Panic:
			m.counters.Panicked++
			e.Err, e.Panic = err, true
		}
		return e, true
	}
	return e, struck
}

func randomFaults(r *rand.Rand) (faults []inject.Fault) {
	names := []string{"a", "b", "c", "d"}
	for range r.Intn(6) {
		f := inject.Fault{Kind: inject.Kind(1 + r.Intn(4)), Probability: []switchgear.Percent{0, 1, 25, 50, 75, 100}[r.Intn(6)]}
		if r.Intn(2) == 0 {
			f.Keys = names[:1+r.Intn(4)]
		}
		if f.Kind == inject.Latency {
			f.Delay = time.Duration(1+r.Intn(5)) * ms
		}
		faults = append(faults, f)
	}
	return faults
}

// Over random configurations, orders, times and calls, every decision and every count
// is the model's.
func TestAgainstModel(t *testing.T) {
	seed := rand.Int63()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewSource(seed))
	for range 60 {
		chance := r.Int63()
		m := &model{faults: randomFaults(r), hang: 30 * ms, random: rand.New(rand.NewSource(chance))}
		m.struck = make([]uint64, len(m.faults))
		rig := rigWith(t, inject.Config{Faults: m.faults, MaxHang: m.hang}, inject.WithRandom(rand.New(rand.NewSource(chance)).Float64))
		for range 300 {
			switch r.Intn(20) {
			case 0:
				d := time.Duration(1+r.Intn(20)) * ms
				if err := rig.Enable("ana", "test", d); err != nil {
					t.Fatal(err)
				}
				m.on, m.until = true, rig.clock.Mono()+d
			case 1:
				rig.Disable("ana", "")
				m.on = false
			case 2, 3:
				rig.clock.Advance(time.Duration(r.Intn(8)) * ms)
			default:
				key := []string{"", "a", "b", "c", "d", "e"}[r.Intn(6)]
				got, gotStruck := rig.Draw(inject.WithKey(context.Background(), key))
				want, wantStruck := m.draw(rig.clock.Mono(), key)
				equal(t, "struck", gotStruck, wantStruck)
				equal(t, "effect", got, want)
			}
			s := rig.Snapshot()
			equal(t, "on", s.On, m.on && rig.clock.Mono() < m.until)
			equal(t, "counters", s.Counters, m.counters)
			equal(t, "struck by fault", s.Struck, m.struck)
			if t.Failed() {
				t.Fatalf("faults: %+v", m.faults)
			}
		}
		// The events of all periods together tell all that was done.
		rig.Disable("ana", "")
		var told inject.Counters
		for n, e := range rig.heard {
			equal(t, "seq", e.Seq, uint64(n+1))
			if c, ok := e.Detail.(*inject.Change); ok {
				told.Calls += c.Counters.Calls
				told.Disturbed += c.Counters.Disturbed
				told.Delayed += c.Counters.Delayed
				told.Failed += c.Counters.Failed
				told.Hung += c.Counters.Hung
				told.Panicked += c.Counters.Panicked
			}
		}
		equal(t, "told in events", told, m.counters)
		equal(t, "timers left", rig.clock.Pending(), 0)
	}
}
