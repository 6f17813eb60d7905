package sim

import (
	"time"

	"github.com/switchgear-go/switchgear/sim/internal/stats"
)

// A tally counts calls by how they ended, with their latencies.
type tally struct {
	reached  uint64
	attempts uint64
	ended    [outcomes]uint64
	series   stats.Series
}

func (t *tally) add(o Outcome, sent uint32, took time.Duration) {
	t.ended[o]++
	if sent > 0 {
		t.reached++
		t.attempts += uint64(sent)
	}
	t.series.Add(took)
}

func (t *tally) reset() {
	t.reached, t.attempts, t.ended = 0, 0, [outcomes]uint64{}
	t.series.Reset()
}

// union makes t the tally of all calls of parts, whose series must be sorted.
func (t *tally) union(parts []tally, with *stats.Sorter) {
	t.reset()
	series := make([]*stats.Series, len(parts))
	for i := range parts {
		t.reached += parts[i].reached
		t.attempts += parts[i].attempts
		for o, n := range parts[i].ended {
			t.ended[o] += n
		}
		series[i] = &parts[i].series
	}
	t.series.Union(series, with)
}

func (t *tally) counts() Counts {
	return Counts{
		Requests: t.series.Count(), Reached: t.reached, Attempts: t.attempts,
		Succeeded: t.ended[Succeeded], Failed: t.ended[Failed], TimedOut: t.ended[TimedOut],
		Rejected: t.ended[Rejected], Shed: t.ended[Shed],
	}
}

// summary sums up a tally whose series is sorted.
func (t *tally) summary() Summary {
	s := &t.series
	return Summary{
		Counts: t.counts(), Mean: s.Mean(), Max: s.Max(), QuantileError: t.quantileError(),
		P50: s.At(0.5), P90: s.At(0.9), P99: s.At(0.99), P999: s.At(0.999), P99Linear: s.Linear(0.99),
	}
}

// row sums up a row.
func (t *tally) row(r *Row, with *stats.Sorter) {
	r.Counts, r.Mean, r.Max, r.QuantileError = t.counts(), t.series.Mean(), t.series.Max(), t.quantileError()
	r.P99, r.P99Linear = t.series.Upper(0.99, with)
}

func (t *tally) quantileError() float64 {
	if t.series.IsExact() {
		return 0
	}
	return stats.Error
}
