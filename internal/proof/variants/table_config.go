package main

// Mistakes in what a configuration means.
var configVariants = []variant{
	{
		name: "Z1: a duration that is Off means the default",
		file: "internal/check/check.go",
		in:   "breaker",
		old: `func (c *Checker) Duration(path string, v *time.Duration, def, least, most time.Duration, offAllowed bool) {
	switch {
	case *v == 0:
		*v = def
	case *v == off && offAllowed:`,
		new: `func (c *Checker) Duration(path string, v *time.Duration, def, least, most time.Duration, offAllowed bool) {
	switch {
	case *v == 0 || *v == off && offAllowed:
		*v = def`,
		by: "TestHints/O3: hints can be switched off",
	},
	{
		name: "Z1: a percentage that is Off means the default",
		file: "internal/check/check.go",
		in:   "breaker",
		old: `		*v = def
	}
	if *v == off {
		return 0`,
		new: `		*v = def
	}
	if *v == off {
		*v = def`,
		by: "TestConfigProblems/Z1: Off with Off",
	},
	{
		name: "Z1: every negative number means Off",
		file: "internal/check/check.go",
		in:   "breaker",
		old: `	case *v == off && offAllowed:
	case *v < least || *v > most:
		c.Wrong(path, *v, "must be from %d to %d%s", least, most, orOff(offAllowed))`,
		new: `	case *v < 0 && offAllowed:
		*v = off
	case *v < least || *v > most:
		c.Wrong(path, *v, "must be from %d to %d%s", least, most, orOff(offAllowed))`,
		by: "TestBounds/Z1: ConsecutiveFailures",
	},
	{
		name: "Z1, K59: a negative duration is accepted",
		file: "internal/check/check.go",
		in:   "breaker",
		old:  "case *v < least || *v > most:\n\t\tc.Wrong(path, *v, \"must be from %v to %v%s\"",
		new:  "case *v > most:\n\t\tc.Wrong(path, *v, \"must be from %v to %v%s\"",
		by:   "TestFaults/K59",
	},
	{
		name: "R1, K58: a changed parameter of the evidence rule is taken for the same rules",
		file: "breaker/memo.go",
		old:  "c.from == from",
		new:  "c.from.cfg == from.cfg",
		by:   "TestReconfigure/R1: each field changed alone takes effect",
	},
}
