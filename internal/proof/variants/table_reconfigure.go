package main

// Mistakes in Reconfigure.
var reconfigureVariants = []variant{
	{
		name: "R1: what changes nothing is told as a change",
		file: "breaker/reconfigure.go",
		old:  "if len(changes) == 0 {",
		new:  "if len(changes) < 0 {",
		by:   "TestReconfigure/R1: what changes nothing emits nothing",
	},
	{
		name: "R2: calls that are out become late",
		file: "breaker/reconfigure.go",
		old:  "p := b.cur.Load()\n\tb.stop(p)\n",
		new:  "b.move(Move{To: b.cur.Load().state}, now)\n\tp := b.cur.Load()\n\tb.stop(p)\n",
		by:   "TestReconfigureKeeps/R2: calls that are out are not late",
	},
	{
		name: "R3: the window starts empty",
		file: "breaker/reconfigure.go",
		old:  "resized = w.Resize(r.cfg.Window.Calls)",
		new:  "_ = w",
		by:   "TestReconfigureWindow/R3: a smaller count window keeps the newest",
	},
	{
		name: "R4: a score is kept though its test is another",
		file: "breaker/scores.go",
		old:  "return a != nil && b != nil && a.Config() == b.Config() && a.Threshold() == b.Threshold()",
		new:  "return a != nil && b != nil",
		by:   "TestReconfigureMemory/R4: evidence stays if its test stays",
	},
	{
		name: "R5: the change itself trips",
		file: "breaker/reconfigure.go",
		old:  "case p.state.admits():\n",
		new:  "case b.judgeWindow(p, now) != nil:\n\t\tb.trip(p, now, b.judgeWindow(p, now))\n\tcase p.state.admits():\n",
		by:   "TestReconfigureThresholds/R5: failure rate: the next failure trips",
	},
	{
		name: "R6: the wait starts again",
		file: "breaker/reconfigure.go",
		old:  "p.until.Add(int64(longer))",
		new:  "p.until.Add(int64(longer) + int64(b.clk.Mono()-p.start))",
		by:   "TestReconfigureOpen/R6: a longer wait moves an open deadline",
	},
	{
		name: "R7: outcomes that are gone go on holding slots",
		file: "breaker/reconfigure.go",
		old:  "\ts.settled = int(s.window.Counts(0).Calls)\n",
		new:  "",
		by:   "TestReconfigureProbes/R7: the way from rate to streak and back",
	},
	{
		name: "R7: a verdict that the new rules have is not given",
		file: "breaker/reconfigure.go",
		old:  "b.decide(p, now, false)\n",
		new:  "",
		by:   "TestReconfigureProbes/R7: the verdict is given at once",
	},
	{
		name: "R8: the timer of the old rules goes on",
		file: "breaker/reconfigure.go",
		old:  "\tb.stopTimer()\n\tb.startTimer(p)\n",
		new:  "",
		by:   "TestReconfigureTimers/R8: the longest stay counts from entry",
	},
	{
		name: "R8: a timer that is about to act by the old rules does",
		file: "breaker/period.go",
		old:  "if b.alarm == alarm {",
		new:  "if _ = alarm; b.cur.Load() == p {",
		by:   "TestReconfigureTimers/R8: a timer that fires while the rules change",
	},
	{
		name: "R9: a running grace starts again",
		file: "breaker/reconfigure.go",
		old:  "max(b.born+r.cfg.Grace, 1)",
		new:  "max(now+r.cfg.Grace, 1)",
		by:   "TestReconfigureGrace/R9: a running grace gets another end",
	},
}
