package bulkhead

// All that a call needs to know where there is room stands in one word, so that one
// compare-and-swap decides, whatever else goes on:
//
//	bits 0 to 31    room: how many permits are left, plus bias, since a lowered limit
//	                can make it negative
//	bit 32          held: callers wait, or somebody is at work under the lock
//	bits 33 to 63   how many permits were given out since these were booked last
//
// While held is set, only the holder of the lock changes the word: everybody else finds
// the bit, or fails to swap, and goes for the lock. That is why nobody can overtake the
// queue, and why the limit, the queue and the word are always changed as one.
const (
	permit   = 1
	bias     = 1 << 31
	held     = 1 << 32
	given    = 1 << 33
	mustBook = 1 << 63 // half of the numbers are used up; the slow way books them

	// maxLimit leaves room for limit and negative room without overflow: at worst a
	// bulkhead of this size with all permits out is reconfigured to 1.
	maxLimit = 1<<30 - 1
)

// roomIn returns how many permits are left. It is negative while more are out than a
// lowered limit allows.
func roomIn(word uint64) int64 { return int64(uint32(word)) - bias }

// take takes a permit the fast way. It returns false if there is none, or if the lock
// is needed to tell.
func (b *Bulkhead) take() bool {
	for {
		w := b.word.Load()
		if w&(held|mustBook) != 0 || uint32(w) <= bias {
			return false
		}
		if b.word.CompareAndSwap(w, w+given-permit) {
			return true
		}
	}
}

// release gives a permit back, the fast way if it can. It takes the lock if somebody is
// there to have the permit, and also if all permits seem to be there already: then the
// limit was changed in between, or a copy of a released permit was released again, and
// only under the lock can the two be told apart.
func (b *Bulkhead) release() {
	for {
		w := b.word.Load()
		if w&held != 0 || roomIn(w) >= b.limit.Load() {
			b.handOver()
			return
		}
		if b.word.CompareAndSwap(w, w+permit) {
			return
		}
	}
}

// lock takes the lock and with it the word, and books what the word has counted.
func (b *Bulkhead) lock() {
	b.mu.Lock()
	w := b.word.Or(held)
	b.word.Store(w&(given-1) | held)
	b.admitted += w / given
}

// unlock gives the lock back, and the word too if nobody waits. Then it tells those
// who were taken out of the queue, and the listeners, what has happened.
func (b *Bulkhead) unlock() {
	if b.queue.n == 0 {
		b.word.And(^uint64(held))
	}
	due := b.due
	b.due = queue{}
	b.mu.Unlock()
	b.events.Deliver()
	due.call(b)
}

// admitOne takes a permit if there is one. Called under the lock.
func (b *Bulkhead) admitOne() bool {
	w := b.word.Load()
	if roomIn(w) <= 0 {
		return false
	}
	b.word.Store(w - permit)
	b.admitted++
	return true
}

// running returns how many permits are out. Called under mu, without which limit and
// word do not belong together.
func (b *Bulkhead) running() int64 { return b.limit.Load() - roomIn(b.word.Load()) }
