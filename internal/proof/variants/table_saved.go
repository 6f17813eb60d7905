package main

// Mistakes in Save and Restore.
var savedVariants = []variant{
	{
		name: "B1: a document of a later version is accepted",
		file: "breaker/saved.go",
		old:  "case s.Version != savedVersion:",
		new:  "case s.Version < savedVersion:",
		by:   "TestRestoreRefuses/B1: a later version",
	},
	{
		name: "B2: what was saved does not age",
		file: "breaker/saved.go",
		old:  "age := max(wall.Sub(s.Time), 0)",
		new:  "age := max(wall.Sub(s.Time), 0) * 0",
		by:   "TestRestoreOpen/B3: OPEN keeps what is left of its interval",
	},
	{
		name: "B2: a wall clock that has gone back makes it younger",
		file: "breaker/saved.go",
		old:  "age := max(wall.Sub(s.Time), 0)",
		new:  "age := wall.Sub(s.Time)",
		by:   "TestRestoreClock/B2: a wall clock that has gone back",
	},
	{
		name: "B3: OPEN waits for longer than the configuration says",
		file: "breaker/saved.go",
		old:  "st.until = now + min(left, interval)",
		new:  "st.until = now + left",
		by:   "TestRestoreOpen/B3: at most the interval that the configuration gives",
	},
	{
		name: "B3: an age of exactly one interval is more than one (≥ for >)",
		file: "breaker/saved.go",
		old:  "case age > interval:",
		new:  "case age >= interval:",
		by:   "TestRestoreOpen/B3: saved longer ago than one interval",
	},
	{
		name: "B3: HALF_OPEN closes without a probe",
		file: "breaker/saved.go",
		old:  "case s.State == HalfOpen:\n\t\t\tst.to, st.until, st.draw = Open, now, noInterval",
		new:  "case s.State == HalfOpen:\n\t\t\tst.to = Closed",
		by:   "TestRestoreOpen/B3: HALF_OPEN becomes OPEN",
	},
	{
		name: "B5: outcomes in a time window are young again",
		file: "breaker/saved.go",
		old:  "w.Add(now-old,",
		new:  "w.Add(now-0*old,",
		by:   "TestRestoreWindow/B5: a time window drops what has expired",
	},
	{
		name: "B6: what starts CLOSED has all the growth that it had",
		file: "breaker/saved.go",
		old:  "b.retrips = eased(b.retrips, age/r.cfg.Open.Wait)",
		new:  "b.retrips = eased(b.retrips, 0*age/r.cfg.Open.Wait)",
		by:   "TestRestoreOpen/B6: the next trip grows by what was not taken back",
	},
}
