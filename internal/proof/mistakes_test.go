package proof

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// A mistake is a way in which the breaker could be wrong that shows only when goroutines
// meet: a piece of its code and what stands there instead. The instrumented build can make
// each of them.
type mistake struct {
	name string
	file string
	// A piece of code, which must stand once in the file: one or more statements, and what
	// takes their place. Or any piece, and what takes its place always, with the word WRONG
	// in it for whether the mistake is to be made.
	is, becomes string
	noticed     []string // by these tests
}

var mistakes = []mistake{
	// The cells.
	{
		name: "a success counts whatever period its cell is for", file: "breaker/cells.go",
		is:      "return (w^tag)>>(countBits-1) == 0 && c.good.CompareAndSwap(w, w+1)",
		becomes: "return w != 0 && c.good.CompareAndSwap(w, w+1)",
		noticed: []string{"TestEveryOrder/S5: a reset among successes", "TestLinearizable/S4, time stands still"},
	},
	{
		name: "two successes are counted as one", file: "breaker/cells.go",
		is:      "return (w^tag)>>(countBits-1) == 0 && c.good.CompareAndSwap(w, w+1)",
		becomes: "if (w^tag)>>(countBits-1) != 0 { return false }; c.good.Store(w + 1); return true",
		noticed: []string{"TestEveryOrder/N1: counting in one cell", "TestLinearizable/T1, count window"},
	},
	{
		name: "a success between reading a cell and sealing it is lost", file: "breaker/cells.go",
		is:      "sum += int64(c[i].good.Swap(0) & countMask)",
		becomes: "sum += int64(c[i].good.Load() & countMask); c[i].good.Store(0)",
		noticed: []string{"TestEveryOrder/S5, W4", "TestLinearizable/T1, count window"},
	},
	{
		name: "the cells are sealed and not booked", file: "breaker/settle.go",
		is:      "b.bookSum(p, sum)\n\t\tb.booked = 0",
		becomes: "_ = sum; b.booked = 0",
		noticed: []string{"TestEveryOrder/S5, W4", "TestLinearizable/S4", "TestBreakerEqualsTheModel/operators"},
	},
	{
		name: "the cells are sealed after the outcome was judged", file: "breaker/settle.go",
		is: `	if !calm {
		b.stop(p)
		b.endGrace(now)
	}
	b.file(p, now, o)
	if calm {
		return
	}
`,
		becomes: `	b.file(p, now, o)
	if calm {
		return
	}
	if b.grace > 0 { // not what this is about
		b.stop(p)
		b.endGrace(now)
	}
`,
		noticed: []string{"TestEveryOrder/W4: a failure in a row", "TestLinearizable/T3, T4"},
	},
	{
		name: "the cells are opened before it is known until when", file: "breaker/settle.go",
		is:      "b.fastUntil.Store(int64(end)) // while sealed: see countSuccess\n\tb.counting = true\n\tb.cells.open(p.tag.Load())",
		becomes: "b.counting = true; b.cells.open(p.tag.Load()); b.fastUntil.Store(int64(end))",
		noticed: []string{"TestEveryOrder/W2: DISABLED ends"},
	},
	{ // Either piece alone does no harm.
		name: "the cells are opened before it is known until when", file: "breaker/period.go",
		is:      "b.fastUntil.Store(0) // until resume knows better\n",
		becomes: "",
	},
	{
		name: "the cells are opened for a period that has not begun", file: "breaker/period.go",
		is:      "b.cur.Store(p)\n\tif s.to.admits() {\n\t\tb.resume(p, s.at)\n\t}",
		becomes: "if s.to.admits() { b.resume(p, s.at) }; b.cur.Store(p)",
		noticed: []string{"TestEveryOrder/S5: a reset among successes"},
	},
	{
		name: "a period ends and its cells go on", file: "breaker/period.go",
		is:      "b.stop(old) // from here on no outcome of the old period is counted\n",
		becomes: "",
		noticed: []string{"TestEveryOrder/S4: METRICS_ONLY expires", "TestLinearizable/S4"},
	},
	{
		name: "the end of the bucket is not looked at", file: "breaker/settle.go",
		is: "int64(now) >= b.fastUntil.Load() {\n\t\t\treturn false", becomes: "!WRONG && int64(now) >= b.fastUntil.Load() {\n\t\t\treturn false",
		noticed: []string{"TestEveryOrder/W2: the only bucket ends"},
	},
	{
		name: "new rules count in old cells", file: "breaker/reconfigure.go",
		is:      "b.fence(p)",
		becomes: "",
		noticed: []string{"TestEveryOrder/R2: calls become slow"},
	},

	// Booking.
	{
		name: "a failure is filed before the successes that came before it", file: "breaker/settle.go",
		is:      "b.book(p)",
		becomes: "",
		noticed: []string{"TestEveryOrder/N1: a failure that changes nothing", "TestBreakerEqualsTheModel/failure rate"},
	},
	{
		name: "a snapshot does not book", file: "breaker/snapshot.go",
		is:      "b.book(p)",
		becomes: "",
		noticed: []string{"TestEveryOrder/N1: counting and reading", "TestLinearizable/T1, count window", "TestBreakerEqualsTheModel/failure rate"},
	},
	{
		name: "reading the counters does not book", file: "breaker/snapshot.go",
		is:      "b.book(b.cur.Load())",
		becomes: "",
		noticed: []string{"TestEveryOrder/N1: a failure that changes nothing", "TestLinearizable/T1, count window", "TestBreakerEqualsTheModel/failure rate"},
	},
	{
		name: "late counts twice", file: "breaker/settle.go",
		is:      "b.cells.mine().late.Add(1)",
		becomes: "b.cells.mine().late.Add(2)",
		noticed: []string{"TestEveryOrder/S5, W4", "TestLinearizable/T1, count window"},
	},

	// Who wins.
	{
		name: "a late outcome that waited for the lock is taken for one of the new period", file: "breaker/settle.go",
		is: "case b.cur.Load() != p:", becomes: "case !WRONG && b.cur.Load() != p:",
		noticed: []string{"TestEveryOrder/S7: two failures and one trip", "TestLinearizable/T3, T4"},
	},
	{
		name: "a timer acts that was stopped", file: "breaker/period.go",
		is: "b.alarm == alarm", becomes: "WRONG || b.alarm == alarm",
		noticed: []string{"TestEveryOrder/O5", "TestLinearizable/O5, H6"},
	},
	{
		name: "two goroutines deliver", file: "event/stream.go",
		is: "!s.ready.Load()", becomes: "!WRONG && !s.ready.Load()",
		noticed: []string{"TestEveryOrder/S7: two operators"},
	},

	// The gate.
	{
		name: "a slot given back stays closed to those without the lock", file: "breaker/probes.go",
		is:      "b.updateSlots(p) // H4",
		becomes: "",
		noticed: []string{"TestEveryOrder/H1: slots by rate", "TestLinearizable/H2"},
	},
	{
		name: "callers are turned away before the verdict is carried out", file: "breaker/probes.go",
		is:      "if !b.decide(p, now, failed) {\n\t\tb.updateSlots(p) // not before: a slot must not seem free in a period that ends\n\t}",
		becomes: "b.updateSlots(p); b.decide(p, now, failed)",
		noticed: []string{"TestEveryOrder/H8: an overdue probe", "TestLinearizable/H2"},
	},
	{
		name: "a copy of a probe counts too", file: "breaker/probes.go",
		is:      "delete(s.out, number)",
		becomes: "",
		noticed: []string{"TestEveryOrder/P2"},
	},
}

// mistakenEdits returns the edits that build all mistakes in. Statements that several
// mistakes replace are edited once.
func mistakenEdits() (edits []edit) {
	at := map[[2]string]int{}
	for _, m := range mistakes {
		wrong := fmt.Sprintf("proof.Wrong(%q)", m.name)
		if strings.Contains(m.becomes, "WRONG") {
			edits = append(edits, edit{m.file, m.is, strings.ReplaceAll(m.becomes, "WRONG", wrong)})
			continue
		}
		place := [2]string{m.file, m.is}
		i, ok := at[place]
		if !ok {
			i = len(edits)
			at[place] = i
			edits = append(edits, edit{m.file, m.is, "switch {\ndefault:\n" + m.is + "\n}\n"})
		}
		edits[i].new = strings.Replace(edits[i].new, "switch {\n", "switch {\ncase "+wrong+":\n"+m.becomes+"\n", 1)
	}
	return edits
}

// TestMistakesAreNoticed makes the breaker wrong in one way after the other. A test that
// does not notice cannot tell a right breaker from a wrong one.
func TestMistakesAreNoticed(t *testing.T) {
	for i, m := range mistakes {
		if m.noticed == nil { // a piece of the one before
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			tests := m.noticed
			if testing.Short() { // one of its tests, not always of the same sort
				tests = tests[i%len(tests):][:1]
			}
			for _, test := range tests {
				out, err := runInstrumented(t, m.name, exactly(test), "-linear.runs=1500")
				for try := 0; err == nil && try < 5 && !strings.HasPrefix(test, "TestEveryOrder"); try++ {
					// What draws its histories at random gets more of them.
					out, err = runInstrumented(t, m.name, exactly(test), "-linear.runs=3000", "-rapid.checks=1000")
				}
				if err == nil {
					t.Errorf("%s does not notice", test)
				} else if why := complaint.FindString(out); why == "" {
					t.Errorf("%s: %v, without a complaint:\n%s", test, err, out)
				} else {
					t.Logf("%s: %s", test, why)
				}
			}
		})
	}
}

// exactly makes a pattern for a test's name, the beginning of a subtest's being enough.
func exactly(test string) string {
	parts := strings.SplitN(strings.ReplaceAll(test, " ", "_"), "/", 2)
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p)
	}
	parts[0] += "$"
	return strings.Join(parts, "/")
}

// complaint is how tests say what is wrong.
var complaint = regexp.MustCompile(`(?m)(?:not linearizable|invariant: |[A-Z][0-9]+: event|\[rapid\] failed after).*$`)
