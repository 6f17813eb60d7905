package main

import (
	"errors"
	"fmt"

	"github.com/switchgear-go/switchgear/breaker"
)

// kind is what becomes of an admitted call in the books.
type kind uint8

const (
	success kind = iota
	failure
	ignored
	// either is a failure, or ignored: which of the two depends on how much time was
	// left at admission by the configuration then in force (C1.4).
	either
	released
	kinds
)

var kindNames = [kinds]string{"success", "failure", "ignored", "missed deadline", "released"}

// A tally is what one caller did to one breaker. It has one writer and no lock, so
// that keeping books does not order the callers among each other.
type tally struct {
	admitted uint64
	refused  uint64
	settled  [kinds]uint64
	lost     uint64 // permits never settled
	probes   uint64 // permits known to be a probe's
	blind    uint64 // calls through Do, which may have been probes
	unknown  uint64 // calls whose goroutine ended before it learnt whether it was admitted

	surelyLate   uint64 // settled after their period had surely ended
	surelyInTime uint64 // settled while their period surely had not ended
}

func (t *tally) add(u *tally) {
	t.admitted += u.admitted
	t.refused += u.refused
	for k, n := range u.settled {
		t.settled[k] += n
	}
	t.lost += u.lost
	t.probes += u.probes
	t.blind += u.blind
	t.unknown += u.unknown
	t.surelyLate += u.surelyLate
	t.surelyInTime += u.surelyInTime
}

func (t *tally) ended() (n uint64) {
	for _, k := range t.settled {
		n += k
	}
	return n
}

// compare holds the callers' books against the breaker's, when no call is in progress
// (N1). All differences are returned.
func (t *tally) compare(c breaker.Counters) error {
	var errs []error
	require := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf("N1: "+format, args...))
		}
	}
	ended := t.ended()
	require(t.admitted == ended+t.lost,
		"the books of the callers are wrong: admitted %d, settled %d, lost %d", t.admitted, ended, t.lost)
	require(c.Successful+c.Failed+c.Ignored+c.Released+c.Late == ended,
		"%d permits were settled, but successful %d + failed %d + ignored %d + released %d + late %d is %d",
		ended, c.Successful, c.Failed, c.Ignored, c.Released, c.Late,
		c.Successful+c.Failed+c.Ignored+c.Released+c.Late)
	require(c.Rejected >= t.refused && c.Rejected <= t.refused+t.unknown,
		"%d calls were refused and of %d it is not known, but rejected is %d", t.refused, t.unknown, c.Rejected)

	// Of each kind as many as there were, less those that were late.
	require(c.Successful <= t.settled[success], "%d successes, but successful is %d", t.settled[success], c.Successful)
	require(c.Failed <= t.settled[failure]+t.settled[either],
		"%d failures and %d missed deadlines, but failed is %d", t.settled[failure], t.settled[either], c.Failed)
	require(c.Ignored <= t.settled[ignored]+t.settled[either],
		"%d ignored and %d missed deadlines, but ignored is %d", t.settled[ignored], t.settled[either], c.Ignored)
	require(c.Released <= t.settled[released], "%d releases, but released is %d", t.settled[released], c.Released)
	require(c.Failed+c.Ignored <= t.settled[failure]+t.settled[ignored]+t.settled[either],
		"%d failures, %d ignored and %d missed deadlines, but failed is %d and ignored %d",
		t.settled[failure], t.settled[ignored], t.settled[either], c.Failed, c.Ignored)
	require(c.Late >= t.surelyLate && c.Late+t.surelyInTime <= ended,
		"of %d outcomes %d were surely late and %d surely in time, but late is %d (S5)",
		ended, t.surelyLate, t.surelyInTime, c.Late)

	require(c.Slow <= c.Successful+c.Failed, "slow is %d of %d", c.Slow, c.Successful+c.Failed)
	require(c.Probes >= t.probes && c.Probes <= t.probes+t.blind+t.unknown,
		"%d probes were seen, and there may be up to %d more, but probes is %d", t.probes, t.blind+t.unknown, c.Probes)
	require(c.GivenBack <= c.Ignored+c.Released,
		"%d slots given back by %d calls without an outcome", c.GivenBack, c.Ignored+c.Released)
	require(c.Overdue <= c.Probes, "%d of %d probes overdue", c.Overdue, c.Probes)
	return errors.Join(errs...)
}

// counts lists the counters, for comparisons of all of them.
func counts(c breaker.Counters) [11]uint64 {
	return [...]uint64{
		c.Successful, c.Failed, c.Slow, c.Ignored, c.Released, c.Rejected, c.Late, c.Trips, c.Probes, c.GivenBack, c.Overdue,
	}
}

var countNames = [11]string{
	"successful", "failed", "slow", "ignored", "released", "rejected", "late", "trips", "probes", "given back", "overdue",
}

// grown returns an error if a counter of the second reading is less than in the first.
func grown(first, second breaker.Counters) error {
	before, after := counts(first), counts(second)
	for i := range before {
		if after[i] < before[i] {
			return fmt.Errorf("N1: counter %q went back from %d to %d", countNames[i], before[i], after[i])
		}
	}
	return nil
}

// consistent returns an error if the numbers of a window contradict each other.
func consistent(n breaker.Numbers) error {
	both := n.Failed + n.Slow - n.Calls // at least so many are both
	if min(n.Calls, n.Failed, n.Slow, n.SlowFailed) < 0 || max(n.Failed, n.Slow) > n.Calls ||
		n.SlowFailed > min(n.Failed, n.Slow) || n.SlowFailed < both {
		return fmt.Errorf("W3: window of %d calls, %d failed, %d slow, %d slow and failed", n.Calls, n.Failed, n.Slow, n.SlowFailed)
	}
	return nil
}
