package evidence

import (
	"encoding/binary"
	"math"
	"testing"
	"time"
)

// FuzzConfig: no configuration, however odd, makes validation or compilation
// panic or hang; what is accepted lies within its bounds.
func FuzzConfig(f *testing.F) {
	f.Add(0.0, 0.0, 0.0, 0.0, int64(0), 0, int64(0))
	f.Add(0.001, 0.0013, 5e14, 1.0, int64(off), 2, int64(time.Second))
	f.Add(1e-9, 2e-9, 1e15, 4.0, int64(1), math.MaxInt, int64(1))
	f.Add(1e-9, 0.99999, 1.0, 1.0, int64(math.MaxInt64), 1, int64(math.MaxInt64))
	f.Add(0.7, math.Nextafter(0.7, 1), 1e8, 1.0, int64(-1), -1, int64(-1))
	f.Add(math.NaN(), math.Inf(1), math.Inf(-1), math.SmallestNonzeroFloat64, int64(math.MinInt64), math.MinInt, int64(math.MinInt64))
	f.Fuzz(func(t *testing.T, healthy, sick, calls, burst float64, memory int64, maxRise int, window int64) {
		cfg := Config{healthy, sick, calls, burst, time.Duration(memory), maxRise, time.Duration(window)}
		cfg.Warnings("")
		found := cfg.Problems("")
		for shares := 1; shares <= 2; shares++ {
			test, err := NewTest(cfg, shares)
			if (err == nil) != (len(found) == 0) || (test == nil) != (err != nil) {
				t.Fatalf("problems %v, but error %v", found, err)
			}
			if err != nil {
				continue
			}
			if h := test.Threshold(); h < 1 || h > MaxThreshold {
				t.Errorf("threshold %d", h)
			}
			if m := test.Points(); m < 1 || m >= 1e9 {
				t.Errorf("points %d", m)
			}
			if test.per < 0 || test.rise < 0 || test.ceiling < test.threshold || test.rise > test.ceiling+test.points {
				t.Errorf("compiled to %+v", test)
			}
			if nats := test.NatsPerPoint(); !(nats > 0 && nats < math.Inf(1)) {
				t.Errorf("nats per point %v", nats)
			}
			if !(test.falseTripCalls >= float64(shares)*test.Config().CallsPerFalseTrip && test.falseTripCalls < math.Inf(1)) {
				t.Errorf("false trip after %v calls", test.falseTripCalls)
			}
			var s Score
			for !s.Record(test, 0, true) && s.points < test.rise {
			}
			_ = s.Report(test, 0).Text("failure")
		}
	})
}

// FuzzRunLength: every argument gives a number of calls, or NaN where it is
// out of bounds.
func FuzzRunLength(f *testing.F) {
	f.Add(10, 75, 0.01, 1.1)
	f.Add(1, MaxThreshold, 0.5, 1.0)
	f.Add(math.MaxInt, MaxThreshold, 1.0, math.MaxFloat64)
	f.Add(2, 3000, math.SmallestNonzeroFloat64, 1.5)
	f.Fuzz(func(t *testing.T, points, threshold int, rate, burst float64) {
		calls := RunLength(points, threshold, rate, burst)
		valid := points >= 1 && threshold >= 1 && threshold <= MaxThreshold && rate >= 0 && rate <= 1 && burst >= 1 && !math.IsInf(burst, 0)
		if valid && !(calls > 1-1e-9) || !valid && !math.IsNaN(calls) {
			t.Errorf("RunLength(%d, %d, %v, %v) = %v", points, threshold, rate, burst, calls)
		}
	})
}

// FuzzScore: whatever the times and outcomes, the score stays in its bounds,
// looking at it changes nothing, and it trips exactly from its threshold on.
func FuzzScore(f *testing.F) {
	f.Add(int64(30*time.Minute), 0, []byte("\x01\x00\x00\x00\x00\x00\x00\x00\x01"))
	f.Add(int64(off), 2, []byte("\xff\xff\xff\xff\xff\xff\xff\x7f\x01\x00\x00\x00\x00\x00\x00\x00\x80\x01"))
	f.Add(int64(100), 1, make([]byte, 90))
	f.Fuzz(func(t *testing.T, memory int64, maxRise int, events []byte) {
		test, err := NewTest(Config{Memory: time.Duration(memory), MaxRise: maxRise}, 1)
		if err != nil {
			return
		}
		var s Score
		for ; len(events) >= 9; events = events[9:] {
			now := time.Duration(binary.LittleEndian.Uint64(events))
			what := events[8]

			before := s
			faded := s.Value(test, now)
			s.Report(test, now)
			if s != before || int64(faded) > s.points {
				t.Fatalf("looking changed %+v to %+v, value %d", before, s, faded)
			}
			switch {
			case what >= 128:
				s.Good(test, now, int64(what-127))
			case s.Record(test, now, what%2 == 1) != (s.points >= test.threshold):
				t.Fatalf("trip is wrong at %+v", s)
			}
			if s.points < 0 || s.points > test.ceiling || s.points > int64(faded)+test.points {
				t.Fatalf("score %+v from %d", s, faded)
			}
		}
	})
}
