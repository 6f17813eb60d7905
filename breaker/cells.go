package breaker

import (
	"math"
	"runtime"
	"sync/atomic"
	"unsafe"
)

// A cell counts what happens on one stripe of the callers, so that callers on
// different processors do not write to the same memory (rule K1). It fills a
// cache line.
type cell struct {
	// good counts successes that need nothing but counting. Its upper half is
	// the tag of the period it counts for, its lower half the count. A caller
	// adds one with compare-and-swap, and only while the tag is that of its own
	// permit's period. So a success is counted if and only if its period has
	// not ended, without any lock (rule S5). A reconfiguration changes the tag
	// of the period, so that nothing is counted by rules that are gone. A sealed
	// cell has tag 0, which belongs to no period: whoever meets it goes the slow
	// way, under the lock.
	good atomic.Uint64

	// rejected and late are lifetime counts (rule N1); they need no fence.
	rejected atomic.Uint64
	late     atomic.Uint64

	_ [cacheLine - 24]byte
}

const (
	cacheLine = 64
	countBits = 32
	countMask = 1<<countBits - 1
	maxCells  = 64
)

// cells is the set of stripes of one breaker; its length is a power of two.
type cells []cell

// newCells makes two stripes a processor: goroutines are spread over them by
// chance, and the spare ones keep collisions rare.
func newCells() cells {
	n := 1
	for n < 2*runtime.GOMAXPROCS(0) && n < maxCells {
		n *= 2
	}
	return make(cells, n)
}

// mine returns the calling goroutine's stripe. Goroutines have stacks of their
// own, so the address of a local variable tells them apart, and it costs
// nothing. Any answer is correct; a good one avoids sharing.
func (c cells) mine() *cell {
	var local byte
	h := uintptr(unsafe.Pointer(&local)) >> 11 // stacks are 2 KiB or more
	h ^= h >> 7
	return &c[h&uintptr(len(c)-1)]
}

// count adds one to the cell if it counts for the period with this tag. It
// may fail for no other reason than another caller on the same cell.
func (c *cell) count(tag uint64) bool {
	w := c.good.Load()
	// Equal tags, and the count's top bit clear: one comparison for both. A
	// count that large is booked and restarted on the slow way.
	return (w^tag)>>(countBits-1) == 0 && c.good.CompareAndSwap(w, w+1)
}

// open lets every cell count for the period with this tag, from zero. The
// caller holds the lock and has sealed the cells before.
func (c cells) open(tag uint64) {
	for i := range c {
		c[i].good.Store(tag)
	}
}

// seal stops all cells and returns the sum of their counts. Once it returns,
// no success is counted any more until the cells are opened again.
func (c cells) seal() (sum int64) {
	for i := range c {
		sum += int64(c[i].good.Swap(0) & countMask)
	}
	return sum
}

// sum reads the counts while callers may go on counting. As counts only grow,
// the answer is what they added up to at some instant during the call.
func (c cells) sum() (sum int64) {
	for i := range c {
		sum += int64(c[i].good.Load() & countMask)
	}
	return sum
}

func (c cells) rejected() (n uint64) {
	for i := range c {
		n += c[i].rejected.Load()
	}
	return n
}

func (c cells) late() (n uint64) {
	for i := range c {
		n += c[i].late.Load()
	}
	return n
}

// nextFence returns the number after n. Its lower half makes a tag, and tag 0
// means sealed, so numbers whose lower half is zero are left out.
func nextFence(n uint64) uint64 {
	n++
	if n&math.MaxUint32 == 0 {
		n++
	}
	return n
}
