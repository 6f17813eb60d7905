package demo

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
)

// check returns an act's check by name.
func (a *Act) check(t *testing.T, name string) Check {
	t.Helper()
	for _, c := range a.Checks {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("act %d has no check %q", a.Number, name)
	return Check{}
}

// report complains about every check that did not pass.
func complain(t *testing.T, r *Report, tolerated ...Verdict) {
	t.Helper()
	for _, a := range r.Acts {
		for _, c := range a.Checks {
			if c.Verdict != Pass && !slices.Contains(tolerated, c.Verdict) {
				t.Errorf("act %d, %s: %s; measured %v, expected %v", a.Number, c.Name, c.Verdict, c.Measured, c.Expected)
			}
		}
	}
}

// In virtual time nothing is late, so every check passes and most values are
// known exactly, at any speed.
func TestActsInVirtualTime(t *testing.T) {
	for _, speed := range []int{1, 7, 10, MaxSpeed} {
		t.Run(fmt.Sprint("speed ", speed), func(t *testing.T) {
			inVirtualTime(t, func(t *testing.T) {
				begin := time.Now()
				report, err := Play(t.Context(), Config{Speed: speed, network: newPipes().network()})
				if err != nil {
					t.Fatal(err)
				}
				complain(t, report)
				if !report.Pass() || len(report.Acts) != Acts {
					t.Errorf("%d acts, pass = %v", len(report.Acts), report.Pass())
				}
				if took := time.Since(begin) * time.Duration(speed); took > 150*time.Second {
					t.Errorf("the demo takes %v in real time; at speed 10 it should take about 15 s", took)
				}
				scale := func(d time.Duration) float64 { return seconds(d / time.Duration(speed)) }
				for _, want := range []struct {
					act   int
					name  string
					value any
				}{
					{1, "succeeded", 0},
					{1, "failed", 20},
					{1, "real_calls", 20},
					{1, "wall_s", scale(60 * time.Second)},
					{2, "real_calls", 3},
					{2, "rejected", 17},
					{2, "fallback", 20},
					{2, "wall_s", scale(9 * time.Second)},
					{2, "ratio", 6.6667},
					{3, "real_calls", 20},
					{3, "status_400", 20},
					{3, "counted_failures", 0},
					{3, "transitions", 0},
					{3, "state", "closed"},
					{4, "real_calls", 10},
					{4, "rejected", 2},
					{5, "guarded_real_calls", 1},
					{5, "guarded_rejected", 9},
					{5, "guarded_wall_s", scale(3 * time.Second)},
					{5, "unguarded_real_calls", 10},
					{5, "unguarded_rejected", 0},
					{5, "unguarded_wall_s", scale(3 * time.Second)},
					{6, "calls_made", 12},
					{6, "rule", "failure_rate"},
					{6, "waited_s", scale(15 * time.Second)},
				} {
					if got := report.Acts[want.act-1].check(t, want.name).Measured; got != want.value {
						t.Errorf("act %d: %s = %v, want %v", want.act, want.name, got, want.value)
					}
				}
			})
		})
	}
}

// The script of act 4 follows from hang, pause and wait. These are the figures
// that it has to come to, in seconds of real time.
func TestRecoveryScript(t *testing.T) {
	ends := []float64{3.0, 7.5, 12.0, 13.5, 15.0, 16.5, 18.0, 19.5, 21.0, 22.5, 24.0, 25.5}
	before := "closed closed closed open open half_open closed closed closed closed closed closed"
	after := "closed closed open open open closed closed closed closed closed closed closed"
	inVirtualTime(t, func(t *testing.T) {
		report, err := Play(t.Context(), Config{Speed: 1, Act: 4, network: newPipes().network()})
		if err != nil {
			t.Fatal(err)
		}
		complain(t, report)
		var gotEnds []float64
		var gotBefore, gotAfter []string
		for i, r := range report.Acts[0].Requests {
			gotEnds = append(gotEnds, seconds(time.Duration(r.End)))
			gotBefore, gotAfter = append(gotBefore, r.Before), append(gotAfter, r.After)
			if r.Number != i+1 {
				t.Errorf("request %d is numbered %d", i+1, r.Number)
			}
		}
		if !slices.Equal(gotEnds, ends) {
			t.Errorf("requests end at\n%v, want\n%v", gotEnds, ends)
		}
		if got := strings.Join(gotBefore, " "); got != before {
			t.Errorf("states before are\n%s, want\n%s", got, before)
		}
		if got := strings.Join(gotAfter, " "); got != after {
			t.Errorf("states after are\n%s, want\n%s", got, after)
		}
	})
}

func TestEpisodeAddsUp(t *testing.T) {
	for range 20 { // jitter makes each one different
		inVirtualTime(t, func(t *testing.T) {
			report, err := Play(t.Context(), Config{Speed: 10, Act: 6, network: newPipes().network()})
			if err != nil {
				t.Fatal(err)
			}
			complain(t, report)
			a := report.Acts[0]
			var refused uint64
			var waits []time.Duration
			for _, e := range a.Events {
				change := e.Detail.(*breaker.Change)
				refused += change.Refused
				if change.Trip != nil {
					waits = append(waits, change.Trip.Wait)
				}
			}
			l := a.Ledger
			if l.Made != 12 || l.Spared != int(refused) {
				t.Errorf("made %d and spared %d, want 12 and the %d that the events tell", l.Made, l.Spared, refused)
			}
			if want := 5 * 300 * time.Millisecond; time.Duration(l.Waited) != want {
				t.Errorf("waited %v, want %v: five failures", time.Duration(l.Waited), want)
			}
			if want := time.Duration(l.Spared) * 300 * time.Millisecond; time.Duration(l.SparedTime) != want {
				t.Errorf("spared %v, want %v", time.Duration(l.SparedTime), want)
			}
			if len(waits) != 2 || waits[1] <= waits[0] {
				t.Errorf("waits are %v, want two, the second longer", waits)
			}
		})
	}
}

func TestOneAct(t *testing.T) {
	for n := 1; n <= Acts; n++ {
		inVirtualTime(t, func(t *testing.T) {
			var out bytes.Buffer
			report, err := Play(t.Context(), Config{
				Speed: 20, Act: n, Version: "v1", Screen: plainScreen(&out), network: newPipes().network(),
			})
			if err != nil {
				t.Fatal(err)
			}
			complain(t, report)
			if len(report.Acts) != 1 || report.Acts[0].Number != n || report.Speed != 20 || report.Version != "v1" {
				t.Errorf("the report of act %d is %+v", n, report)
			}
			if got := strings.Count(out.String(), "\nAct "); got != 1 {
				t.Errorf("%d acts are shown, want 1", got)
			}
		})
	}
}

func TestPlayRefusesNonsense(t *testing.T) {
	for _, cfg := range []Config{{Speed: 0}, {Speed: 21}, {Speed: -1}, {Speed: 1, Act: 7}, {Speed: 1, Act: -1}} {
		if _, err := Play(t.Context(), cfg); err == nil {
			t.Errorf("Play(%+v) did not complain", cfg)
		}
	}
}
