package sweep

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/sim"
)

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// waits returns points of a short outage that differ in Open.Wait.
func waits(list ...time.Duration) (points []Point) {
	for _, wait := range list {
		cfg := sim.Config{
			Duration: 6 * time.Second,
			Client: sim.Client{Call: sim.Call{
				Timeout: 200 * time.Millisecond,
				Breaker: &breaker.Config{Open: breaker.OpenConfig{Wait: wait}},
			}},
			Services: []sim.Service{{Faults: []sim.Fault{{From: time.Second, To: 3 * time.Second}}}},
		}
		points = append(points, Point{[]Setting{{"wait", wait.String()}}, cfg})
	}
	return points
}

// naive is the table as one would compute it from the results of all runs.
func naive(t *testing.T, points []Point, first uint64, seeds int) *Table {
	t.Helper()
	table := &Table{Keys: []string{}, Points: len(points), FirstSeed: first, Seeds: seeds}
	for _, s := range points[0].Settings {
		table.Keys = append(table.Keys, s.Key)
	}
	for _, p := range points {
		values := map[string][]float64{}
		add := func(name string, v float64) { values[name] = append(values[name], v) }
		err := sim.Many(context.Background(), p.Config, first, seeds, func(r *sim.Result) error {
			f := r.Figures(1)
			if f.TripDelay >= 0 {
				add("trip", f.TripDelay.Seconds())
			}
			if f.RecoveryLag >= 0 {
				add("lag", f.RecoveryLag.Seconds())
			}
			add("reached", float64(f.Reached))
			add("share", f.Share())
			add("mean", f.Mean.Seconds())
			add("p99", f.P99.Seconds())
			add("rounds", float64(f.Rounds))
			add("false", float64(f.FalseTrips))
			add("refused", float64(f.GoodRefused))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		of := func(name string) (s Spread) {
			v := slices.Sorted(slices.Values(values[name]))
			if s.N = len(v); s.N == 0 {
				return s
			}
			for _, x := range v {
				s.Mean += x
			}
			s.Mean /= float64(s.N)
			s.P5 = v[int(math.Ceil(0.05*float64(s.N)))-1]
			s.P95 = v[int(math.Ceil(0.95*float64(s.N)))-1]
			return s
		}
		table.Rows = append(table.Rows, Row{
			Settings: p.Settings, Runs: seeds,
			TripDelay: of("trip"), Reached: of("reached"), Share: of("share"), Mean: of("mean"), P99: of("p99"),
			Rounds: of("rounds"), RecoveryLag: of("lag"), FalseTrips: of("false"), GoodRefused: of("refused"),
		})
	}
	return table
}

func same(t *testing.T, got, want *Table) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}

func TestTableIsThatOfAllRuns(t *testing.T) {
	points := waits(500*time.Millisecond, time.Second, 4*time.Second)
	got, err := Run(context.Background(), points, 7, 33, nil)
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, naive(t, points, 7, 33))
	equal(t, "complete", got.Complete(), true)
	equal(t, "runs", got.Runs(), 99)
	if a, b := got.Rows[0].Rounds.Mean, got.Rows[1].Rounds.Mean; a <= b {
		t.Errorf("a shorter wait should give more rounds: %g and %g", a, b)
	}
}

func TestOneProcessorOrMany(t *testing.T) {
	points := waits(500*time.Millisecond, time.Second, 2*time.Second, 4*time.Second)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, seeds := range []int{1, 2, 25} {
		runtime.GOMAXPROCS(1)
		one, err := Run(context.Background(), points, 3, seeds, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{2, 7} {
			runtime.GOMAXPROCS(n)
			many, err := Run(context.Background(), points, 3, seeds, nil)
			if err != nil {
				t.Fatal(err)
			}
			same(t, many, one)
		}
	}
}

func TestProgressCountsEveryRun(t *testing.T) {
	last := 0
	_, err := Run(context.Background(), waits(time.Second, 2*time.Second), 1, 5, func(done, total int) {
		equal(t, "done", done, last+1)
		equal(t, "total", total, 10)
		last = done
	})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "last", last, 10)
}

// What a stopped sweep returns is what a smaller one would have.
func TestStoppedSweepReturnsWhatItHas(t *testing.T) {
	points := waits(500*time.Millisecond, time.Second, 2*time.Second, 4*time.Second)
	why := errors.New("enough")
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, procs := range []int{1, 4} {
		runtime.GOMAXPROCS(procs)
		for _, stopAt := range []int{1, 19, 20, 33, 60} {
			ctx, cancel := context.WithCancelCause(context.Background())
			got, err := Run(ctx, points, 1, 20, func(done, _ int) {
				if done == stopAt {
					cancel(why)
				}
			})
			cancel(nil)
			if !errors.Is(err, why) {
				t.Fatalf("the error is %v", err)
			}
			// Where there are others, a run in progress may be missing, and then those
			// of higher seeds are of no use.
			if n := got.Runs(); procs == 1 && n != stopAt || n >= stopAt+procs || got.Complete() {
				t.Errorf("%d processors, stopped at %d: %d runs, complete %t", procs, stopAt, n, got.Complete())
			}
			for _, r := range got.Rows {
				i := slices.IndexFunc(points, func(p Point) bool { return p.Settings[0] == r.Settings[0] })
				same(t, &Table{Rows: []Row{r}}, &Table{Rows: naive(t, points[i:i+1], 1, r.Runs).Rows})
			}
		}
	}
}

func TestStoppedBeforeTheFirstRun(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	got, err := Run(ctx, waits(time.Second), 1, 2, nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	same(t, got, &Table{Keys: []string{"wait"}, Rows: []Row{}, Points: 1, FirstSeed: 1, Seeds: 2})
}

func TestStopAfterTheLastRunIsNone(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	got, err := Run(ctx, waits(time.Second), 1, 2, func(done, total int) {
		if done == total {
			cancel()
		}
	})
	if err != nil || !got.Complete() {
		t.Errorf("complete %t, error %v", got.Complete(), err)
	}
}

// A long run looks at the context itself.
func TestStopEndsARun(t *testing.T) {
	points := waits(time.Second)
	points[0].Config.Duration = 30 * 24 * time.Hour // 130 million calls
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	got, err := Run(ctx, points, 1, 2, nil)
	if !errors.Is(err, context.DeadlineExceeded) || got.Runs() != 0 {
		t.Errorf("%d runs, error %v", got.Runs(), err)
	}
}

// Runs fail only when they grow beyond a million calls, so here it is done by hand.
func TestFailedRunLeavesTheRowsBeforeIt(t *testing.T) {
	points := waits(time.Second, 2*time.Second, 3*time.Second)
	ctx := context.Background()
	for _, order := range [][]int{{0, 1, 2, 3, 4, 5, 6, 7}, {7, 6, 5, 4, 3, 2, 1, 0}, {4, 6, 3, 0, 1, 7, 2, 5}} {
		s, err := newSweep(points, 1, 3, nil)
		if err != nil {
			t.Fatal(err)
		}
		for range 8 {
			s.take()
		}
		for _, job := range order {
			var err error
			if job == 4 || job == 5 { // the second and the third run of the second row
				err = fmt.Errorf("job %d", job)
			}
			s.finish(ctx, job, [columns]float64{reached: float64(job)}, err)
		}
		if _, more := s.take(); more {
			t.Errorf("%v: there are jobs after a failure", order)
		}
		table := s.table()
		equal(t, "error", fmt.Sprint(s.err), "job 4")
		equal(t, "rows", len(table.Rows), 2)
		equal(t, "runs of the first", table.Rows[0].Runs, 3)
		equal(t, "runs of the second", table.Rows[1].Runs, 1)
		equal(t, "mean of the second", table.Rows[1].Reached.Mean, 3)
	}
}

func TestErrorsNameTheSettings(t *testing.T) {
	points := waits(time.Second, 31*24*time.Hour)
	_, err := Run(context.Background(), points, 1, 1, nil)
	if _, ok := errors.AsType[*switchgear.ConfigError](err); !ok || !strings.Contains(err.Error(), "with wait=744h0m0s: ") {
		t.Errorf("the error is %v", err)
	}
	points[1].Settings = []Setting{{"other", "1"}}
	for what, c := range map[string]struct {
		points []Point
		seeds  int
		want   string
	}{
		"no points":       {nil, 1, "sweep: 0 points: must be from 1 to 1000"},
		"too many points": {make([]Point, MaxPoints+1), 1, "sweep: 1001 points: must be from 1 to 1000"},
		"no seeds":        {points[:1], 0, "sweep: 0 seeds: must be from 1 to 100000"},
		"too many seeds":  {points[:1], MaxSeeds + 1, "sweep: 100001 seeds: must be from 1 to 100000"},
		"other settings":  {points, 1, "sweep: settings other=1: must have the keys of the first, wait=1s"},
	} {
		table, err := Run(context.Background(), c.points, 1, c.seeds, nil)
		equal(t, what, fmt.Sprint(err), c.want)
		equal(t, what+": table", table, nil)
	}
}

func TestWithoutAFault(t *testing.T) {
	points := waits(100 * time.Millisecond)
	points[0].Config.Services = []sim.Service{{ErrorRate: 30}}
	points[0].Config.Client.Call.Breaker.Window.Calls = 20
	table, err := Run(context.Background(), points, 1, 20, nil)
	if err != nil {
		t.Fatal(err)
	}
	var trips, refused, reached float64
	err = sim.Many(context.Background(), points[0].Config, 1, 20, func(r *sim.Result) error {
		refused += float64(r.Whole.Rejected) / 20
		reached += float64(r.Whole.Reached) / 20
		for _, tr := range r.Transitions {
			if tr.From == breaker.Closed && tr.To == breaker.Open {
				trips += 1. / 20
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	row := table.Rows[0]
	if trips == 0 || math.Abs(row.FalseTrips.Mean-trips) > 1e-9 {
		t.Errorf("%g false trips, want %g", row.FalseTrips.Mean, trips)
	}
	if refused == 0 || math.Abs(row.GoodRefused.Mean-refused) > 1e-9 {
		t.Errorf("%g refused, want %g", row.GoodRefused.Mean, refused)
	}
	if math.Abs(row.Reached.Mean-reached) > 1e-9 || row.Rounds.Mean == 0 || row.Mean.Mean == 0 {
		t.Errorf("the row is %+v, want %g reached", row, reached)
	}
	equal(t, "trip delays", row.TripDelay.N, 0)
	equal(t, "recovery lags", row.RecoveryLag.N, 0)
}
