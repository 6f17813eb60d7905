package clock

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// A model keeps its timers in a plain list and searches it anew for every step.
type model struct {
	now    time.Duration
	timers []modelTimer
}

type modelTimer struct {
	due time.Duration
	id  int // in order of creation
}

func (m *model) add(d time.Duration, id int) {
	m.timers = append(m.timers, modelTimer{m.now + max(d, 0), id})
}

func (m *model) stop(id int) bool {
	n := len(m.timers)
	m.timers = slices.DeleteFunc(m.timers, func(t modelTimer) bool { return t.id == id })
	return len(m.timers) < n
}

// next returns the index of the timer to run next, or -1.
func (m *model) next() int {
	best := -1
	for i, t := range m.timers {
		// The list is in order of creation, so the first of equals wins.
		if best < 0 || t.due < m.timers[best].due {
			best = i
		}
	}
	return best
}

func TestVirtualEqualsAModel(t *testing.T) {
	for seed := range uint64(150) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 0))
			v := NewVirtual(start)
			var m model
			var timers []Timer // by id

			// Every callback checks that it is the one the model would run next, at
			// the same instant, and now and then does something itself.
			var fire func(id int)
			add := func() {
				d := time.Duration(rng.IntN(12) - 2)
				id := len(timers)
				m.add(d, id)
				timers = append(timers, v.AfterFunc(d, func() { fire(id) }))
			}
			stop := func() {
				if len(timers) == 0 {
					return
				}
				id := rng.IntN(len(timers))
				equal(t, "Stop", timers[id].Stop(), m.stop(id))
			}
			advance := func() {
				target := v.Mono() + time.Duration(rng.IntN(8))
				v.AdvanceTo(target)
				if i := m.next(); i >= 0 && m.timers[i].due <= target {
					t.Fatalf("timer %d, due %d, did not run until %d", m.timers[i].id, m.timers[i].due, target)
				}
				m.now = max(m.now, target)
			}
			depth := 0
			fire = func(id int) {
				i := m.next()
				if i < 0 || m.timers[i].id != id {
					t.Fatalf("timer %d ran, the model would run %d of %v", id, i, m.timers)
				}
				m.now = m.timers[i].due
				m.timers = slices.Delete(m.timers, i, i+1)
				equal(t, "Mono in the callback", v.Mono(), m.now)
				switch rng.IntN(8) {
				case 0:
					add()
				case 1:
					stop()
				case 2:
					if depth < 3 {
						depth++
						advance()
						depth--
					}
				}
			}

			for range 300 {
				switch rng.IntN(5) {
				case 0, 1:
					add()
				case 2:
					stop()
				case 3:
					advance()
				case 4:
					want := m.next() >= 0
					equal(t, "Step", v.Step(), want)
				}
				equal(t, "Mono", v.Mono(), m.now)
				equal(t, "Pending", v.Pending(), len(m.timers))
				next, ok := v.Next()
				i := m.next()
				equal(t, "Next", ok, i >= 0)
				if ok && i >= 0 {
					equal(t, "Next", next, m.timers[i].due)
				}
				if t.Failed() {
					return
				}
			}
		})
	}
}
