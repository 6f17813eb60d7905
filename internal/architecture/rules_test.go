package architecture

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

const specification = "docs/spec/state-machine.md"

var (
	ruleHeading = regexp.MustCompile(`(?m)^### ([A-Z][0-9]+)\.`)
	// ruleCited matches "rule W2", "rules S7, H7 and C1.2", "rules T1–T4".
	ruleCited  = regexp.MustCompile(`\brules?\s+(?://\s+)?([A-Z][0-9]+\b(?:\.[0-9])?(?:(?:, | and | or | to |–|-)[A-Z][0-9]+\b(?:\.[0-9])?)*)`)
	ruleNumber = regexp.MustCompile(`\b[A-Z][0-9]+\b`)
)

// rulesAreTested: every rule of the specification is named by at least one
// test, and every rule that a Go file cites exists.
func rulesAreTested(r *repository) (bad []string) {
	var rules []string
	exists := map[string]bool{}
	for _, f := range r.texts {
		if f.path != specification {
			continue
		}
		for _, m := range ruleHeading.FindAllStringSubmatch(f.body, -1) {
			if exists[m[1]] {
				bad = append(bad, fmt.Sprintf("%s: rule %s stands there twice", specification, m[1]))
			}
			rules = append(rules, m[1])
			exists[m[1]] = true
		}
	}
	tested := map[string]bool{}
	for _, f := range r.texts {
		// These files are full of made-up rules.
		if !strings.HasSuffix(f.path, ".go") || strings.HasPrefix(f.path, "internal/architecture/") {
			continue
		}
		if strings.HasSuffix(f.path, "_test.go") {
			for _, n := range ruleNumber.FindAllString(f.body, -1) {
				tested[n] = true
			}
		}
		for _, at := range ruleCited.FindAllStringSubmatchIndex(f.body, -1) {
			for _, n := range ruleNumber.FindAllString(f.body[at[2]:at[3]], -1) {
				if !exists[n] {
					line := 1 + strings.Count(f.body[:at[2]], "\n")
					bad = append(bad, fmt.Sprintf("%s:%d: the specification has no rule %s", f.path, line, n))
				}
			}
		}
	}
	for _, rule := range rules {
		if !tested[rule] {
			bad = append(bad, fmt.Sprintf("%s: no test names rule %s", specification, rule))
		}
	}
	return bad
}

func TestRulesAreTested(t *testing.T) { holds(t, rulesAreTested) }

func TestRulesAreTestedNotices(t *testing.T) {
	notices(t, rulesAreTested, []breach{
		{"nothing wrong", map[string]string{
			specification: "### W1. One\n### W2. Two\n",
			"x/x.go":      "// Package x follows rules W1 and W2.1, as UTF-8 does.\npackage x\n",
			"x/x_test.go": "package x\n\n// W1, W2: tested.\n",
		}, nil},
		{"a rule without a test", map[string]string{
			specification: "### W1. One\n### W2. Two\n",
			"x/x.go":      "package x\n\n// W2 is only claimed.\n",
			"x/x_test.go": "package x\n\n// W1, W20\n",
		}, []string{specification + ": no test names rule W2"}},
		{"a number given out twice", map[string]string{
			specification: "### W1. One\n### W1. Two\n",
			"x/x_test.go": "package x\n\n// W1\n",
		}, []string{specification + ": rule W1 stands there twice"}},
		{"a citation of nothing", map[string]string{
			specification: "### W1. One\n",
			"x/x_test.go": "package x\n\n// rule W1\n// rules W1, Q7\n",
		}, []string{"x/x_test.go:4: the specification has no rule Q7"}},
	})
}
