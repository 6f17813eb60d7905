package events

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// A model keeps its events in a plain list, in order of insertion, and looks
// through all of it for the next one.
type model []modelEvent

type modelEvent struct {
	at   time.Duration
	kind uint8
	slot uint32
}

func (m *model) pop() modelEvent {
	best := 0
	for i, e := range *m {
		if e.at < (*m)[best].at {
			best = i
		}
	}
	e := (*m)[best]
	*m = slices.Delete(*m, best, best+1)
	return e
}

func TestQueueEqualsAModel(t *testing.T) {
	for seed := range uint64(200) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 0))
			span := 1 + rng.IntN(50) // of times: small ones make many ties
			pushes := 1 + rng.IntN(9)
			var q Queue
			var m model
			for range 600 {
				if rng.IntN(10) < pushes || len(m) == 0 {
					e := modelEvent{time.Duration(rng.IntN(span)), uint8(rng.IntN(MaxKind + 1)), rng.Uint32N(MaxSlot + 1)}
					q.Push(e.at, e.kind, e.slot)
					m = append(m, e)
				} else {
					want := m.pop()
					at, ok := q.Next()
					equal(t, "Next", at, want.at)
					equal(t, "Next", ok, true)
					got := q.Pop()
					equal(t, "event", modelEvent{got.At, got.Kind(), got.Slot()}, want)
				}
				equal(t, "Len", q.Len(), len(m))
				if t.Failed() {
					return
				}
			}
		})
	}
}
