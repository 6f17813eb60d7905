package window

import (
	"math/bits"
	"time"
)

// A Count window holds the last N outcomes (rule W1). Create it with [NewCount].
//
// It takes two bits per outcome, and only one until it sees its first slow
// outcome: 1.3 KiB for 10,000 outcomes where no call is ever slow. In a window that
// holds good outcomes only, recording another one is no more than counting it, and
// once the window is full not even that: nothing is written (rule K1).
type Count struct {
	size  int64
	total Counts

	// failed and slow hold a bit for each position of a ring; slow is nil until it
	// is needed. The outcomes are in the total.Calls positions before next, the
	// newest just before it. A bit that belongs to no outcome is zero, so that it
	// counts nothing when it is overwritten. While all bits are zero it makes no
	// difference where next is, and it stays where it is.
	next   int64
	failed []uint64
	slow   []uint64
}

// NewCount returns an empty window for the last size outcomes. A size below 1 is
// taken as 1; there is no upper bound but memory. Bounds are the owner's to check.
func NewCount(size int) *Count {
	size = max(size, 1)
	return &Count{size: int64(size), failed: make([]uint64, (size-1)/64+1)}
}

// Record adds one outcome, and lets go of the oldest if the window is full. O(1).
func (c *Count) Record(_ time.Duration, failed, slow bool) {
	if c.total.Calls < c.size {
		c.total.Calls++
	}
	if !failed && !slow && c.allGood() {
		return
	}
	if slow && c.slow == nil {
		c.slow = make([]uint64, len(c.failed))
	}
	// Put the outcome in the place of the oldest, and add the difference that makes.
	// There is no branch on what the two were, because in a mixture of outcomes the
	// processor would guess it wrong too often.
	word, shift := c.next/64, c.next%64
	is, was := bit(failed), c.failed[word]>>shift&1
	c.failed[word] ^= (is ^ was) << shift
	c.total.Failed += int64(is - was)
	if c.slow != nil {
		isSlow, wasSlow := bit(slow), c.slow[word]>>shift&1
		c.slow[word] ^= (isSlow ^ wasSlow) << shift
		c.total.Slow += int64(isSlow - wasSlow)
		c.total.SlowFailed += int64(is&isSlow - was&wasSlow)
	}
	c.next++
	if c.next == c.size {
		c.next = 0
	}
}

// Good adds n outcomes that were neither failed nor slow; an n of zero or less adds
// none. It takes a step per 64 outcomes, for at most the window's size, and a
// single one if the window holds good outcomes only.
func (c *Count) Good(_ time.Duration, n int64) {
	if n <= 0 {
		return
	}
	n = min(n, c.size)
	if c.total.Calls < c.size {
		c.total.Calls = min(c.total.Calls+n, c.size)
	}
	if c.allGood() {
		return
	}
	end := c.next + n
	if end < c.size {
		c.evict(c.next, end)
		c.next = end
		return
	}
	c.evict(c.next, c.size)
	c.next = end - c.size
	c.evict(0, c.next)
}

// Counts returns the counts of the outcomes in the window. O(1).
func (c *Count) Counts(time.Duration) Counts { return c.total }

// Reset empties the window.
func (c *Count) Reset() {
	if !c.allGood() {
		clear(c.failed)
		clear(c.slow)
	}
	c.total = Counts{}
}

// Resize returns a new window for the last size outcomes, which holds the newest of
// this one, as many as fit: what the smaller of the two would hold (rule W6). This
// one stays as it is. O(size of this one).
func (c *Count) Resize(size int) *Count {
	resized := NewCount(size)
	for run := range c.Runs() {
		resized.Add(run)
	}
	return resized
}

// allGood reports that no outcome in the window was failed or slow: every bit is zero.
func (c *Count) allGood() bool { return c.total.Failed == 0 && c.total.Slow == 0 }

// evict zeroes the bits of the positions from ≤ p < to and takes what they said off
// the totals.
func (c *Count) evict(from, to int64) {
	for from < to {
		word := from / 64
		end := min(to, (word+1)*64)
		mask := ^uint64(0) << (from % 64) & (^uint64(0) >> (-end & 63))
		failed := c.failed[word] & mask
		c.failed[word] ^= failed
		c.total.Failed -= int64(bits.OnesCount64(failed))
		if c.slow != nil {
			slow := c.slow[word] & mask
			c.slow[word] ^= slow
			c.total.Slow -= int64(bits.OnesCount64(slow))
			c.total.SlowFailed -= int64(bits.OnesCount64(failed & slow))
		}
		from = end
	}
}

// bit returns 1 for true, which compiles to a move, not a branch.
func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
