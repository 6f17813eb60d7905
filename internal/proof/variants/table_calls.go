package main

// Mistakes around one call: its permit, the ways out, and locks.
var callVariants = []variant{
	{
		name: "P2: the same permit can be settled again",
		file: "breaker/permit.go",
		old:  "p.b = nil\n\tb.settle",
		new:  "b.settle",
		by:   "TestPermits/P2: settling the same variable again does nothing",
	},
	{
		name: "P4, K25: a panic leaves its permit behind",
		file: "breaker/do.go",
		old:  "defer call.unwind()\n",
		new:  "",
		by:   "TestFaults/K25",
	},
	{
		name: "P4: a panic is swallowed",
		file: "breaker/do.go",
		old:  "permit.settle(switchgear.Failure, panicOf(r))\n\t\tpanic(r)",
		new:  "permit.settle(switchgear.Failure, panicOf(r))\n\t\treturn",
		by:   "TestWaysOut/Do/P4: a panic is a failure and goes on",
	},
	{
		name: "P4, K25: runtime.Goexit is a failure",
		file: "breaker/do.go",
		old:  "permit.Release()",
		new:  "permit.Failure(nil)",
		by:   "TestWaysOut/Do/P4: runtime.Goexit releases the permit",
	},
	{
		name: "P4, K17: a classifier that panics keeps the permit",
		file: "breaker/do.go",
		old:  "\tdefer permit.Unwind()\n\tv, err = fn(ctx)\n",
		new:  "\tv, err = func() (T, error) { defer permit.Unwind(); return fn(ctx) }()\n\tif permit.b == nil {\n\t\treturn v, err\n\t}\n",
		by:   "TestFaults/K17",
	},
	{
		name: "P5, K20: the protected call runs under the lock",
		file: "breaker/do.go",
		old:  "\tv, err = fn(ctx)\n\tif err == nil {",
		new:  "\tb.mu.Lock()\n\tv, err = fn(ctx)\n\tb.mu.Unlock()\n\tif err == nil {",
		by:   "TestWaysOut/Do/P5: the function runs outside every lock", hangs: true,
	},
	{
		name: "P5: the error's own methods run under the lock",
		file: "breaker/settle.go",
		old:  "o.slow = o.counts() &&",
		new:  "if o.failed() && o.err != nil {\n\t\to.hint = hintOf(o.err)\n\t}\n\to.slow = o.counts() &&",
		by:   "TestUserCode/P5: classifiers and the methods of errors", hangs: true,
	},
	{
		name: "S7, P5: listeners are called under the lock",
		file: "breaker/period.go",
		old:  "\tb.mu.Unlock()\n\tb.finish(held)\n\tb.events.Deliver()\n",
		new:  "\tb.events.Deliver()\n\tb.mu.Unlock()\n\tb.finish(held)\n",
		by:   "TestListenersRunOutsideTheLock", hangs: true,
	},
	{
		name: "P1, K07: a refusal tells the time that has passed, not what is left",
		file: "breaker/rejection.go",
		old:  "max(time.Duration(until)-r.clk.Mono(), 0), true",
		new:  "max(r.clk.Mono()-r.period.start, 0), true",
		by:   "TestFaults/K07",
	},
}
