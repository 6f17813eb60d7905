package proof

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// A mistake is a way in which the breaker could be wrong: a piece of its code and what
// stands there instead. The instrumented build can make each of them.
type mistake struct {
	name    string
	file    string
	is      string // one or more statements
	becomes string
	tests   string // that notice it
}

var mistakes = []mistake{
	{
		name: "late counts twice", file: "breaker/settle.go",
		is:      "b.cells.mine().late.Add(1)",
		becomes: "b.cells.mine().late.Add(2)",
		tests:   "TestLinearizable|TestEveryOrder",
	},
}

// mistakenEdits returns the edits that build all mistakes in. Pieces of code that several
// mistakes replace are edited once.
func mistakenEdits() (edits []edit) {
	at := map[[2]string]int{}
	for _, m := range mistakes {
		place := [2]string{m.file, m.is}
		i, ok := at[place]
		if !ok {
			i = len(edits)
			at[place] = i
			edits = append(edits, edit{m.file, m.is, "switch {\ndefault:\n" + m.is + "\n}"})
		}
		edits[i].new = strings.Replace(edits[i].new, "switch {\n", fmt.Sprintf("switch {\ncase proof.Wrong(%q):\n%s\n", m.name, m.becomes), 1)
	}
	return edits
}

// TestMistakesAreNoticed makes the breaker wrong in one way after the other. A test that
// does not notice cannot tell a right breaker from a wrong one.
func TestMistakesAreNoticed(t *testing.T) {
	for _, m := range mistakes {
		for test := range strings.SplitSeq(m.tests, "|") {
			t.Run(m.name+" by "+test, func(t *testing.T) {
				out, err := runInstrumented(t, m.name, "^"+test+"$")
				if err == nil {
					t.Errorf("%s does not notice", test)
				} else if why := complaint.FindString(out); why == "" {
					t.Errorf("%v, without a complaint:\n%s", err, out)
				} else {
					t.Log(why)
				}
			})
		}
	}
}

// complaint is how tests say what is wrong: by rule.
var complaint = regexp.MustCompile(`(?m)(?:not linearizable|[A-Z][0-9]+: ).*$`)
