package hedge

import (
	"context"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/budget"
)

// BeginPlain is for those who make calls themselves and want to spare the cost of a
// race where there will be none. If the call that ctx belongs to can be hedged, it
// returns false and has done nothing. Otherwise the call is counted, and its owner makes
// it once and ends it with [Hedge.EndPlain].
func (h *Hedge) BeginPlain(ctx context.Context) bool {
	if h.hedgeable(ctx) {
		return false
	}
	h.beginPlain()
	return true
}

// EndPlain says how a call ended that [Hedge.BeginPlain] began.
func (h *Hedge) EndPlain(o switchgear.Outcome) {
	if h.budget != nil && !h.shared {
		h.budget.End(o)
	}
}

// Budget returns the budget that extra attempts draw on, nil if there is none.
func (h *Hedge) Budget() *budget.Budget { return h.budget }
