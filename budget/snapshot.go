package budget

// Counters count over the whole life of a budget. Each only grows.
type Counters struct {
	// Granted and Refused are withdrawals asked for.
	Granted uint64 `json:"granted"`
	Refused uint64 `json:"refused"`
	// Settled are granted ones whose attempt has ended, Cancelled those whose
	// attempt was never made.
	Settled   uint64 `json:"settled"`
	Cancelled uint64 `json:"cancelled"`
	// Shortages counts how often the budget became exhausted.
	Shortages uint64 `json:"shortages"`
}

// Counters returns the counts. They are read one after the other while calls go on.
func (b *Budget) Counters() Counters {
	// Granted is read last, so that it is never less than what came of it.
	c := Counters{
		Settled: b.settled.Load(), Cancelled: b.cancelled.Load(),
		Refused: b.refused.Load(), Shortages: b.shortages.Load(),
	}
	c.Granted = b.granted.Load()
	return c
}

// Snapshot is how a budget stands at one moment.
type Snapshot struct {
	Kind Kind `json:"kind"`

	// State is "available" or "exhausted", as the last event told.
	State string `json:"state"`

	// Grants is whether a withdrawal would be granted now.
	Grants bool `json:"grants"`

	// Available is what is left of Capacity. Of a [Ratio] both are extra attempts:
	// those still allowed, and those that the calls of the window allow in all. Of
	// the other kinds they are tokens.
	Available float64 `json:"available"`
	Capacity  float64 `json:"capacity"`

	// InUse is how many withdrawals are neither settled nor cancelled.
	InUse uint64 `json:"in_use"`

	Counters
}

// Snapshot returns how the budget stands. Reading changes nothing.
func (b *Budget) Snapshot() Snapshot {
	l, c := b.account.level(), b.Counters()
	s := Snapshot{
		Kind: b.cfg.Kind, State: available, Grants: l.grants, Available: l.available, Capacity: l.capacity,
		// A withdrawal may be settled before its grant is counted.
		InUse:    c.Granted - min(c.Granted, c.Settled+c.Cancelled),
		Counters: c,
	}
	if b.exhausted.Load() {
		s.State = exhausted
	}
	return s
}
