package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
)

func TestEverySubjectIsMeasured(t *testing.T) {
	rounds := 0
	figures := measure(all(), 5, 100*time.Microsecond, func(int) { rounds++ })
	if rounds != 5 {
		t.Errorf("%d rounds, want 5", rounds)
	}
	if len(figures) != len(all()) {
		t.Fatalf("%d figures for %d subjects", len(figures), len(all()))
	}
	if f := figures[0]; f.Name != "atomic.Int64.Add" || f.SerialTimes != 1 {
		t.Errorf("the unit is %q at %g", f.Name, f.SerialTimes)
	}
	for _, f := range figures {
		if f.Serial <= 0 || f.Parallel <= 0 {
			t.Errorf("%s, %s: %g ns serial, %g ns parallel", f.Group, f.Name, f.Serial, f.Parallel)
		}
	}
}

// What is called closed must stay closed, and what is called refused must refuse:
// a figure for something else would be worse than none.
func TestSubjectsDoWhatTheirNamesSay(t *testing.T) {
	cfg := breaker.Config{Window: breaker.WindowConfig{Calls: 100}}
	b := breaker.Must(breaker.New("bench", cfg))
	ctx := context.Background()
	for i := range 10_000 {
		breaker.Do(ctx, b, func(context.Context) (int, error) {
			if i%10 == 0 {
				return 0, errDown
			}
			return i, nil
		})
	}
	if c := b.Counters(); b.State() != breaker.Closed || c.Failed != 1_000 || c.Successful != 9_000 {
		t.Errorf("one failure in ten: %v, %+v", b.State(), c)
	}

	for _, s := range all() {
		if s.Group != open {
			continue
		}
		if a := allocs(s.setup()); strings.HasPrefix(s.Name, "last") && a != 0 {
			t.Errorf("%s allocates %g times a call", s.Name, a)
		}
	}
}

func TestOursDoNotAllocate(t *testing.T) {
	for _, s := range all() {
		ours := strings.HasPrefix(s.Name, "last") || s.Name == "consecutive failures" || s.Name == "evidence rule"
		if !ours || s.Group == primitives {
			continue
		}
		if a := allocs(s.setup()); a != 0 {
			t.Errorf("%s, %s: %g allocations a call", s.Group, s.Name, a)
		}
	}
}

func TestMedian(t *testing.T) {
	if m := median([]float64{9, 1, 5, 3, 7}); m != 5 {
		t.Errorf("median %g, want 5", m)
	}
}

func TestTableNamesEverySubject(t *testing.T) {
	var figures []figure
	for _, s := range all() {
		figures = append(figures, figure{Group: s.Group, Name: s.Name, Serial: 1, SerialTimes: 1})
	}
	var out bytes.Buffer
	print(&out, figures, []footprint{{"idle", 960, 1024}})
	for _, s := range all() {
		if !strings.Contains(out.String(), s.Name) || !strings.Contains(out.String(), s.Group) {
			t.Errorf("the table lacks %s, %s", s.Group, s.Name)
		}
	}
	if !strings.Contains(out.String(), "960 bytes  idle (to reach 1024)") {
		t.Errorf("the table lacks the memory:\n%s", out.String())
	}
}
