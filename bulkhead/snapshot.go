package bulkhead

// Counters count over the whole life of a bulkhead. Each only grows. Whoever asked for
// a permit is in exactly one of Admitted, Refused, TimedOut and GaveUp, or still waits.
type Counters struct {
	// Admitted are permits given out, at once or after a wait.
	Admitted uint64 `json:"admitted"`
	// Queued are callers that had to wait, however that ended.
	Queued uint64 `json:"queued"`
	// Refused are callers that found no permit and no place in the queue.
	Refused uint64 `json:"refused"`
	// TimedOut are callers that waited for MaxWait in vain.
	TimedOut uint64 `json:"timed_out"`
	// GaveUp are callers whose context had ended, or that cancelled.
	GaveUp uint64 `json:"gave_up"`
}

// Snapshot is everything a bulkhead knows at one instant, for people and dashboards.
type Snapshot struct {
	Name string `json:"name"`
	// Running is how many permits are out, of Limit. It can be more than Limit for a
	// while after a reconfiguration has lowered that.
	Running int `json:"running"`
	Limit   int `json:"limit"`
	// Available is how many permits are left.
	Available int `json:"available"`
	// Waiting is how many callers are in the queue, of MaxWaiting.
	Waiting    int `json:"waiting"`
	MaxWaiting int `json:"max_waiting"`

	Counters Counters `json:"counters"`
}

// Snapshot returns what the bulkhead knows. It changes nothing and takes the lock for a
// few instructions.
func (b *Bulkhead) Snapshot() Snapshot {
	b.mu.Lock()
	defer b.mu.Unlock()
	w, r := b.word.Load(), b.rules.Load()
	return Snapshot{
		Name:    b.name,
		Running: int(r.limit - roomIn(w)), Limit: int(r.limit), Available: int(max(roomIn(w), 0)),
		Waiting: b.queue.n, MaxWaiting: r.queue,
		Counters: b.counters(w),
	}
}

// Counters returns the lifetime counters. See [Bulkhead.Snapshot] for all the rest.
func (b *Bulkhead) Counters() Counters {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.counters(b.word.Load())
}

// counters adds what the word has counted. Called under mu.
func (b *Bulkhead) counters(word uint64) Counters {
	return Counters{
		Admitted: b.admitted + word/given,
		Queued:   b.queued,
		Refused:  b.refused.Load(),
		TimedOut: b.timedOut,
		GaveUp:   b.gaveUp,
	}
}
