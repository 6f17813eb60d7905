package timeout

// Counters count over the whole life of a timeout. Each only grows. Calls that end
// in time are not counted, so that they cost nothing.
type Counters struct {
	// TimedOut are calls that took their limit or longer.
	TimedOut uint64 `json:"timed_out"`
	// Rejected are calls refused, for either reason.
	Rejected uint64 `json:"rejected"`
	// Abandoned are functions left behind, at the limit or because the caller
	// gave up; Late are those among them that have ended since, in whatever way,
	// and LatePanics those that ended in a panic.
	Abandoned  uint64 `json:"abandoned"`
	Late       uint64 `json:"late"`
	LatePanics uint64 `json:"late_panics"`
}

// Snapshot is what a timeout shows of itself at one moment. Its numbers are read
// one after another, so that calls under way may be in some and not yet in others.
type Snapshot struct {
	// Name is the name of the timeout.
	Name string `json:"name"`
	// Running is the number of functions that run in goroutines of their own,
	// and Abandoned the number of those among them that were left behind. Both
	// are 0 without [Config.Abandon].
	Running   int `json:"running"`
	Abandoned int `json:"abandoned"`
	// MaxAbandoned is the bound on Abandoned; 0 without [Config.Abandon].
	MaxAbandoned int `json:"max_abandoned"`
	// Counters are those of the whole life.
	Counters Counters `json:"counters"`
}

// Counters returns the counts so far.
func (t *Timeout) Counters() Counters {
	// Late before Abandoned: then no more have ended than were left behind.
	panics, late := t.latePanics.Load(), t.late.Load()
	return Counters{
		TimedOut:   t.timedOut.Load(),
		Rejected:   t.rejected.Load(),
		Abandoned:  t.abandoned.Load(),
		Late:       max(late, panics),
		LatePanics: panics,
	}
}

// Snapshot returns the present state.
func (t *Timeout) Snapshot() Snapshot {
	behind := int(t.behind.Load())
	return Snapshot{
		Name:         t.name,
		Running:      max(int(t.running.Load()), behind),
		Abandoned:    behind,
		MaxAbandoned: t.cfg.MaxAbandoned,
		Counters:     t.Counters(),
	}
}
