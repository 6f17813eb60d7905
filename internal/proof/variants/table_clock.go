package main

// Mistakes in clocks.
var clockVariants = []variant{
	{
		name: "C5: a jump of the wall clock moves the monotonic one",
		file: "clock/virtual.go",
		old:  "v.skew.Add(int64(d))",
		new:  "v.skew.Add(int64(d))\n\tv.mono.Add(int64(d))",
		by:   "TestVirtualJumpWall/C5: a jump of the wall clock changes no duration",
	},
	{
		name: "C5: the clock can be moved back",
		file: "clock/virtual.go",
		old:  "if mono > v.Mono() {",
		new:  "if mono != v.Mono() {",
		by:   "TestVirtualCallbacks/a move inside a callback may go beyond",
	},
	{
		name: "H6: a callback sees the instant from which the clock was moved",
		file: "clock/virtual.go",
		old:  "\tv.moveLocked(due)\n",
		new:  "\t_ = due\n",
		by:   "TestVirtualAfterFunc/in order of due time",
	},
	{
		name: "O5: a timer that was stopped runs",
		file: "clock/virtual.go",
		old:  "\tt.clock.timers.remove(t.place)\n\tt.take()\n",
		new:  "",
		by:   "TestVirtualStop/a stopped timer leaves at once",
	},
}
