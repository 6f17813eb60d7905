package evidence

import (
	"testing"
	"time"
)

func TestReport(t *testing.T) {
	test := mustTest(t, Config{}, 1)

	t.Run("T5, T6: the record of a trip", func(t *testing.T) {
		var s Score
		now := time.Minute
		for i := range 43 { // 11 failures: 7, then 32 good ones, then 4
			bad := i < 7 || i >= 39
			s.Record(test, now, bad)
			now += 100 * time.Millisecond
		}
		now -= 100 * time.Millisecond
		got := s.Report(test, now)
		want := Report{
			Score: 78, Threshold: 75, PointsPerFailure: 10,
			EvidenceNats: 78 * test.NatsPerPoint(), NeededNats: test.Needed(),
			Since: time.Minute, Elapsed: 4200 * time.Millisecond,
			Calls: 43, Failures: 11,
			Healthy: 0.01, Sick: 0.30, Burst: 1.1, CallsPerFalseTrip: 1e8,
			FalseTripCalls: test.FalseTripCalls(0.01),
		}
		equal(t, "report", got, want)
		equal(t, "level", got.Level(), 1)
		equal(t, "text", got.Text("failure"), "evidence 26.4 nats of 25.4 needed: 11 failures in 43 calls over 4.2 s "+
			"(healthy 1 %, sick 30 %, at most one false trip per 100 million calls)")
	})
	t.Run("T6: what has faded is told, also before the next outcome", func(t *testing.T) {
		var s Score
		s.Record(test, 0, true)
		s.Record(test, 24*time.Second, true)
		r := s.Report(test, 48*time.Second+1)
		equal(t, "score", r.Score, 18)
		equal(t, "forgotten", r.Forgotten, 2)
		equal(t, "level", r.Level(), 18.0/75)
	})
	t.Run("T6: a score of zero has no history", func(t *testing.T) {
		var s Score
		idle := s.Report(test, time.Hour)
		s.Record(test, 0, true)
		equal(t, "faded", s.Report(test, time.Hour), idle)
		s.Good(test, 0, 10)
		equal(t, "outweighed", s.Report(test, 0), idle)
		equal(t, "calls", idle.Calls+idle.Failures+idle.Forgotten, 0)
		equal(t, "text", idle.Text("failure"),
			"evidence 0.0 nats of 25.4 needed (healthy 1 %, sick 30 %, at most one false trip per 100 million calls)")
	})
	t.Run("T6: the history begins when the score leaves zero", func(t *testing.T) {
		var s Score
		s.Record(test, 0, true)
		s.Good(test, time.Second, 10)
		s.Record(test, 2*time.Second, true)
		s.Record(test, 3*time.Second, false)
		r := s.Report(test, 3*time.Second)
		equal(t, "since", r.Since, 2*time.Second)
		equal(t, "elapsed", r.Elapsed, time.Second)
		equal(t, "calls", r.Calls, 2)
		equal(t, "failures", r.Failures, 1)
	})
	t.Run("T6: a reader with an older clock reading sees no negative time", func(t *testing.T) {
		var s Score
		s.Record(test, time.Second, true)
		equal(t, "elapsed", s.Report(test, 0).Elapsed, 0)
	})
}

func TestTexts(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 ms", 70 * time.Millisecond: "70 ms", time.Second: "1.0 s", 4149 * time.Millisecond: "4.1 s", 125500 * time.Millisecond: "2m6s",
	} {
		equal(t, "span", span(d), want)
	}
	for n, want := range map[float64]string{
		1: "1", 12345: "12345", 1e6: "1 million", 2.592e8: "259.2 million", 1e9: "1 billion", 2e12: "2 trillion", 1e15: "1000 trillion",
	} {
		equal(t, "count", count(n), want)
	}
	for rate, want := range map[float64]string{0.01: "1 %", 0.07: "7 %", 0.125: "12.5 %", 1e-9: "1e-07 %"} {
		equal(t, "percent", percent(rate), want)
	}
	equal(t, "one", plural(1, "slow call"), "1 slow call")
	equal(t, "two", plural(2, "slow call"), "2 slow calls")
}
