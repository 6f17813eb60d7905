package report

import (
	"time"

	"github.com/switchgear-go/switchgear/sim"
)

// A series is one quantity over time, in columns of equal length. A column that
// has no value, such as the latency of no calls, holds a negative number.
type series []float64

// missing is the value of a column without one.
const missing = -1

// rate is the number of attempts sent in a row, by second.
func rate(r *sim.Row, length time.Duration) float64 { return float64(r.Sent) / length.Seconds() }

func inFlight(r *sim.Row, _ time.Duration) float64 { return r.InFlight }

func mean(r *sim.Row, _ time.Duration) float64 {
	if r.Requests == 0 {
		return missing
	}
	return r.Mean.Seconds()
}

func p99(r *sim.Row, _ time.Duration) float64 {
	if r.Requests == 0 {
		return missing
	}
	return r.P99.Seconds()
}

// part returns c of n equal parts of a time of up to 30 days. The product alone could
// be too large for a number.
func part(d time.Duration, c, n int) time.Duration {
	whole, rest := d/time.Duration(n), d%time.Duration(n)
	return whole*time.Duration(c) + rest*time.Duration(c)/time.Duration(n)
}

// rowLength returns how long a row of the run really is: the last one ends with the
// arrival of calls.
func rowLength(run *Run, row *sim.Row) time.Duration {
	length := run.Result.RowLength
	if rest := run.Config.Duration - row.At; rest > 0 {
		length = min(length, rest)
	}
	return length
}

// sample divides [0, span) into columns. A column that several rows reach into
// shows the largest value if worst is set, otherwise their average by time.
func sample(run *Run, of func(*sim.Row, time.Duration) float64, span time.Duration, columns int, worst bool) series {
	out := make(series, columns)
	rows := run.Result.Rows
	first := 0
	for c := range out {
		from, to := part(span, c, columns), part(span, c+1, columns)
		sum, weight, top := 0.0, 0.0, float64(missing)
		for first < len(rows) && rows[first].At+rowLength(run, &rows[first]) <= from {
			first++
		}
		for i := first; i < len(rows) && rows[i].At < to; i++ {
			row := &rows[i]
			length := rowLength(run, row)
			v := of(row, length)
			if v < 0 {
				continue
			}
			part := float64(min(to, row.At+length) - max(from, row.At))
			sum, weight, top = sum+v*part, weight+part, max(top, v)
		}
		switch {
		case weight == 0:
			out[c] = missing
		case worst:
			out[c] = top
		default:
			out[c] = sum / weight
		}
	}
	return out
}

// longest returns for how long calls arrive in the longest of the runs.
func longest(runs []Run) (d time.Duration) {
	for i := range runs {
		d = max(d, runs[i].Config.Duration)
	}
	return max(d, 1)
}
