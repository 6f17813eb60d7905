package event

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A modelQueue is a queue as one would first think of it: it keeps everything.
type modelQueue struct {
	keep, limit int
	all         []slot
	next        int
	dropped     uint64
}

func (m *modelQueue) push(e Event, held bool) {
	m.all = append(m.all, slot{e, held})
	if len(m.all)-m.next > m.limit {
		m.next++
		m.dropped++
	}
}

func (m *modelQueue) pop() (Event, bool) {
	if m.next == len(m.all) || m.all[m.next].held {
		return Event{}, false
	}
	m.next++
	return m.all[m.next-1].event, true
}

func (m *modelQueue) recent() []Event {
	events := []Event{}
	for _, sl := range m.all[max(0, len(m.all)-m.keep):] {
		events = append(events, sl.event)
	}
	return events
}

func TestQueueEqualsModel(t *testing.T) {
	for seed := range uint64(100) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		keep, limit := rnd.IntN(20), 1+rnd.IntN(20)
		q := &queue{keep: uint64(keep), limit: uint64(limit)}
		m := &modelQueue{keep: keep, limit: limit}
		popBias := 1 + rnd.IntN(8) // so that some runs hover at empty, some at full

		for step := range 500 {
			switch n := rnd.IntN(10); {
			case n < popBias:
				e, ok := q.pop()
				me, mok := m.pop()
				equal(t, "popped", e, me)
				equal(t, "pop ok", ok, mok)
			case n < 9:
				e := Event{Seq: q.end + 1}
				held := rnd.IntN(4) == 0
				q.push(e, held)
				m.push(e, held)
			default: // release one
				if len(m.all) == 0 {
					continue
				}
				i := max(0, len(m.all)-1-rnd.IntN(25))
				sl := q.find(uint64(i))
				if wanted := i >= m.next || i >= len(m.all)-keep; wanted != (sl != nil) {
					t.Fatalf("seed %d step %d: event %d found: %t, want %t", seed, step, i, sl != nil, wanted)
				}
				if sl != nil {
					sl.held = false
				}
				m.all[i].held = false
			}

			if !slices.Equal(q.recent(), m.recent()) {
				t.Errorf("recent: got %v, want %v", q.recent(), m.recent())
			}
			equal(t, "dropped", q.dropped, m.dropped)
			equal(t, "waiting", int(q.end-q.next), len(m.all)-m.next)
			equal(t, "ready", q.ready(), m.next < len(m.all) && !m.all[m.next].held)
			if most := slotsFor(uint64(max(keep, limit))); uint64(len(q.slots)) > most {
				t.Errorf("%d slots, at most %d are of use", len(q.slots), most)
			}
			if step%10 == 0 {
				checkForgotten(t, q)
			}
			if t.Failed() {
				t.Fatalf("seed %d step %d: keep %d, limit %d", seed, step, keep, limit)
			}
		}
	}
}

// checkForgotten checks that a queue holds on to nothing beyond what it shows.
func checkForgotten(t *testing.T, q *queue) {
	t.Helper()
	live := map[*slot]bool{}
	for i := q.first; i < q.end; i++ {
		live[q.at(i)] = true
	}
	equal(t, "slots in use", len(live), int(q.end-q.first))
	for i := range q.slots {
		if sl := &q.slots[i]; !live[sl] && *sl != (slot{}) {
			t.Errorf("slot %d still holds event %d", i, sl.event.Seq)
		}
	}
}

func TestQueueMemory(t *testing.T) {
	t.Run("the buffer grows with need and shrinks after a burst", func(t *testing.T) {
		q := &queue{keep: 10, limit: MaxWaiting}
		q.push(Event{}, false)
		equal(t, "slots at first", len(q.slots), minSlots)
		for range MaxWaiting {
			q.push(Event{}, false)
		}
		equal(t, "slots when full", len(q.slots), MaxWaiting)
		for q.ready() {
			q.pop()
		}
		equal(t, "slots after", len(q.slots), 16)
		equal(t, "remembered", len(q.recent()), 10)
	})
	t.Run("a memory that is a power of two is used in full", func(t *testing.T) {
		q := &queue{keep: 16, limit: MaxWaiting}
		for range 100 {
			q.push(Event{}, false)
			q.pop()
		}
		equal(t, "slots", len(q.slots), 16)
		equal(t, "remembered", len(q.recent()), 16)
	})
	t.Run("discard counts, skip does not", func(t *testing.T) {
		q := &queue{keep: 2, limit: 8}
		q.push(Event{}, false)
		q.skip()
		equal(t, "dropped by skip", q.dropped, 0)
		q.push(Event{}, false)
		q.push(Event{}, true)
		q.discard()
		equal(t, "dropped by discard", q.dropped, 2)
		equal(t, "ready", q.ready(), false)
	})
}
