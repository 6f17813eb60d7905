package events

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// One event out and one in, with so many waiting. The last is what a simulation
// would do with the heap of the standard library.
func BenchmarkQueue(b *testing.B) {
	for _, waiting := range []int{1, 10, 100, 10_000} {
		steps := make([]time.Duration, 4096)
		rng := rand.New(rand.NewPCG(1, 0))
		for i := range steps {
			steps[i] = time.Duration(rng.ExpFloat64() * 1e9)
		}
		b.Run(fmt.Sprint("waiting=", waiting), func(b *testing.B) {
			var q Queue
			for i := range waiting {
				q.Push(steps[i%len(steps)], 0, 0)
			}
			for i := 0; b.Loop(); i++ {
				e := q.Pop()
				q.Push(e.At+steps[i%len(steps)], 0, 0)
			}
		})
		b.Run(fmt.Sprint("container/heap/waiting=", waiting), func(b *testing.B) {
			var h standard
			for i := range waiting {
				heap.Push(&h, Event{At: steps[i%len(steps)]})
			}
			for i := 0; b.Loop(); i++ {
				e := heap.Pop(&h).(Event)
				heap.Push(&h, Event{At: e.At + steps[i%len(steps)]})
			}
		})
	}
}

type standard []Event

func (h standard) Len() int           { return len(h) }
func (h standard) Less(i, j int) bool { return h[i].before(h[j]) }
func (h standard) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *standard) Push(x any)        { *h = append(*h, x.(Event)) }
func (h *standard) Pop() any {
	last := len(*h) - 1
	e := (*h)[last]
	*h = (*h)[:last]
	return e
}
