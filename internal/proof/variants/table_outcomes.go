package main

// Mistakes in what an outcome is.
var outcomeVariants = []variant{
	{
		name: "C1.1: the classifier overrides a mark",
		file: "breaker/classify.go",
		old: `	if o := b.judgeError(ctx, hurried, err); o != switchgear.Undecided {
		return o
	}
	o := switchgear.Undecided
	if b.classify != nil {
		o = b.classify(err)
	}
	return last(o, err)`,
		new: `	if b.classify != nil {
		if o := b.classify(err); o != switchgear.Undecided {
			return o
		}
	}
	return last(b.judgeError(ctx, hurried, err), err)`,
		by: "TestClassification/C1.1",
	},
	{
		name: "C1.2, K24: a refusal by another policy is a failure",
		file: "judge.go",
		in:   "breaker",
		old:  "if errors.Is(err, ErrRejected) { // C1.2\n\t\treturn Ignored",
		new:  "if errors.Is(err, ErrRejected) { // C1.2\n\t\treturn Failure",
		by:   "TestClassification/C1.2: a refusal is ignored",
	},
	{
		name: "C1.3, K21: a caller that gave up is a failure",
		file: "judge.go",
		in:   "breaker",
		old:  "errors.Is(err, context.Cause(ctx)) {\n\t\t\treturn Ignored",
		new:  "errors.Is(err, context.Cause(ctx)) {\n\t\t\treturn Failure",
		by:   "TestFaults/K21",
	},
	{
		name: "C1.3: the cause of a cancellation is not known for one",
		file: "judge.go",
		in:   "breaker",
		old:  " || errors.Is(err, context.Cause(ctx)) {",
		new:  " {",
		by:   "TestClassificationOverHTTP/C1.3: net",
	},
	{
		name: "C1.4: a deadline that the caller missed is ignored",
		file: "judge.go",
		in:   "breaker",
		old:  "if hurried { // C1.4",
		new:  "if hurried || ctx.Err() != nil { // C1.4",
		by:   "TestClassification/C1.4: the caller's deadline has passed",
	},
	{
		name: "C1.6, K22: a timeout of the dependency's own is taken for the caller's",
		file: "judge.go",
		in:   "breaker",
		old:  "if ctx == nil {\n\t\treturn Undecided",
		new:  "if ctx == nil || errors.Is(err, context.DeadlineExceeded) {\n\t\treturn Ignored",
		by:   "TestFaults/K22",
	},
	{
		name: "C1.6: an answer that arrived after the deadline is a failure",
		file: "judge.go",
		in:   "breaker",
		old:  "if err == nil {\n\t\treturn Undecided",
		new:  "if err == nil && (ctx == nil || ctx.Err() == nil) {\n\t\treturn Undecided",
		by:   "TestAnswersAfterTheDeadline",
	},
	{
		name: "C2: an ignored outcome goes into the window",
		file: "breaker/settle.go",
		old:  "return o.failed() || o.health == switchgear.Success",
		new:  "return o.failed() || o.health == switchgear.Success || o.health == switchgear.Ignored",
		by:   "TestIgnored/C2: an ignored outcome counts nothing in the window",
	},
	{
		name: "C3: a call of exactly the slow-call duration is slow (≥ for >)",
		file: "breaker/rules.go",
		old:  "now-start > r.slow",
		new:  "now-start >= r.slow",
		by:   "TestSlowCalls/C3: longer than the slow-call duration is slow",
	},
	{
		name: "C3: a slow failure is not slow",
		file: "breaker/settle.go",
		old:  "o.slow = o.counts() &&",
		new:  "o.slow = o.health == switchgear.Success &&",
		by:   "TestSlowCalls/C3: a slow failure counts as both",
	},
	{
		name: "C3: waiting in our own queue makes a call slow",
		file: "breaker/permit.go",
		old:  "p.start = p.b.clk.Mono()",
		new:  "p.start = min(p.start, p.b.clk.Mono())",
		by:   "TestSlowCalls/C3: the duration runs from Start",
	},
}
