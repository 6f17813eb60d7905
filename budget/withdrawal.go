package budget

import "github.com/switchgear-go/switchgear"

// A Withdrawal is the right to make one extra attempt, and the duty to say what came
// of it: Settle once the attempt has ended, Cancel if it was never made. What comes
// after the first of them does nothing, so that
//
//	defer w.Cancel()
//
// is the safe habit. A Withdrawal is a small value and may be moved, but must not be
// settled through two copies. It is not itself safe for concurrent use. The zero
// Withdrawal is settled.
type Withdrawal struct {
	b    *Budget
	mark int64
}

// Settle says how the extra attempt ended.
func (w *Withdrawal) Settle(o switchgear.Outcome) {
	b := w.b
	if b == nil {
		return
	}
	w.b = nil
	b.account.settle(w.mark, o)
	b.settled.Add(1)
	b.check()
}

// Cancel says that the extra attempt was not made and will not be, and gives back what
// it took. Cancelling an attempt that has reached the dependency is wrong: settle it
// as [switchgear.Ignored].
func (w *Withdrawal) Cancel() {
	b := w.b
	if b == nil {
		return
	}
	w.b = nil
	b.account.cancel(w.mark)
	b.cancelled.Add(1)
	b.check()
}
