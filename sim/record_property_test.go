package sim

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// A logged call is all that the recorder is told of one.
type logged struct {
	arrived, ended time.Duration
	outcome        Outcome
	sent           uint32
}

// naive sums up, from the list of all calls, those that arrived in a stretch.
func naive(calls []logged, from, to time.Duration) (c Counts, sorted []time.Duration, sum float64) {
	for _, l := range calls {
		if l.arrived < from || l.arrived >= to {
			continue
		}
		c.Requests++
		c.Attempts += uint64(l.sent)
		if l.sent > 0 {
			c.Reached++
		}
		switch l.outcome {
		case Succeeded:
			c.Succeeded++
		case Failed:
			c.Failed++
		case TimedOut:
			c.TimedOut++
		case Rejected:
			c.Rejected++
		case Shed:
			c.Shed++
		}
		sorted = append(sorted, l.ended-l.arrived)
		sum += float64(l.ended - l.arrived)
	}
	slices.Sort(sorted)
	return c, sorted, sum
}

func rankOf(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[max(int(math.Ceil(q*float64(len(sorted))-1e-9))-1, 0)]
}

// The recorder files calls as they end, closes rows on the way and cuts windows
// into segments. The model keeps every call and looks at all of them.
func TestRecorderEqualsAModel(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 0))
		cfg := Config{Duration: 10 * second, Row: 250*ms + time.Duration(rng.Int64N(int64(2*second)))}
		for i := range rng.IntN(5) {
			from := time.Duration(rng.Int64N(int64(9 * second)))
			to := from + 1 + time.Duration(rng.Int64N(int64(10*second-from)))
			cfg.Windows = append(cfg.Windows, Window{fmt.Sprint(i), from, to})
		}
		cfg, _, err := settle(cfg)
		if err != nil {
			t.Fatal(err)
		}

		var calls []logged
		for range rng.IntN(800) {
			l := logged{arrived: time.Duration(rng.Int64N(int64(10 * second))), outcome: Outcome(rng.IntN(outcomes))}
			l.ended = l.arrived + time.Duration(rng.ExpFloat64()*float64(300*ms))
			if l.outcome < Rejected {
				l.sent = 1 + uint32(rng.IntN(3))
			}
			calls = append(calls, l)
		}
		slices.SortFunc(calls, func(a, b logged) int { return cmp.Compare(a.arrived, b.arrived) })
		r := newRecorder(&cfg)
		for range 2 { // the second time in used memory
			r.start()
			checkRecorder(t, &r, &cfg, calls)
		}
		if t.Failed() {
			t.Fatal("seed ", seed)
		}
	}
}

func checkRecorder(t *testing.T, r *recorder, cfg *Config, calls []logged) {
	t.Helper()
	type ending struct {
		logged
		row     uint32
		segment uint16
	}
	var out []ending
	end := func(until time.Duration) {
		slices.SortFunc(out, func(a, b ending) int { return cmp.Compare(a.ended, b.ended) })
		for len(out) > 0 && out[0].ended <= until {
			e := out[0]
			out = out[1:]
			r.ended(e.row, e.segment, e.outcome, e.sent, e.ended-e.arrived)
		}
	}
	for _, l := range calls {
		end(l.arrived)
		row, segment := r.arrived(l.arrived)
		out = append(out, ending{l, row, segment})
	}
	end(never)
	res := new(Result)
	r.report(res, time.Minute)

	check := func(what string, s Summary, from, to time.Duration) {
		c, sorted, sum := naive(calls, from, to)
		equal(t, what+": counts", s.Counts, c)
		near(t, what+": Mean", float64(s.Mean), sum/max(float64(len(sorted)), 1), 1)
		equal(t, what+": P50", s.P50, rankOf(sorted, 0.5))
		equal(t, what+": P99", s.P99, rankOf(sorted, 0.99))
		equal(t, what+": Max", s.Max, rankOf(sorted, 1))
	}
	check("whole", res.Whole, 0, never)
	for i, w := range cfg.Windows {
		check(w.Name, res.Windows[i].Summary, w.From, w.To)
	}
	for i, row := range res.Rows {
		c, sorted, _ := naive(calls, row.At, row.At+cfg.Row)
		name := fmt.Sprint("row ", i)
		equal(t, name+": counts", row.Counts, c)
		equal(t, name+": P99", row.P99, rankOf(sorted, 0.99))
		equal(t, name+": Max", row.Max, rankOf(sorted, 1))
	}
}
