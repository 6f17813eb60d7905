package budget

import (
	"sync/atomic"

	"github.com/switchgear-go/switchgear"
)

// quota is an account with a pool of tokens.
type quota struct {
	capacity, cost, timeoutCost int64
	tokens                      atomic.Int64
}

func newQuota(capacity, cost, timeoutCost int) *quota {
	q := &quota{capacity: int64(capacity), cost: int64(cost), timeoutCost: int64(timeoutCost)}
	q.tokens.Store(q.capacity)
	return q
}

func (*quota) begin() {}

func (q *quota) end(o switchgear.Outcome) {
	if o == switchgear.Success {
		shift(&q.tokens, 1, q.capacity)
	}
}

func (q *quota) withdraw(timedOut bool) (int64, bool) {
	cost := q.cost
	if timedOut {
		cost = q.timeoutCost
	}
	for {
		t := q.tokens.Load()
		if t < cost {
			return 0, false
		}
		if q.tokens.CompareAndSwap(t, t-cost) {
			return cost, true
		}
	}
}

func (q *quota) settle(mark int64, o switchgear.Outcome) {
	if o == switchgear.Success {
		shift(&q.tokens, mark, q.capacity)
	}
}

func (q *quota) cancel(mark int64) { shift(&q.tokens, mark, q.capacity) }

func (q *quota) level() level {
	t := q.tokens.Load()
	return level{
		available: float64(t), capacity: float64(q.capacity),
		grants: t >= q.cost, recovered: t >= q.cost && 2*t >= q.capacity,
	}
}

// shift adds by to tokens, but keeps them from 0 to most. Where nothing changes, as in
// a healthy service whose pool is full, it does not write: goroutines then share the
// memory without disturbing each other.
func shift(tokens *atomic.Int64, by, most int64) {
	for {
		t := tokens.Load()
		next := min(max(t+by, 0), most)
		if next == t || tokens.CompareAndSwap(t, next) {
			return
		}
	}
}
