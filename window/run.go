package window

import "iter"

// A Run is a number of like outcomes, one after another.
type Run struct {
	N      int64
	Failed bool
	Slow   bool
}

// Runs returns the content of the window as runs of like outcomes, oldest first,
// each as long as it can be: the compact form in which to keep a window over a
// restart. Giving the runs to [Count.Add] of an empty window of the same size
// restores the content. The window must not be changed while it is read.
func (c *Count) Runs() iter.Seq[Run] {
	return func(yield func(Run) bool) {
		if c.allGood() {
			if c.total.Calls > 0 {
				yield(Run{N: c.total.Calls})
			}
			return
		}
		var run Run
		for i := range c.total.Calls {
			p := c.next - c.total.Calls + i
			if p < 0 {
				p += c.size
			}
			failed, slow := c.at(p)
			if run.N > 0 && (failed != run.Failed || slow != run.Slow) {
				if !yield(run) {
					return
				}
				run.N = 0
			}
			run = Run{N: run.N + 1, Failed: failed, Slow: slow}
		}
		yield(run)
	}
}

// Add adds the outcomes of a run, like as many calls of Record. Of more than the
// window can hold only its size counts, and a run of zero or fewer adds nothing, so
// a run from a source that is not trusted does no harm.
func (c *Count) Add(run Run) {
	if !run.Failed && !run.Slow {
		c.Good(0, run.N)
		return
	}
	for range min(run.N, c.size) {
		c.Record(0, run.Failed, run.Slow)
	}
}

// at returns what the outcome at position p of the ring was.
func (c *Count) at(p int64) (failed, slow bool) {
	word, bit := p/64, uint64(1)<<(p%64)
	return c.failed[word]&bit != 0, c.slow != nil && c.slow[word]&bit != 0
}
