package budget

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/clock"
)

const (
	// whole is one extra attempt in the units of the rule. A share in hundredths of
	// a percent, times calls, comes out in these units, so nothing is ever rounded.
	whole = 100_00

	// buckets divide the window. It is a power of two, so that the ring of buckets
	// stays in step when the 32-bit bucket number wraps.
	buckets = 16
)

// ratio is an account that compares extra attempts with calls, both of the last
// seconds.
//
// Each is counted in a ring of buckets. A bucket is one word: its number in the upper
// half, so that one of an earlier turn of the ring is recognised, and the count in the
// lower half. No bucket has to be emptied when time moves on.
type ratio struct {
	clk   clock.Clock
	span  time.Duration // of a bucket
	share int64         // units a call allows
	floor int64         // units a window allows without calls

	calls ring

	// taken counts withdrawals. It is written under mu, so that what is checked is
	// still true when it is granted. version is even while nobody writes: readers
	// tell by it whether they saw one state of all buckets.
	taken   ring
	version atomic.Uint64
	mu      sync.Mutex
}

type ring [buckets]atomic.Uint64

func newRatio(clk clock.Clock, window time.Duration, share, floor int64) *ratio {
	r := &ratio{clk: clk, span: (window + buckets - 1) / buckets, share: share, floor: floor}
	before := uint64(r.now()-1) << 32
	for i := range buckets {
		r.calls[i].Store(before)
		r.taken[i].Store(before)
	}
	return r
}

// now returns the number of the current bucket.
func (r *ratio) now() uint32 { return uint32(int64(r.clk.Mono() / r.span)) }

// sum adds up the window that ends with bucket now.
func (g *ring) sum(now uint32) (n int64) {
	for i := range g {
		if w := g[i].Load(); now-uint32(w>>32) < buckets {
			n += int64(uint32(w))
		}
	}
	return n
}

func (r *ratio) begin() {
	now := r.now()
	word := &r.calls[now%buckets]
	for {
		w := word.Load()
		next := w + 1
		switch ahead := uint32(w>>32) - now; {
		case ahead > math.MaxInt32: // a bucket of an earlier turn
			next = uint64(now)<<32 | 1
		case uint32(w) == math.MaxUint32:
			return
		}
		// A bucket that is ahead means that this goroutine slept for a whole
		// window: the call is counted now instead of then.
		if word.CompareAndSwap(w, next) {
			return
		}
	}
}

func (*ratio) end(switchgear.Outcome) {}

// fits reports whether one more extra attempt is within the rule.
func (r *ratio) fits(now uint32) bool { return r.free(now) >= whole }

// free returns the units left; less than none when calls have left the window before
// the attempts that they allowed.
func (r *ratio) free(now uint32) int64 { return r.allowed(now) - r.taken.sum(now)*whole }

func (r *ratio) allowed(now uint32) int64 { return r.calls.sum(now)*r.share + r.floor }

func (r *ratio) withdraw(bool) (int64, bool) {
	// When the budget is used up everybody asks and nobody gets: that takes no
	// lock. Calls only grow in number, so if no withdrawal was booked meanwhile, the
	// answer was right at the instant of the first reading.
	if v := r.version.Load(); v%2 == 0 && !r.fits(r.now()) && r.version.Load() == v {
		return 0, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now() // read under the lock, so that no withdrawal is ahead of it
	if !r.fits(now) {
		return 0, false
	}
	r.version.Add(1)
	word := &r.taken[now%buckets]
	if w := word.Load(); uint32(w>>32) == now {
		word.Store(w + 1)
	} else {
		word.Store(uint64(now)<<32 | 1)
	}
	r.version.Add(1)
	return int64(now), true
}

func (*ratio) settle(int64, switchgear.Outcome) {}

// cancel takes a withdrawal out of its bucket, unless it has left the window anyway.
func (r *ratio) cancel(mark int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	word := &r.taken[uint32(mark)%buckets]
	if w := word.Load(); uint32(w>>32) == uint32(mark) && uint32(w) > 0 {
		r.version.Add(1)
		word.Store(w - 1)
		r.version.Add(1)
	}
}

func (r *ratio) level() level {
	now := r.now()
	allowed := r.allowed(now)
	free := allowed - r.taken.sum(now)*whole
	return level{
		available: float64(max(free, 0)) / whole,
		capacity:  float64(allowed) / whole,
		grants:    free >= whole,
		recovered: free >= whole && 2*free >= allowed,
	}
}
