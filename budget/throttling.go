package budget

import (
	"sync/atomic"

	"github.com/switchgear-go/switchgear"
)

// thousand is one token: gRFC A6 wants three decimals, and whole thousandths keep them
// exactly.
const thousand = 1000

// throttling is an account that weighs successes against failures.
type throttling struct {
	most, ratio int64 // thousandths
	tokens      atomic.Int64
}

func newThrottling(most, ratio int64) *throttling {
	t := &throttling{most: most, ratio: ratio}
	t.tokens.Store(most)
	return t
}

func (*throttling) begin() {}

// end books any attempt, first or not: to the dependency they are all alike.
func (t *throttling) end(o switchgear.Outcome) {
	switch o {
	case switchgear.Success:
		shift(&t.tokens, t.ratio, t.most)
	case switchgear.Failure:
		shift(&t.tokens, -thousand, t.most)
	}
}

func (t *throttling) withdraw(bool) (int64, bool) { return 0, 2*t.tokens.Load() > t.most }

func (t *throttling) settle(_ int64, o switchgear.Outcome) { t.end(o) }

func (*throttling) cancel(int64) {}

func (t *throttling) level() level {
	n := t.tokens.Load()
	return level{
		available: float64(n) / thousand, capacity: float64(t.most) / thousand,
		grants: 2*n > t.most,
		// The lower half allows nothing, so half of the upper half has to be free.
		recovered: 4*n >= 3*t.most,
	}
}
