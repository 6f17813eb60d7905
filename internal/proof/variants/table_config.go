package main

// Mistakes in what a configuration means.
var configVariants = []variant{
	{
		name: "Z1: a duration that is Off means the default",
		file: "breaker/validate.go",
		old:  "case *v == 0:\n\t\t*v = def\n\tcase *v == off && offAllowed:\n\tcase *v < least",
		new:  "case *v == 0 || *v == off && offAllowed:\n\t\t*v = def\n\tcase *v < least",
		by:   "TestHints/O3: hints can be switched off",
	},
	{
		name: "Z1: a percentage that is Off means the default",
		file: "breaker/validate.go",
		old:  "if *v == 0 {\n\t\t*v = def",
		new:  "if *v == 0 || *v == off {\n\t\t*v = def",
		by:   "TestConfigProblems/Z1: Off with Off",
	},
	{
		name: "Z1: every negative number means Off",
		file: "breaker/validate.go",
		old:  "case *v == off && offAllowed:\n\tcase *v < 1 ||",
		new:  "case *v < 0 && offAllowed:\n\t\t*v = off\n\tcase *v < 1 ||",
		by:   "TestBounds/Z1: ConsecutiveFailures",
	},
	{
		name: "Z1, K59: a negative duration is accepted",
		file: "breaker/validate.go",
		old:  "case *v < least || *v > most:",
		new:  "case *v > most:",
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
