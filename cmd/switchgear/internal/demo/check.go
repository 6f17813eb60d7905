package demo

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Verdict is what became of one comparison.
type Verdict string

// The verdicts.
const (
	Pass Verdict = "pass"
	// Note: a time above its band, which a busy machine can cause.
	Note Verdict = "note"
	// Fail: a count that is off, or a time that is too short.
	Fail Verdict = "fail"
)

// A Check compares one measured value with the expected one.
type Check struct {
	// Name is the value's name in JSON, Label its name for people.
	Name, Label string
	// Expected and Measured are whole numbers, words, numbers of seconds, or
	// lists of these. Where a band is expected, it is a list of two bounds, of
	// which the upper may be nil.
	Expected, Measured any
	Verdict            Verdict

	expected, measured string // for people
}

func passIf(ok bool) Verdict {
	if ok {
		return Pass
	}
	return Fail
}

// band judges a measurement that may be too large without being wrong.
func band[T int64 | float64 | time.Duration](got, least, most T) Verdict {
	switch {
	case got < least:
		return Fail
	case got > most:
		return Note
	}
	return Pass
}

// count checks a number that must be exact.
func (a *Act) count(name, label string, want, got int) {
	a.Checks = append(a.Checks, Check{
		name, label, want, got, passIf(got == want), strconv.Itoa(want), strconv.Itoa(got),
	})
}

// atLeast checks a number that depends on chance but has a bound.
func (a *Act) atLeast(name, label string, want, got int) {
	a.Checks = append(a.Checks, Check{
		name, label, []any{want, nil}, got, passIf(got >= want), fmt.Sprintf("at least %d", want), strconv.Itoa(got),
	})
}

// word checks a word that must be exact.
func (a *Act) word(name, label, want, got string) {
	a.Checks = append(a.Checks, Check{name, label, want, got, passIf(got == want), want, got})
}

// list checks words that must be exact, one by one.
func (a *Act) list(name, label string, want, got []string) {
	same := 0
	for i := range min(len(want), len(got)) {
		if want[i] == got[i] {
			same++
		}
	}
	a.Checks = append(a.Checks, Check{
		name, label, want, got, passIf(slices.Equal(want, got)),
		outOf(len(want), len(want)), outOf(same, len(want)),
	})
}

// time checks a duration that is never shorter than least and, on a machine at
// rest, at most longer by slack.
func (a *Act) time(name, label string, least, slack, got time.Duration) {
	a.Checks = append(a.Checks, Check{
		name, label, []float64{seconds(least), seconds(least + slack)}, seconds(got),
		band(got, least, least+slack), spans(least, least+slack), span(got),
	})
}

// atMost checks a duration that should be short.
func (a *Act) atMost(name, label string, most, got time.Duration) {
	a.Checks = append(a.Checks, Check{
		name, label, []float64{0, seconds(most)}, seconds(got),
		band(got, 0, most), "at most " + span(most), span(got),
	})
}

// times checks a list of instants, each as time does.
func (a *Act) times(name, label string, least []time.Duration, slack func(i int) time.Duration, got []time.Duration) {
	var bands [][]float64
	var measured []float64
	var verdicts []Verdict
	for i, want := range least {
		bands = append(bands, []float64{seconds(want), seconds(want + slack(i))})
		measured = append(measured, seconds(got[i]))
		verdicts = append(verdicts, band(got[i], want, want+slack(i)))
	}
	right := len(verdicts) - count(verdicts, Fail) - count(verdicts, Note)
	a.Checks = append(a.Checks, Check{
		name, label, bands, measured, worst(verdicts),
		outOf(len(least), len(least)), outOf(right, len(least)),
	})
}

// ratio checks a quotient of two times. It is never more than a note, since both
// times are judged by themselves.
func (a *Act) ratio(name, label string, least, most, got float64) {
	verdict := Pass
	if got < least || got > most {
		verdict = Note
	}
	a.Checks = append(a.Checks, Check{
		name, label, []float64{least, most}, round(got), verdict,
		fmt.Sprintf("%.1f to %.1f", least, most), fmt.Sprintf("%.2f", got),
	})
}

// drawn checks a duration that chance has drawn from a range.
func (a *Act) drawn(name, label string, least, most, got time.Duration) {
	a.Checks = append(a.Checks, Check{
		name, label, []float64{seconds(least), seconds(most)}, seconds(got),
		passIf(least <= got && got <= most), spans(least, most), span(got),
	})
}

func outOf(n, all int) string { return fmt.Sprintf("%d of %d", n, all) }

func count(verdicts []Verdict, v Verdict) (n int) {
	for _, x := range verdicts {
		if x == v {
			n++
		}
	}
	return n
}

// worst returns the verdict on the whole of several.
func worst(verdicts []Verdict) Verdict {
	for _, v := range []Verdict{Fail, Note} {
		if slices.Contains(verdicts, v) {
			return v
		}
	}
	return Pass
}

// seconds is a duration as reports have it, to the microsecond. One division
// gives the float that prints with no more digits than that.
func seconds(d time.Duration) float64 {
	return float64(d.Round(time.Microsecond).Microseconds()) / 1e6
}

func round(x float64) float64 {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'f', 4, 64), 64)
	return y
}

// span is a duration for people, with three digits or so.
func span(d time.Duration) string {
	switch {
	case d < 10*time.Microsecond:
		return fmt.Sprintf("%.1f µs", float64(d)/float64(time.Microsecond))
	case d < time.Millisecond:
		return fmt.Sprintf("%d µs", d.Microseconds())
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}

// spans is a range of durations, with one unit if one will do.
func spans(least, most time.Duration) string {
	from, to := span(least), span(most)
	if _, unit, _ := strings.Cut(to, " "); strings.HasSuffix(from, " "+unit) {
		from = strings.TrimSuffix(from, " "+unit)
	}
	return from + " to " + to
}
