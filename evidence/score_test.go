package evidence

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"testing"
	"time"
)

func TestScore(t *testing.T) {
	test := mustTest(t, Config{}, 1) // m 10, H 75, a point fades in 24 s

	t.Run("T6: eight failures in a row trip the default", func(t *testing.T) {
		var s Score
		for i := 1; i <= 8; i++ {
			equal(t, "trip", s.Record(test, 0, true), i == 8)
			equal(t, "score", s.Value(test, 0), 10*i)
		}
	})
	t.Run("T6: a score exactly met trips", func(t *testing.T) {
		var s Score
		exact := compile(Config{}.WithDefaults(), 10, 20, 0)
		equal(t, "at 10", s.Record(exact, 0, true), false)
		equal(t, "at 20", s.Record(exact, 0, true), true)
	})
	t.Run("T6: good outcomes never lead below zero", func(t *testing.T) {
		var s Score
		s.Record(test, 0, false)
		equal(t, "score", s.Value(test, 0), 0)
		s.Record(test, 0, true)
		s.Good(test, 0, math.MaxInt64)
		equal(t, "score", s.Value(test, 0), 0)
		equal(t, "calls overflow", s.calls < 0, false)
	})
	t.Run("T6: a number of good outcomes that is none changes nothing", func(t *testing.T) {
		var s Score
		s.Record(test, 0, true)
		before := s
		s.Good(test, time.Hour, 0)
		s.Good(test, time.Hour, -5)
		equal(t, "score", s, before)
	})
	t.Run("T6: without a trip acted on, the score stays bounded", func(t *testing.T) {
		var s Score
		for range 1000 {
			s.Record(test, 0, true)
		}
		equal(t, "score", s.Value(test, 0), 75+10-1)
		s.Good(test, 0, 10)
		equal(t, "a good one below the threshold", s.Record(test, 0, false), false)
	})
	t.Run("T6: a good outcome trips only where a trip was not acted on", func(t *testing.T) {
		var s Score
		for range 8 {
			s.Record(test, 0, true)
		}
		equal(t, "trip", s.Record(test, 0, false), true)
	})
	t.Run("T6: a score fades within its memory", func(t *testing.T) {
		var s Score
		for range 7 {
			s.Record(test, 0, true)
		}
		equal(t, "a moment before a point", s.Value(test, 24*time.Second-1), 70)
		equal(t, "a point", s.Value(test, 24*time.Second), 69)
		equal(t, "all", s.Value(test, 70*24*time.Second), 0)
		equal(t, "much later", s.Value(test, math.MaxInt64), 0)
	})
	t.Run("T6: off means that nothing fades", func(t *testing.T) {
		var s Score
		forever := mustTest(t, Config{Memory: off}, 1)
		s.Record(forever, 0, true)
		equal(t, "score", s.Value(forever, math.MaxInt64), 10)
	})
	t.Run("T6: time that runs backwards forgets nothing", func(t *testing.T) {
		var s Score
		s.Record(test, time.Hour, true)
		s.Record(test, 0, true)
		equal(t, "score", s.Value(test, time.Hour), 20)
		s.Record(test, math.MinInt64, true)
		equal(t, "score, the difference being beyond int64", s.Value(test, time.Hour), 30)
	})
	t.Run("T6: a reset begins anew", func(t *testing.T) {
		var s Score
		s.Record(test, time.Second, true)
		s.Reset()
		equal(t, "score", s, Score{})
		equal(t, "idle", s.Idle(), true)
	})
	t.Run("T6: while idle, a good outcome changes nothing whatever the time", func(t *testing.T) {
		var s Score
		for _, now := range []time.Duration{0, time.Hour, -time.Hour} {
			s.Record(test, now, false)
			s.Good(test, now, 7)
			equal(t, "score", s, Score{})
		}
	})
	t.Run("T6: idle follows the score without the clock", func(t *testing.T) {
		var s Score
		s.Record(test, 0, true)
		equal(t, "after a bad outcome", s.Idle(), false)
		equal(t, "faded, but nobody looked", s.Value(test, time.Hour), 0)
		equal(t, "after a look", s.Idle(), false)
		s.Record(test, time.Hour, false)
		equal(t, "after the next outcome", s.Idle(), true)
	})
}

func TestRiseLimit(t *testing.T) {
	const window = 50 * time.Millisecond
	test := mustTest(t, Config{MaxRise: 2}, 1)

	t.Run("T6: fifty failures at one instant are two", func(t *testing.T) {
		var s Score
		for range 50 {
			equal(t, "trip", s.Record(test, time.Second, true), false)
		}
		equal(t, "score", s.Value(test, time.Second), 20)
	})
	t.Run("T6: it is the net rise that is limited", func(t *testing.T) {
		var s Score
		for range 5 {
			s.Record(test, 0, true)
		}
		s.Good(test, 0, 10)
		s.Record(test, 0, true)
		equal(t, "good outcomes make room again", s.Value(test, 0), 20)
	})
	t.Run("T6: no trip before the fourth window", func(t *testing.T) {
		var s Score
		for now := time.Duration(0); ; now += time.Millisecond {
			if s.Record(test, now, true) {
				equal(t, "tripped at", now, 3*window+time.Millisecond) // the eighth failure that counts
				break
			}
		}
	})
	t.Run("T6: a good outcome opens a window too, at zero as well", func(t *testing.T) {
		var s Score
		s.Record(test, 0, false)
		s.Record(test, window-1, true)
		s.Record(test, window-1, true)
		s.Record(test, window-1, true)
		equal(t, "in the window of the good one", s.Value(test, window), 20)
		s.Record(test, window, true)
		equal(t, "in the next", s.Value(test, window), 30)
	})
	t.Run("T6: time that runs backwards opens no window", func(t *testing.T) {
		var s Score
		for _, now := range []time.Duration{time.Hour, 0, math.MinInt64} {
			s.Record(test, now, true)
			s.Record(test, now, true)
		}
		equal(t, "score", s.Value(test, time.Hour), 20)
	})
}

// An update must be cheap on every machine, so it is done in whole numbers.
func TestUpdateHasNoFloatingPoint(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "score.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			switch n.Name {
			case "float64", "float32", "math", "nats", "falseTripCalls", "cfg":
				t.Errorf("T6: score.go speaks of %s", n.Name)
			}
		case *ast.BasicLit:
			if n.Kind == token.FLOAT {
				t.Errorf("T6: score.go has the number %s", n.Value)
			}
		}
		return true
	})
}

func TestNothingAllocates(t *testing.T) {
	test := mustTest(t, Config{MaxRise: 2}, 1)
	var s Score
	var now time.Duration
	var sum int
	allocs := testing.AllocsPerRun(1000, func() {
		now += 7 * time.Millisecond
		if s.Record(test, now, now%3 == 0) {
			s.Reset()
		}
		s.Good(test, now, 1)
		sum += s.Value(test, now) + s.Report(test, now).Score
	})
	equal(t, "K2: allocations", allocs, 0)
}
