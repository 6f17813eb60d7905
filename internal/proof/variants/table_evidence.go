package main

// Mistakes in the evidence rule.
var evidenceVariants = []variant{
	{
		name: "T6: a score exactly met does not trip (> for ≥)",
		file: "evidence/score.go",
		old:  "return s.points >= t.threshold",
		new:  "return s.points > t.threshold",
		by:   "TestScore/T6: a score exactly met trips",
	},
	{
		name: "T6: good outcomes lead below zero",
		file: "evidence/score.go",
		old:  "if n >= s.points {\n\t\ts.points = 0 // the next bad outcome begins new counts\n\t\treturn\n\t}\n",
		new:  "",
		by:   "TestScore/T6: good outcomes never lead below zero",
	},
	{
		name: "T6: what is left of an interval is not remembered",
		file: "evidence/score.go",
		old:  "s.mark += time.Duration(intervals) * t.per",
		new:  "s.mark = now",
		by:   "TestReferenceTraces/T6: forgetting keeps the unfinished part",
	},
	{
		name: "T6: a score fades one point too late (≤ for <)",
		file: "evidence/score.go",
		old:  "now-s.mark < t.per {",
		new:  "now-s.mark <= t.per {",
		by:   "TestScore/T6: a score fades within its memory",
	},
	{
		name: "T6: a score that nobody acts on grows without bound",
		file: "evidence/score.go",
		old:  "min(s.points+t.points, t.ceiling)",
		new:  "s.points + t.points",
		by:   "TestScore/T6: without a trip acted on, the score stays bounded",
	},
	{
		name: "T6: a window of the rise limit is too long (> for ≥)",
		file: "evidence/score.go",
		old:  "now-s.windowStart >= t.riseWindow",
		new:  "now-s.windowStart > t.riseWindow",
		by:   "TestRiseLimit/T6: no trip before the fourth window",
	},
	{
		name: "T6: two tests do not share the budget of false trips",
		file: "evidence/compile.go",
		old:  "float64(shares)*cfg.CallsPerFalseTrip",
		new:  "cfg.CallsPerFalseTrip",
		by:   "TestNewTest/T6: two tests share the budget",
	},
	{
		name: "T6: the threshold is one point too low",
		file: "evidence/compile.go",
		old:  "threshold:      int64(threshold),",
		new:  "threshold:      int64(threshold) - 1,",
		by:   "TestNewTest/T6: the defaults",
	},
}
