package events

import (
	"testing"
	"time"
	"unsafe"
)

func TestEvent(t *testing.T) {
	equal(t, "bytes of an event", unsafe.Sizeof(Event{}), 16)
	var q Queue
	q.Push(3*time.Second, MaxKind, MaxSlot)
	e := q.Pop()
	equal(t, "At", e.At, 3*time.Second)
	equal(t, "Kind", e.Kind(), MaxKind)
	equal(t, "Slot", e.Slot(), MaxSlot)
	equal(t, "Seq", e.Seq(), 1)
}

func TestQueue(t *testing.T) {
	t.Run("empty", func(t *testing.T) {
		var q Queue
		_, ok := q.Next()
		equal(t, "Next", ok, false)
		equal(t, "Len", q.Len(), 0)
	})
	t.Run("equal times come out in the order they went in, whatever their kind and slot", func(t *testing.T) {
		var q Queue
		for i := range uint32(100) {
			q.Push(time.Second, uint8(i*7)%5, 1000-i)
		}
		for i := range uint32(100) {
			equal(t, "Slot", q.Pop().Slot(), 1000-i)
		}
	})
	t.Run("Seq tells events apart", func(t *testing.T) {
		var q Queue
		first, second := q.Push(2, 0, 0), q.Push(1, 0, 0)
		equal(t, "first out", q.Pop().Seq(), second)
		equal(t, "then", q.Pop().Seq(), first)
		equal(t, "Pushed", q.Pushed(), 2)
	})
	t.Run("Reset", func(t *testing.T) {
		var q Queue
		q.Push(1, 0, 0)
		q.Reset()
		equal(t, "Len", q.Len(), 0)
		equal(t, "Seq", q.Push(1, 0, 0), 1)
	})
}

func TestQueueDoesNotAllocate(t *testing.T) {
	var q Queue
	for i := range time.Duration(100) {
		q.Push(i, 0, 0)
	}
	equal(t, "allocations", testing.AllocsPerRun(1000, func() {
		e := q.Pop()
		q.Push(e.At+100, 1, 2)
	}), 0)
}
