package hedge_test

import (
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/hedge"
)

// A race that is used again is as good as a new one, and its budget is settled once.
func TestRaceUsedAgain(t *testing.T) {
	b := budget.Must(budget.New("stock", budget.Config{}))
	h := hedge.Must(hedge.New("stock", hedge.Config{Delay: time.Second, MaxExtra: 2}, hedge.WithBudget(b)))
	good := switchgear.Judgement{Health: switchgear.Success}
	var race hedge.Race
	for range 3 {
		h.BeginInto(&race, 0, true)
		for n := 2; n <= 3; n++ {
			at, ok := race.Next()
			if !ok || at != time.Duration(n-1)*time.Second {
				t.Fatalf("attempt %d is due at %v, %t", n, at, ok)
			}
			if got, ok := race.Start(at); !ok || got != n {
				t.Fatalf("attempt %d, %t, want %d", got, ok, n)
			}
		}
		if v := race.End(2, 3*time.Second, good); v != hedge.Won {
			t.Fatalf("the first good answer: %v", v)
		}
		for _, n := range []int{1, 3} {
			if v := race.End(n, 4*time.Second, good); v != hedge.Late {
				t.Fatalf("the answer of attempt %d: %v", n, v)
			}
		}
	}
	h.BeginInto(&race, 0, false)
	if at, ok := race.Next(); ok {
		t.Errorf("a plain call is hedged at %v", at)
	}
	race.End(1, time.Second, good)

	c, s := h.Counters(), b.Snapshot()
	if c.Calls != 4 || c.Plain != 1 || c.Won != 3 || c.WonByHedge != 3 || c.Hedges != 6 || c.Late != 6 {
		t.Errorf("counters: %+v", c)
	}
	if s.InUse != 0 || s.Settled != 6 {
		t.Errorf("budget: %+v", s)
	}
	if n := testing.AllocsPerRun(100, func() {
		h.BeginInto(&race, 0, true)
		race.Start(time.Second)
		race.End(1, time.Second, good)
		race.End(2, time.Second, good)
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
