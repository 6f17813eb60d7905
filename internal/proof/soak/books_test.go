package main

import (
	"testing"

	"github.com/switchgear-go/switchgear/breaker"
)

// balanced returns books that agree with each other.
func balanced() (tally, breaker.Counters) {
	t := tally{
		admitted: 108, refused: 40, lost: 3, probes: 10, blind: 5, unknown: 2, surelyLate: 2, surelyInTime: 50,
		settled: [kinds]uint64{success: 60, failure: 20, ignored: 10, either: 5, released: 10},
	}
	c := breaker.Counters{
		Successful: 57, Failed: 22, Ignored: 12, Released: 9, Late: 5, Slow: 7, Rejected: 41, Probes: 12, GivenBack: 4, Overdue: 1, Trips: 3,
	}
	return t, c
}

func TestBooks(t *testing.T) {
	mine, theirs := balanced()
	accuses(t, mine.compare(theirs), "")
	for name, tamper := range map[string]func(*tally, *breaker.Counters){
		"a success twice":                        func(_ *tally, c *breaker.Counters) { c.Successful++ },
		"a success lost":                         func(_ *tally, c *breaker.Counters) { c.Successful-- },
		"a success for a failure":                func(_ *tally, c *breaker.Counters) { c.Successful += 4; c.Failed -= 4 },
		"a failure for a success":                func(_ *tally, c *breaker.Counters) { c.Failed += 4; c.Successful -= 4 },
		"ignored for a success":                  func(_ *tally, c *breaker.Counters) { c.Ignored += 4; c.Successful -= 4 },
		"released for a success":                 func(_ *tally, c *breaker.Counters) { c.Released += 2; c.Successful -= 2 },
		"more missed deadlines than there were":  func(_ *tally, c *breaker.Counters) { c.Failed++; c.Ignored++; c.Successful -= 2 },
		"a late outcome twice":                   func(_ *tally, c *breaker.Counters) { c.Late++ },
		"a stale outcome that counted":           func(_ *tally, c *breaker.Counters) { c.Late -= 4; c.Successful += 3; c.Released++ },
		"an outcome in time that was late":       func(_ *tally, c *breaker.Counters) { c.Late = 56; c.Successful -= 51 },
		"a refusal twice":                        func(_ *tally, c *breaker.Counters) { c.Rejected = 43 },
		"a refusal lost":                         func(_ *tally, c *breaker.Counters) { c.Rejected = 39 },
		"a probe twice":                          func(_ *tally, c *breaker.Counters) { c.Probes = 18 },
		"a probe lost":                           func(_ *tally, c *breaker.Counters) { c.Probes = 9 },
		"slow without having happened":           func(_ *tally, c *breaker.Counters) { c.Slow = 80 },
		"slots given back that nobody had":       func(_ *tally, c *breaker.Counters) { c.GivenBack = 22 },
		"overdue probes that were never probing": func(_ *tally, c *breaker.Counters) { c.Overdue = 13 },
		"a caller who does not know what he did": func(m *tally, _ *breaker.Counters) { m.admitted++ },
	} {
		t.Run(name, func(t *testing.T) {
			mine, theirs := balanced()
			tamper(&mine, &theirs)
			accuses(t, mine.compare(theirs), "N1")
		})
	}
	t.Run("books of several callers add up", func(t *testing.T) {
		mine, theirs := balanced()
		var sum tally
		sum.add(&mine)
		equal(t, "sum", sum, mine)
		sum.add(&mine)
		accuses(t, sum.compare(theirs), "N1")
		equal(t, "ended", sum.ended(), 2*mine.ended())
	})
}

func TestGrown(t *testing.T) {
	_, before := balanced()
	accuses(t, grown(before, before), "")
	for i := range countNames {
		after := before
		*[]*uint64{
			&after.Successful, &after.Failed, &after.Slow, &after.Ignored, &after.Released, &after.Rejected, &after.Late,
			&after.Trips, &after.Probes, &after.GivenBack, &after.Overdue,
		}[i]--
		accuses(t, grown(before, after), "N1")
		accuses(t, grown(after, before), "")
	}
}

func TestConsistent(t *testing.T) {
	for _, test := range []struct {
		calls, failed, slow, both int64
		rule                      string
	}{
		{0, 0, 0, 0, ""}, {5, 5, 5, 5, ""}, {5, 3, 3, 1, ""}, {5, 2, 3, 0, ""},
		{-1, 0, 0, 0, "W3"}, {5, -1, 0, 0, "W3"}, {5, 0, -1, 0, "W3"}, {5, 2, 2, -1, "W3"},
		{5, 6, 0, 0, "W3"}, {5, 0, 6, 0, "W3"}, {5, 2, 3, 3, "W3"}, {5, 3, 3, 0, "W3"},
	} {
		n := numbers(1, test.calls, test.failed)
		n.Slow, n.SlowFailed = test.slow, test.both
		accuses(t, consistent(n), test.rule)
	}
}
