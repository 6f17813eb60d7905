package demo

import (
	"reflect"
	"testing"
	"time"
)

const ms = time.Millisecond

func TestChecks(t *testing.T) {
	for _, c := range []struct {
		name               string
		add                func(*Act)
		want               Verdict
		expected, measured any
		texts              [2]string
	}{
		{"a count that is right", func(a *Act) { a.count("n", "", 3, 3) }, Pass, 3, 3, [2]string{"3", "3"}},
		{"a count that is off", func(a *Act) { a.count("n", "", 3, 4) }, Fail, 3, 4, [2]string{"3", "4"}},
		{"at least, reached", func(a *Act) { a.atLeast("n", "", 2, 2) }, Pass, []any{2, nil}, 2, [2]string{"at least 2", "2"}},
		{"at least, missed", func(a *Act) { a.atLeast("n", "", 2, 1) }, Fail, []any{2, nil}, 1, [2]string{"at least 2", "1"}},
		{"a word", func(a *Act) { a.word("n", "", "open", "open") }, Pass, "open", "open", [2]string{"open", "open"}},
		{"another word", func(a *Act) { a.word("n", "", "open", "closed") }, Fail, "open", "closed", [2]string{"open", "closed"}},
		{
			"words", func(a *Act) { a.list("n", "", []string{"a", "b"}, []string{"a", "b"}) },
			Pass, []string{"a", "b"}, []string{"a", "b"}, [2]string{"2 of 2", "2 of 2"},
		},
		{
			"words, one wrong", func(a *Act) { a.list("n", "", []string{"a", "b"}, []string{"a", "c"}) },
			Fail, []string{"a", "b"}, []string{"a", "c"}, [2]string{"2 of 2", "1 of 2"},
		},
		{
			"words, one missing", func(a *Act) { a.list("n", "", []string{"a", "b"}, []string{"a"}) },
			Fail, []string{"a", "b"}, []string{"a"}, [2]string{"2 of 2", "1 of 2"},
		},
		{
			"words, one too many", func(a *Act) { a.list("n", "", []string{"a"}, []string{"a", "b"}) },
			Fail, []string{"a"}, []string{"a", "b"}, [2]string{"1 of 1", "1 of 1"},
		},
		{
			"a time in its band", func(a *Act) { a.time("n", "", 3*time.Second, 500*ms, 3020*ms) },
			Pass, []float64{3, 3.5}, 3.02, [2]string{"3.00 to 3.50 s", "3.02 s"},
		},
		{
			"a time on either bound", func(a *Act) { a.time("n", "", 3*time.Second, 0, 3*time.Second) },
			Pass, []float64{3, 3}, 3.0, [2]string{"3.00 to 3.00 s", "3.00 s"},
		},
		{
			"late is a note", func(a *Act) { a.time("n", "", 900*ms, 100*ms, 1001*ms) },
			Note, []float64{0.9, 1}, 1.001, [2]string{"900 ms to 1.00 s", "1.00 s"},
		},
		{
			"early is wrong", func(a *Act) { a.time("n", "", 900*ms, 100*ms, 900*ms-1) },
			Fail, []float64{0.9, 1}, 0.9, [2]string{"900 ms to 1.00 s", "899 ms"},
		},
		{
			"at most", func(a *Act) { a.atMost("n", "", 10*ms, 700) },
			Pass, []float64{0, 0.01}, 0.000001, [2]string{"at most 10 ms", "0.7 µs"},
		},
		{
			"more than at most is a note", func(a *Act) { a.atMost("n", "", 10*ms, 11*ms) },
			Note, []float64{0, 0.01}, 0.011, [2]string{"at most 10 ms", "11 ms"},
		},
		{
			"a ratio", func(a *Act) { a.ratio("n", "", 6.3, 6.8, 20.0/3) },
			Pass, []float64{6.3, 6.8}, 6.6667, [2]string{"6.3 to 6.8", "6.67"},
		},
		{
			"a ratio is never more than a note", func(a *Act) { a.ratio("n", "", 6.3, 6.8, 1) },
			Note, []float64{6.3, 6.8}, 1.0, [2]string{"6.3 to 6.8", "1.00"},
		},
		{
			"a drawn time", func(a *Act) { a.drawn("n", "", 180*ms, 220*ms, 219*ms) },
			Pass, []float64{0.18, 0.22}, 0.219, [2]string{"180 to 220 ms", "219 ms"},
		},
		{
			"a drawn time has no excuse", func(a *Act) { a.drawn("n", "", 180*ms, 220*ms, 221*ms) },
			Fail, []float64{0.18, 0.22}, 0.221, [2]string{"180 to 220 ms", "221 ms"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var a Act
			c.add(&a)
			got := a.Checks[0]
			if got.Verdict != c.want || a.Pass() != (c.want != Fail) {
				t.Errorf("verdict %q, act passes: %v; want %q", got.Verdict, a.Pass(), c.want)
			}
			if !reflect.DeepEqual(got.Expected, c.expected) || !reflect.DeepEqual(got.Measured, c.measured) {
				t.Errorf("expected %v, measured %v; want %v, %v", got.Expected, got.Measured, c.expected, c.measured)
			}
			if texts := [2]string{got.expected, got.measured}; texts != c.texts {
				t.Errorf("texts %q, want %q", texts, c.texts)
			}
		})
	}
}

func TestTimesAreJudgedOneByOne(t *testing.T) {
	due := []time.Duration{100 * ms, 200 * ms}
	slack := func(i int) time.Duration { return time.Duration(i+1) * 10 * ms }
	for _, c := range []struct {
		got   []time.Duration
		want  Verdict
		right string
	}{
		{[]time.Duration{110 * ms, 220 * ms}, Pass, "2 of 2"},
		{[]time.Duration{111 * ms, 220 * ms}, Note, "1 of 2"},
		{[]time.Duration{111 * ms, 199 * ms}, Fail, "0 of 2"},
	} {
		var a Act
		a.times("n", "", due, slack, c.got)
		if got := a.Checks[0]; got.Verdict != c.want || got.measured != c.right {
			t.Errorf("%v: %q, %q; want %q, %q", c.got, got.Verdict, got.measured, c.want, c.right)
		}
	}
}

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0:                     "0.0 µs",
		840:                   "0.8 µs",
		12345:                 "12 µs",
		999 * 1000:            "999 µs",
		ms:                    "1 ms",
		time.Second - 1:       "999 ms", // never rounded up to what it is not
		time.Second:           "1.00 s",
		60500 * ms:            "60.50 s",
		1234567 * time.Second: "1234567.00 s",
	} {
		if got := span(d); got != want {
			t.Errorf("span(%d) = %q, want %q", d, got, want)
		}
	}
}
