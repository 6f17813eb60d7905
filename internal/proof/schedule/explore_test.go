package schedule_test

import (
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/switchgear-go/switchgear/internal/proof/schedule"
)

func explore(t *testing.T, o schedule.Options, f func() schedule.Program) schedule.Report {
	t.Helper()
	report, err := schedule.Explore(o, f)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(report)
	return report
}

func binomial(n, k int64) float64 {
	f, _ := new(big.Float).SetInt(new(big.Int).Binomial(n, k)).Float64()
	return f
}

// Steps on different variables may change places: each pair of positions is one point.
func TestIndependentStepsAreOnePointForAllOrders(t *testing.T) {
	const n = 10
	report := explore(t, schedule.Options{}, func() schedule.Program {
		var x [2]schedule.Uint64
		body := func(i int) func() {
			return func() {
				for range n {
					x[i].Add(1)
				}
			}
		}
		return schedule.Program{Threads: []func(){body(0), body(1)}}
	})
	if want := (n + 1) * (n + 1); report.States != want {
		t.Errorf("states: got %d, want %d", report.States, want)
	}
	if want := binomial(2*n, n); report.Orders != want {
		t.Errorf("orders: got %g, want %g", report.Orders, want)
	}
}

// Steps that change one variable may not: each order is an outcome of its own, and the
// program is run once for each.
func TestDependentStepsAreRunInEveryOrder(t *testing.T) {
	const n = 5
	outcomes := map[string]int{}
	report := explore(t, schedule.Options{}, func() schedule.Program {
		var x schedule.Uint64
		var order strings.Builder
		body := func(i int) func() {
			return func() {
				for range n {
					x.Add(1)
					fmt.Fprint(&order, i)
				}
			}
		}
		return schedule.Program{
			Threads: []func(){body(0), body(1)},
			After:   func() error { outcomes[order.String()]++; return nil },
		}
	})
	if want := int(binomial(2*n, n)); len(outcomes) != want || report.Runs != want {
		t.Errorf("%d outcomes in %d runs, want %d in as many", len(outcomes), report.Runs, want)
	}
}

// The oracle: random programs with few steps, whose outcomes are also found by going
// through every order without leaving any out.
func TestNoOutcomeIsLeftOut(t *testing.T) {
	rounds := uint64(5000)
	if testing.Short() {
		rounds = 1000
	}
	for seed := range rounds {
		program := randomProgram(seed)
		got := map[string]bool{}
		if _, err := schedule.Explore(schedule.Options{}, func() schedule.Program { return program.real(got) }); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		want := map[string]bool{}
		program.all(want)
		if !maps.Equal(got, want) {
			t.Fatalf("seed %d: %v\n got %q\nwant %q", seed, program, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
		}
	}
}

func TestLocksAreRespected(t *testing.T) {
	report := explore(t, schedule.Options{}, func() schedule.Program {
		var mu schedule.Mutex
		var a, b schedule.Int64
		inside := 0
		body := func() {
			mu.Lock()
			inside++
			a.Store(a.Load() + 1)
			b.Store(b.Load() + 1)
			inside--
			mu.Unlock()
		}
		return schedule.Program{
			Threads: []func(){body, body, body},
			Always: func() error {
				if inside > 1 {
					return errors.New("two threads hold the lock")
				}
				return nil
			},
			After: func() error {
				if a.Load() != 3 || b.Load() != 3 {
					return fmt.Errorf("lost updates: %d, %d", a.Load(), b.Load())
				}
				return nil
			},
		}
	})
	if report.Runs != 6 { // 3! orders of the critical sections
		t.Errorf("got %d runs, want 6", report.Runs)
	}
}

func TestADeadlockIsFound(t *testing.T) {
	_, err := schedule.Explore(schedule.Options{}, func() schedule.Program {
		var x, y schedule.Mutex
		both := func(first, second *schedule.Mutex) func() {
			return func() {
				first.Lock()
				second.Lock()
				defer second.Unlock()
				first.Unlock()
			}
		}
		return schedule.Program{Threads: []func(){both(&x, &y), both(&y, &x)}}
	})
	if err == nil || !strings.Contains(err.Error(), "deadlock") {
		t.Errorf("got %v, want a deadlock", err)
	}
}

// A load under a lock is taken for no step, until a store without the lock is met. Then
// the exploration begins again.
func TestALoadIsAStepWhereAStoreNeedsNoLock(t *testing.T) {
	seen := map[string]bool{}
	explore(t, schedule.Options{}, func() schedule.Program {
		var mu schedule.Mutex
		var x schedule.Int64
		var first, second int64
		return schedule.Program{
			Threads: []func(){
				func() { mu.Lock(); first, second = x.Load(), x.Load(); mu.Unlock() },
				func() { x.Store(1) },
			},
			After: func() error { seen[fmt.Sprint(first, second)] = true; return nil },
		}
	})
	if want := []string{"0 0", "0 1", "1 1"}; !slices.Equal(slices.Sorted(maps.Keys(seen)), want) {
		t.Errorf("got %v, want %v", slices.Sorted(maps.Keys(seen)), want)
	}
}

func TestAProgramThatDependsOnChanceIsNoticed(t *testing.T) {
	runs := 0
	_, err := schedule.Explore(schedule.Options{}, func() schedule.Program {
		var x, y schedule.Uint64
		runs++
		odd := runs%2 == 0
		body := func() {
			if x.Add(1); odd {
				y.Add(1)
			}
			x.Add(1)
		}
		return schedule.Program{Threads: []func(){body, body}}
	})
	if err == nil || !strings.Contains(err.Error(), "something else with the same schedule") {
		t.Errorf("got %v, want it to complain", err)
	}
}

func TestAPanicInAThreadIsAnError(t *testing.T) {
	_, err := schedule.Explore(schedule.Options{}, func() schedule.Program {
		var x schedule.Uint64
		return schedule.Program{Threads: []func(){
			func() { x.Add(1) },
			func() {
				if x.Load() == 1 {
					panic("one")
				}
			},
		}}
	})
	if err == nil || !strings.Contains(err.Error(), "panic: one") || !strings.Contains(err.Error(), "(*Uint64).Load") {
		t.Errorf("got %v, want the panic and the steps that lead to it", err)
	}
}

// Bounded, an exploration finds what needs no more preemptions, and only that.
func TestPreemptionsAreBounded(t *testing.T) {
	program := func() schedule.Program {
		var x schedule.Uint64
		met := 0
		return schedule.Program{
			Threads: []func(){
				func() {
					x.Store(1)
					x.Store(2)
					x.Store(3)
				},
				func() {
					if x.Load() == 1 && x.Load() == 2 {
						met++
					}
				},
			},
			After: func() error {
				if met > 0 {
					return errors.New("met")
				}
				return nil
			},
		}
	}
	explore(t, schedule.Options{Preemptions: 2}, program)
	if _, err := schedule.Explore(schedule.Options{Preemptions: 3}, program); err == nil {
		t.Error("with three preemptions it must be found")
	}
}

// What came before what is part of the outcome of a program with operations.
func TestSpansAreAsShortAsCanBe(t *testing.T) {
	seen := map[string]bool{}
	explore(t, schedule.Options{}, func() schedule.Program {
		var x, y schedule.Uint64
		var order strings.Builder
		operation := func(name string, v *schedule.Uint64) {
			s := schedule.Begin(func() { order.WriteString(name + "(") }, nil)
			v.Add(1)
			v.Add(1)
			s.End()
			order.WriteString(name + ")")
		}
		return schedule.Program{
			Threads: []func(){func() { operation("a", &x) }, func() { operation("b", &y) }},
			After:   func() error { seen[before(order.String())] = true; return nil },
		}
	})
	if want := []string{"a before b", "b before a", "together"}; !slices.Equal(slices.Sorted(maps.Keys(seen)), want) {
		t.Errorf("got %v, want %v", slices.Sorted(maps.Keys(seen)), want)
	}
}

func before(order string) string {
	switch {
	case strings.Index(order, "a)") < strings.Index(order, "b("):
		return "a before b"
	case strings.Index(order, "b)") < strings.Index(order, "a("):
		return "b before a"
	}
	return "together"
}
