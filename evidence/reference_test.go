package evidence

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"
	"time"
)

// tolerance is what the check values ask of real numbers.
const tolerance = 1e-6

type reference struct {
	Rows []struct {
		Healthy           float64 `json:"healthy"`
		Sick              float64 `json:"sick"`
		CallsPerFalseTrip float64 `json:"calls_per_false_trip"`
		Burst             float64 `json:"burst"`

		Points            int                `json:"points_per_failure"`
		NatsPerPoint      float64            `json:"nats_per_point"`
		Threshold         int                `json:"threshold_points"`
		Needed            float64            `json:"evidence_needed_nats"`
		FalseTripCalls    float64            `json:"mean_calls_to_false_trip"`
		OnePointLower     float64            `json:"mean_calls_to_false_trip_one_point_lower"`
		IfIndependent     float64            `json:"mean_calls_to_false_trip_if_independent"`
		ClosedForm        *float64           `json:"closed_form_threshold_points"`
		Delay             map[string]float64 `json:"mean_delay_from_zero"`
		DelayStationary   float64            `json:"mean_delay_stationary_at_sick"`
		TwiceHealthy      float64            `json:"mean_calls_at_twice_healthy"`
		TrippingDriftRate float64            `json:"tripping_drift_rate"`
	} `json:"rows"`
	RunLength []struct {
		Points    int     `json:"points_per_failure"`
		Threshold int     `json:"threshold_points"`
		Rate      float64 `json:"failure_rate"`
		Burst     float64 `json:"burst"`
		MeanCalls float64 `json:"mean_calls"`
	} `json:"run_length"`
	Traces []struct {
		Name       string   `json:"name"`
		Points     int      `json:"points_per_failure"`
		Threshold  int      `json:"threshold_points"`
		Memory     int64    `json:"memory_ns"`
		MaxRise    int      `json:"max_rise_failures"`
		RiseWindow int64    `json:"max_rise_window_ns"`
		Columns    []string `json:"columns"`
		Events     [][]any  `json:"events"`
	} `json:"traces"`
}

func loadReference(t *testing.T) (ref reference) {
	t.Helper()
	text, err := os.ReadFile("testdata/evidence-rule.json")
	if err == nil {
		err = json.Unmarshal(text, &ref)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(ref.Rows) == 0 || len(ref.RunLength) == 0 || len(ref.Traces) == 0 {
		t.Fatal("the check values are incomplete")
	}
	return ref
}

// TestReferenceRows: every row of the check values (rule T6).
func TestReferenceRows(t *testing.T) {
	for _, row := range loadReference(t).Rows {
		t.Run(fmt.Sprintf("T6: healthy %g sick %g calls %g burst %g", row.Healthy, row.Sick, row.CallsPerFalseTrip, row.Burst), func(t *testing.T) {
			test := mustTest(t, Config{Healthy: row.Healthy, Sick: row.Sick, CallsPerFalseTrip: row.CallsPerFalseTrip, Burst: row.Burst}, 1)
			m, h := row.Points, row.Threshold

			equal(t, "points per failure", test.Points(), m)
			equal(t, "threshold", test.Threshold(), h)
			near(t, "nats per point", test.NatsPerPoint(), row.NatsPerPoint, tolerance)
			near(t, "nats needed", test.Needed(), row.Needed, tolerance)
			near(t, "false trip", test.FalseTripCalls(row.Healthy), row.FalseTripCalls, tolerance)
			near(t, "false trip, found with the threshold", test.falseTripCalls, row.FalseTripCalls, tolerance)
			near(t, "false trip, one point lower", RunLength(m, h-1, row.Healthy, row.Burst), row.OnePointLower, tolerance)
			near(t, "false trip, independent", RunLength(m, h, row.Healthy, 1), row.IfIndependent, tolerance)
			near(t, "false trip, twice the rate", RunLength(m, h, 2*row.Healthy, 1), row.TwiceHealthy, tolerance)
			near(t, "drift rate", 1/float64(test.Points()+1), row.TrippingDriftRate, tolerance)
			if row.ClosedForm != nil {
				closed := math.Ceil(math.Log(row.CallsPerFalseTrip) / test.NatsPerPoint())
				equal(t, "threshold in closed form", closed, *row.ClosedForm)
			}

			for name, want := range row.Delay {
				rate := row.Sick
				if name != "sick" {
					rate, _ = strconv.ParseFloat(name, 64)
				}
				near(t, "delay at "+name, test.CallsToTrip(rate), want, tolerance)
			}

			// Not a number that the package offers, but one that its documents do.
			delay := meanCallsToTrip(m, h, row.Sick, 1)
			near(t, "delay, solved otherwise", test.CallsToTrip(row.Sick), delay[0], tolerance)
			stationary := 0.0
			for score, chance := range longHealthy(m, h, row.Healthy) {
				stationary += chance * delay[2*score]
			}
			near(t, "delay of a warm score", stationary, row.DelayStationary, tolerance)
		})
	}
}

// TestReferenceRunLengths: every run length of the check values (rule T6).
func TestReferenceRunLengths(t *testing.T) {
	for _, r := range loadReference(t).RunLength {
		near(t, fmt.Sprintf("T6: m %d H %d rate %g burst %g", r.Points, r.Threshold, r.Rate, r.Burst),
			RunLength(r.Points, r.Threshold, r.Rate, r.Burst), r.MeanCalls, tolerance)
	}
}

// TestReferenceTraces: every trace of the check values, event by event (rule
// T6).
func TestReferenceTraces(t *testing.T) {
	for _, trace := range loadReference(t).Traces {
		t.Run("T6: "+trace.Name, func(t *testing.T) {
			cfg := Config{Memory: time.Duration(trace.Memory), MaxRise: trace.MaxRise, MaxRiseWindow: time.Duration(trace.RiseWindow)}
			if cfg.Memory == 0 {
				cfg.Memory = off
			}
			test := compile(cfg.WithDefaults(), trace.Points, trace.Threshold, 0)
			equal(t, "columns", fmt.Sprint(trace.Columns), "[t_ns failed score_after points_forgotten trips]")

			var s Score
			before := 0
			for i, e := range trace.Events {
				now, bad := time.Duration(e[0].(float64)), e[1].(bool)
				forgotten := before - s.Value(test, now)
				trip := s.Record(test, now, bad)
				before = s.Value(test, now)
				got := fmt.Sprintf("event %d: score %d forgotten %d trips %v", i, before, forgotten, trip)
				want := fmt.Sprintf("event %d: score %v forgotten %v trips %v", i, e[2], e[3], e[4])
				equal(t, now.String(), got, want)
			}
		})
	}
}
