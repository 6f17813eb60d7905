package evidence

import (
	"fmt"
	"strconv"
	"time"
)

// A Report explains a score: how much evidence there is, from what, and how
// much the configuration asks for. A trip record keeps the one made at the
// trip (rule T5).
type Report struct {
	Score            int `json:"score"`     // points
	Threshold        int `json:"threshold"` // points
	PointsPerFailure int `json:"points_per_failure"`

	EvidenceNats float64 `json:"evidence_nats"` // the score as evidence
	NeededNats   float64 `json:"needed_nats"`   // the threshold as evidence

	// What happened since the score last left zero; all of it zero while the
	// score is.
	Since     time.Duration `json:"since_ns"`   // when that was, on the clock of the scores
	Elapsed   time.Duration `json:"elapsed_ns"` // from then to the report
	Calls     int64         `json:"calls"`      // outcomes, the first and the last included
	Failures  int64         `json:"failures"`   // bad ones among them
	Forgotten int64         `json:"forgotten"`  // points faded

	// As configured.
	Healthy           float64 `json:"healthy"`
	Sick              float64 `json:"sick"`
	Burst             float64 `json:"burst"`
	CallsPerFalseTrip float64 `json:"calls_per_false_trip"`

	// FalseTripCalls is the exact mean number of calls between false trips of
	// this test alone: at least CallsPerFalseTrip, or twice that where two
	// tests share it.
	FalseTripCalls float64 `json:"false_trip_calls"`
}

// Report returns the explanation of the score at now, what has faded by then
// taken off. It changes nothing, and does not allocate.
func (s *Score) Report(t *Test, now time.Duration) Report {
	r := Report{
		Threshold:         t.Threshold(),
		PointsPerFailure:  t.Points(),
		NeededNats:        t.Needed(),
		Healthy:           t.cfg.Healthy,
		Sick:              t.cfg.Sick,
		Burst:             t.cfg.Burst,
		CallsPerFalseTrip: t.cfg.CallsPerFalseTrip,
		FalseTripCalls:    t.falseTripCalls,
	}
	faded := *s
	faded.forget(t, now)
	if faded.points > 0 {
		r.Score = int(faded.points)
		r.EvidenceNats = t.nats * float64(faded.points)
		r.Since = faded.since
		r.Elapsed = max(0, now-faded.since)
		r.Calls, r.Failures, r.Forgotten = faded.calls, faded.bad, faded.forgotten
	}
	return r
}

// Level returns the score as a share of the threshold, from 0 to 1: the gauge
// to publish while the breaker is closed.
func (r Report) Level() float64 { return min(1, float64(r.Score)/float64(r.Threshold)) }

// Text returns the report as a sentence for people. bad names one bad outcome:
// "failure" or "slow call".
//
//	evidence 26.4 nats of 25.4 needed: 11 failures in 43 calls over 4.1 s
//	(healthy 1 %, sick 30 %, at most one false trip per 100 million calls)
func (r Report) Text(bad string) string {
	seen := ""
	if r.Calls > 0 {
		seen = fmt.Sprintf(": %s in %s over %s", plural(r.Failures, bad), plural(r.Calls, "call"), span(r.Elapsed))
	}
	return fmt.Sprintf("evidence %.1f nats of %.1f needed%s (healthy %s, sick %s, at most one false trip per %s calls)",
		r.EvidenceNats, r.NeededNats, seen, percent(r.Healthy), percent(r.Sick), count(r.CallsPerFalseTrip))
}

func plural(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

func percent(rate float64) string { return strconv.FormatFloat(100*rate, 'g', 4, 64) + " %" }

func span(d time.Duration) string {
	switch {
	case d >= time.Minute:
		return d.Round(time.Second).String()
	case d >= time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%d ms", d.Milliseconds())
}

// count writes a large number as people say it.
func count(n float64) string {
	switch {
	case n >= 1e12:
		return fmt.Sprintf("%.4g trillion", n/1e12)
	case n >= 1e9:
		return fmt.Sprintf("%.4g billion", n/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.4g million", n/1e6)
	}
	return strconv.FormatFloat(n, 'f', 0, 64)
}
