package breaker

import (
	"context"
	"math"
	"testing"
)

// What cannot be reached from outside in a reasonable time: the ends of the numbers.

func TestCells(t *testing.T) {
	const tag = 7 << countBits

	t.Run("S5: a cell counts only for the tag it carries", func(t *testing.T) {
		cells := make(cells, 4)
		if cells[0].count(tag) {
			t.Error("a sealed cell counts")
		}
		cells.open(tag)
		for i := range cells {
			for range i {
				if !cells[i].count(tag) {
					t.Error("an open cell does not count")
				}
			}
			if cells[i].count(8<<countBits) || cells[i].count(6<<countBits) {
				t.Error("a cell counts for another tag")
			}
		}
		if got := cells.sum(); got != 6 {
			t.Errorf("sum: got %d, want 6", got)
		}
		if got := cells.seal(); got != 6 {
			t.Errorf("seal: got %d, want 6", got)
		}
		if cells[3].count(tag) || cells.sum() != 0 || cells.seal() != 0 {
			t.Error("a sealed cell has counted")
		}
	})

	t.Run("N1: a full cell counts no further, so that no count spills into the tag", func(t *testing.T) {
		cells := make(cells, 1)
		cells.open(tag)
		cells[0].good.Store(tag | 1<<(countBits-1) - 1)
		if !cells[0].count(tag) {
			t.Error("the last place is not used")
		}
		for range 3 {
			if cells[0].count(tag) {
				t.Error("a full cell counts")
			}
		}
		if got := cells.seal(); got != 1<<(countBits-1) {
			t.Errorf("seal: got %d, want 2³¹", got)
		}
	})

	t.Run("S5: no fence makes the tag of a sealed cell", func(t *testing.T) {
		for _, n := range []uint64{0, 1, math.MaxUint32 - 1, math.MaxUint32, 5<<32 - 1, math.MaxUint64} {
			next := nextFence(n)
			if next<<countBits == 0 {
				t.Errorf("the fence after %d makes tag 0", n)
			}
			if next != n+1 && next != n+2 {
				t.Errorf("the fence after %d is %d", n, next)
			}
		}
	})

	t.Run("K1: there is a power of two of them, and any goroutine finds one", func(t *testing.T) {
		cells := newCells()
		if n := len(cells); n == 0 || n&(n-1) != 0 || n > maxCells {
			t.Errorf("%d cells", n)
		}
		for range 100 {
			done := make(chan *cell)
			go func() { done <- cells.mine() }()
			if <-done == nil {
				t.Error("no cell")
			}
		}
	})
}

// A breaker whose cells are nearly full books them and goes on.
func TestFullCells(t *testing.T) {
	for _, state := range []State{Closed, MetricsOnly, Disabled} {
		b := Must(New("stock", Config{Window: WindowConfig{Calls: 100}}))
		if err := b.Move(Move{To: state, Reason: "test"}); err != nil {
			t.Fatal(err)
		}
		full := uint64(0)
		for i := range b.cells {
			b.cells[i].good.Add(1<<(countBits-1) - 1)
			full += 1<<(countBits-1) - 1
		}
		for range 1000 {
			if err := b.Do(t.Context(), func(context.Context) error { return nil }); err != nil {
				t.Fatal(err)
			}
		}
		if got := b.Counters().Successful; got != full+1000 {
			t.Errorf("in %v: %d successes, want %d", state, got, full+1000)
		}
	}
}
