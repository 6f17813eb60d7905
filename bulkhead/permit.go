package bulkhead

// A Permit is the right to make one call. Give it back with Release when the call has
// ended; what comes after the first Release does nothing, so that
//
//	defer permit.Release()
//
// is the safe habit. A Permit is one pointer and may be moved, into the wrapper of a
// response body for instance, but its copies do not know of each other: release one of
// them only. A Permit itself is not safe for concurrent use.
//
// The zero Permit is released.
type Permit struct{ b *Bulkhead }

// Release gives the permit back. If somebody waits, the first in the queue has it from
// then on, and if that is a callback of [Bulkhead.Enqueue], it runs before Release
// returns.
func (p *Permit) Release() {
	if b := p.b; b != nil { // small enough to be inlined, so that p can be in a register
		p.b = nil
		b.release()
	}
}
