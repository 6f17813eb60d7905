package evidence

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// An outcome of a random stream.
type outcome struct {
	now time.Duration
	bad bool
}

// randomStream returns outcomes whose rate of bad ones changes from stretch to
// stretch, with gaps of all sizes relative to per, the time in which a point
// fades.
func randomStream(r *rand.Rand, n int, per time.Duration) []outcome {
	stream := make([]outcome, n)
	now := time.Duration(r.Int64N(1000))
	rate := 0.0
	for i := range stream {
		if i%20 == 0 {
			rate = 0.6 * r.Float64() * r.Float64()
		}
		switch r.IntN(10) {
		case 0:
			now += time.Duration(r.Int64N(int64(20*per) + 1))
		case 1, 2, 3:
			now += time.Duration(r.Int64N(int64(per) + 1))
		case 4, 5, 6:
			now += time.Duration(r.Int64N(int64(per)/10 + 1))
		}
		stream[i] = outcome{now, r.Float64() < rate}
	}
	return stream
}

// randomTest returns a test with a small threshold, so that streams often trip
// and often fade to nothing, and an interval of forgetting that its memory is
// no whole multiple of.
func randomTest(r *rand.Rand, cfg Config) *Test {
	m := 1 + r.IntN(12)
	h := 1 + r.IntN(6*m)
	if cfg.Memory == 0 {
		cfg.Memory = time.Duration(h)*time.Microsecond + time.Duration(r.IntN(h))
	}
	return compile(cfg.WithDefaults(), m, h, 0)
}

func TestScoreEqualsTheLiteralRule(t *testing.T) {
	r := random(11)
	for run := range 2000 {
		var cfg Config
		if r.IntN(2) == 0 {
			cfg.MaxRise, cfg.MaxRiseWindow = 1+r.IntN(4), 3*time.Microsecond
		}
		if r.IntN(4) == 0 {
			cfg.Memory = off
		}
		test := randomTest(r, cfg)
		want := literal(test)
		var s Score
		for i, o := range randomStream(r, 200, time.Microsecond) {
			if r.IntN(20) == 0 {
				o.now -= 2 * time.Microsecond // some come late
			}
			trip := s.Record(test, o.now, o.bad)
			if trip != want.record(o.now, o.bad) || s.points != want.score || s.points > 0 && s.mark != want.mark {
				t.Fatalf("T6: run %d, outcome %d %+v: score %d mark %d trip %v, want %d %d", run, i, o, s.points, s.mark, trip, want.score, want.mark)
			}
			if trip {
				s.Reset()
				want = literal(test)
			}
		}
	}
}

// TestDeferringGoodOutcomesIsExact holds the promise of Score.Good: bringing
// good outcomes in later and together leaves the very same state after every
// bad outcome, and the same trips.
func TestDeferringGoodOutcomesIsExact(t *testing.T) {
	r := random(12)
	for run := range 3000 {
		var cfg Config
		if r.IntN(4) == 0 {
			cfg.Memory = off
		}
		test := randomTest(r, cfg)
		equal(t, "needs every outcome", test.NeedsEveryOutcome(), false)

		var eager, lazy Score
		var waiting int64        // good outcomes not yet brought in
		var latest time.Duration // when the last of them ended
		deliver := func(now time.Duration) {
			lazy.Good(test, now, waiting)
			waiting = 0
		}
		for i, o := range randomStream(r, 200, time.Microsecond) {
			trip := eager.Record(test, o.now, o.bad)
			if !o.bad {
				waiting, latest = waiting+1, o.now
				if r.IntN(30) == 0 { // the counter may be emptied at any time,
					deliver(latest)
				}
				continue
			}
			switch r.IntN(3) { // and a bad outcome comes after all good ones
			case 0:
				deliver(o.now)
			case 1:
				deliver(latest)
			default:
				deliver(latest + time.Duration(r.Int64N(int64(o.now-latest)+1)))
			}
			if got := lazy.Record(test, o.now, true); got != trip || lazy != eager {
				t.Fatalf("T6: run %d, outcome %d: deferred %v %+v, one by one %v %+v", run, i, got, lazy, trip, eager)
			}
			latest = o.now
			if trip {
				eager.Reset()
				lazy.Reset()
			}
		}
	}
}

func TestGoodEqualsManyRecords(t *testing.T) {
	r := random(13)
	for range 2000 {
		test := randomTest(r, Config{MaxRise: r.IntN(3), MaxRiseWindow: 0})
		var one, many Score
		for _, o := range randomStream(r, 50, time.Microsecond) {
			if o.bad {
				one.Record(test, o.now, true)
				many.Record(test, o.now, true)
			} else {
				n := r.Int64N(12)
				many.Good(test, o.now, n)
				for range n {
					one.Record(test, o.now, false)
				}
			}
			equal(t, "T6: score", many.Value(test, o.now), one.Value(test, o.now))
			equal(t, "T6: report", many.Report(test, o.now), one.Report(test, o.now))
		}
	}
}

func TestScoreProperties(t *testing.T) {
	r := random(14)
	for run := range 1000 {
		seed := r.Uint64()
		// The same points and threshold under every combination of the fields
		// that only ever lower the score.
		compiled := func(cfg Config) *Test { return randomTest(random(seed), cfg) }
		plain := compiled(Config{Memory: off})
		variants := map[string]*Test{
			"memory":     compiled(Config{}),
			"rise limit": compiled(Config{Memory: off, MaxRise: 2, MaxRiseWindow: 3 * time.Microsecond}),
			"both":       compiled(Config{MaxRise: 1, MaxRiseWindow: 3 * time.Microsecond}),
		}
		stream := randomStream(r, 200, time.Microsecond)
		for name, test := range variants {
			name = fmt.Sprintf("T6: run %d with %s", run, name)
			var s, all Score
			for _, o := range stream {
				before := s.Value(test, o.now)
				good, bad := s, s
				good.Record(test, o.now, false)
				bad.Record(test, o.now, true)
				if good.points > int64(before) {
					t.Fatalf("%s: a good outcome raised the score from %d to %d", name, before, good.points)
				}
				if bad.points < int64(before) {
					t.Fatalf("%s: a bad outcome lowered the score from %d to %d", name, before, bad.points)
				}

				s.Record(test, o.now, o.bad)
				all.Record(plain, o.now, o.bad)
				if s.points > all.points {
					t.Fatalf("%s: score %d, above the plain rule's %d", name, s.points, all.points)
				}
				if s.points < 0 || s.points > test.ceiling {
					t.Fatalf("%s: score %d out of bounds", name, s.points)
				}
			}
		}
	}
}

// TestOneMoreFailureNeverHelps: had one outcome been bad instead of good, the
// score would be at no later time lower, and the trip not later.
func TestOneMoreFailureNeverHelps(t *testing.T) {
	r := random(15)
	for run := range 2000 {
		test := randomTest(r, Config{})
		stream := randomStream(r, 100, time.Microsecond)
		worse := r.IntN(len(stream))
		var a, b Score
		for i, o := range stream {
			a.Record(test, o.now, o.bad)
			if b.Record(test, o.now, o.bad || i == worse) {
				break
			}
			if b.points < a.points {
				t.Fatalf("T6: run %d: outcome %d bad instead of good, score %d after outcome %d instead of %d", run, worse, b.points, i, a.points)
			}
		}
	}
}
