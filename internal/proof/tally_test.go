package proof

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/switchgear-go/switchgear/internal/proof/model"
)

// A tally counts what happened in histories.
type tally map[string]int

func (t tally) note(what string) { t[what]++ }

// event notes what an event shows.
func (t tally) event(e model.Event) {
	switch {
	case e.Renewed:
		t.note("renewed " + string(e.To))
	case strings.Contains(e.Reason, "expired"):
		t.note("expired " + string(e.From))
	default:
		t.note(string(e.From) + " to " + string(e.To))
	}
	if e.Trip == nil {
		return
	}
	t.note("rule " + e.Trip.Rule)
	if e.Trip.Hint > 0 {
		t.note("trip with a hint")
	}
	if s := e.Trip.Evidence; s != nil && s.Forgotten > 0 {
		t.note("evidence that has faded")
	}
	if len(e.Trip.Errors) > 1 {
		t.note("trip with several kinds of errors")
	}
}

// A ledger adds up the tallies of many histories.
type ledger struct {
	mu        sync.Mutex
	histories int
	total     tally
	in        tally // in how many histories
}

func (l *ledger) add(t tally) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.histories++
	if l.total == nil {
		l.total, l.in = tally{}, tally{}
	}
	for what, n := range t {
		l.total[what] += n
		l.in[what]++
	}
}

// require fails the test if one of the things named never happened: histories that
// do not contain what they are to test prove nothing. Below so many histories it is
// content, since then chance might say otherwise.
func (l *ledger) require(t *testing.T, enough int, names ...string) {
	t.Helper()
	if t.Failed() || l.histories < enough {
		return
	}
	for _, name := range names {
		if l.total[name] == 0 {
			t.Errorf("in %d histories it never happened: %s", l.histories, name)
		}
	}
	if testing.Verbose() {
		for _, name := range slices.Sorted(maps.Keys(l.total)) {
			t.Logf("%7d times in %5d of %d histories: %s", l.total[name], l.in[name], l.histories, name)
		}
	}
}

// each makes the names of what happens in several states.
func each(prefix, states string) (names []string) {
	for _, s := range strings.Fields(states) {
		names = append(names, prefix+s)
	}
	return names
}
