package report

import (
	"encoding/json"
	"math"
	"strconv"
	"time"

	"github.com/switchgear-go/switchgear/sim"
)

// Bounds of what the charts draw.
const (
	maxPoints = 3600 // of each line; more rows than that are merged
	maxSteps  = 2000 // of each band of states; more are sampled
)

// pageData is what the script of the page draws. Times are in seconds.
type pageData struct {
	End    float64     `json:"end"`
	Runs   []dataRun   `json:"runs"`
	Faults []dataFault `json:"faults"`
}

type dataRun struct {
	Name     string     `json:"name"`
	Row      float64    `json:"row"` // length of one
	Sent     []value    `json:"sent"`
	Mean     []value    `json:"mean"`
	P99      []value    `json:"p99"`
	InFlight []value    `json:"inFlight"`
	Lanes    []dataLane `json:"lanes"`
}

type dataLane struct {
	Name     string     `json:"name"`
	Breakers int        `json:"breakers"`
	Until    float64    `json:"until"`
	Steps    []dataStep `json:"steps"`
}

// A dataStep is [from when, how many are open, how many half-open, why].
type dataStep struct {
	at             float64
	open, halfOpen int
	why            string
}

// MarshalJSON writes it as a list.
func (s dataStep) MarshalJSON() ([]byte, error) {
	if s.why == "" {
		return json.Marshal([]any{s.at, s.open, s.halfOpen})
	}
	return json.Marshal([]any{s.at, s.open, s.halfOpen, s.why})
}

type dataFault struct {
	From float64 `json:"from"`
	To   float64 `json:"to"`
	What string  `json:"what"`
}

// A value is a point of a line, null where there is none. It has six digits that
// count, which is more than a screen has.
type value float64

// MarshalJSON writes the number.
func (v value) MarshalJSON() ([]byte, error) {
	f := float64(v)
	if !(f >= 0) || math.IsInf(f, 0) {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, f, 'g', 6, 64), nil
}

func newData(runs []Run) *pageData {
	d := &pageData{End: longest(runs).Seconds(), Runs: []dataRun{}, Faults: []dataFault{}}
	for i := range runs {
		d.Runs = append(d.Runs, newDataRun(&runs[i]))
	}
	for _, f := range faults(runs) {
		d.Faults = append(d.Faults, dataFault{f.from.Seconds(), f.to.Seconds(), f.what})
	}
	return d
}

func newDataRun(r *Run) dataRun {
	span, n := time.Duration(len(r.Result.Rows))*r.Result.RowLength, len(r.Result.Rows)
	if n > maxPoints {
		n = maxPoints
	}
	line := func(of func(*sim.Row, time.Duration) float64, worst bool) []value {
		out := make([]value, n)
		for i, v := range sample(r, of, span, n, worst) {
			out[i] = value(v)
		}
		return out
	}
	d := dataRun{
		Name: r.Name, Row: r.Result.RowLength.Seconds(), Lanes: []dataLane{},
		Sent: line(rate, false), Mean: line(mean, false), P99: line(p99, true), InFlight: line(inFlight, false),
	}
	if n > 0 {
		d.Row = span.Seconds() / float64(n)
	}
	for _, l := range lanes(r) {
		d.Lanes = append(d.Lanes, newDataLane(&l, r))
	}
	return d
}

func newDataLane(l *lane, r *Run) dataLane {
	d := dataLane{Name: l.several(&r.Config), Breakers: l.breakers, Until: l.until.Seconds()}
	if len(l.steps) <= maxSteps {
		reasons := map[time.Duration]string{}
		if l.breakers == 1 {
			for i := range r.Result.Transitions {
				if t := &r.Result.Transitions[i]; t.Place == l.place && t.Trip != nil {
					reasons[t.At] = why(t.Trip)
				}
			}
		}
		for _, s := range l.steps {
			d.Steps = append(d.Steps, dataStep{s.at.Seconds(), s.open, s.halfOpen, reasons[s.at]})
		}
		return d
	}
	for i, j := 0, 0; i < maxSteps; i++ {
		at := part(l.until, i, maxSteps)
		for j+1 < len(l.steps) && l.steps[j+1].at <= at {
			j++
		}
		s := l.steps[j]
		d.Steps = append(d.Steps, dataStep{at: at.Seconds(), open: s.open, halfOpen: s.halfOpen})
	}
	return d
}
