package hedge

import (
	"context"
	"testing"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/budget"
)

func TestBeginPlain(t *testing.T) {
	ctx := context.Background()
	b := budget.Must(budget.New("stock", budget.Config{Kind: budget.Throttling}))
	own := Must(New("stock", Config{}, WithBudget(b)))
	shared := Must(New("stock", Config{}, WithSharedBudget(b)))
	none := Must(New("stock", Config{}))
	tokens := func() float64 { return b.Snapshot().Available }

	if own.BeginPlain(Safe(ctx)) {
		t.Error("a call that can be hedged was begun as a plain one")
	}
	if n := own.Counters().Calls; n != 0 {
		t.Errorf("calls: got %d, want 0", n)
	}
	for name, h := range map[string]*Hedge{"own": own, "shared": shared, "none": none} {
		before := tokens()
		for range 4 {
			if !h.BeginPlain(ctx) {
				t.Errorf("%s: a plain call was not begun", name)
			}
			h.EndPlain(switchgear.Failure)
		}
		if c := h.Counters(); c.Calls != 4 || c.Plain != 4 {
			t.Errorf("%s: got %d calls, %d of them plain, want 4", name, c.Calls, c.Plain)
		}
		if told := tokens() < before; told != (name == "own") {
			t.Errorf("%s: the budget was told: %v", name, told)
		}
	}
	if own.Budget() != b || shared.Budget() != b || none.Budget() != nil {
		t.Error("another budget than was given")
	}
}

func TestMarked(t *testing.T) {
	ctx := context.Background()
	for name, c := range map[string]struct {
		ctx        context.Context
		safe, isIt bool
	}{
		"nothing":           {ctx, false, false},
		"safe":              {Safe(ctx), true, true},
		"unsafe":            {Unsafe(ctx), false, true},
		"the innermost one": {Unsafe(Safe(ctx)), false, true},
	} {
		if safe, ok := Marked(c.ctx); safe != c.safe || ok != c.isIt {
			t.Errorf("%s: got %v, %v", name, safe, ok)
		}
	}
}
