package collapse

// Counters count over the whole life of a [Group]; each only grows. The calls made
// are Started plus Joined.
type Counters struct {
	// Started are executions, Joined the calls that joined one.
	Started uint64 `json:"started"`
	Joined  uint64 `json:"joined"`
	// Left are callers that left before the end.
	Left uint64 `json:"left"`
	// Abandoned are executions whose callers had all left before the end.
	Abandoned uint64 `json:"abandoned"`
	// Uncollapsed are executions that nobody could join, because as many keys as
	// [Config.MaxKeys] allows were in flight, or because the key does not equal
	// itself, as NaN does not.
	Uncollapsed uint64 `json:"uncollapsed"`
	// Panics are executions that panicked.
	Panics uint64 `json:"panics"`
}

// Snapshot is what is going on in a [Group].
type Snapshot struct {
	// Keys is the number of executions that can be joined.
	Keys int `json:"keys"`
	// Waiting are callers.
	Waiting int `json:"waiting"`
	// Running are executions that have not ended, Abandoned those among them for
	// which nobody waits any more.
	Running   int `json:"running"`
	Abandoned int `json:"abandoned"`
}

// Counters returns the counters, all as of one moment.
func (g *Group[K, V]) Counters() Counters {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.total
}

// Snapshot returns what is going on at this moment.
func (g *Group[K, V]) Snapshot() Snapshot {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.now
	s.Keys = len(g.flights)
	return s
}
