package inject

import (
	"sync/atomic"
	"time"
)

// Counters count what was done while the injector was on. Each only grows.
type Counters struct {
	// Calls are calls made while it was on, Disturbed those that were struck by
	// at least one fault.
	Calls     uint64 `json:"calls"`
	Disturbed uint64 `json:"disturbed"`
	// Failed, Delayed, Hung and Panicked are the calls that were ended, or in the
	// case of Delayed made to wait, by a fault of that kind. A call that was delayed
	// may be among the others too.
	Failed   uint64 `json:"failed"`
	Delayed  uint64 `json:"delayed"`
	Hung     uint64 `json:"hung"`
	Panicked uint64 `json:"panicked"`
}

// minus returns what was counted since earlier.
func (c Counters) minus(earlier Counters) Counters {
	return Counters{
		Calls:     c.Calls - earlier.Calls,
		Disturbed: c.Disturbed - earlier.Disturbed,
		Failed:    c.Failed - earlier.Failed,
		Delayed:   c.Delayed - earlier.Delayed,
		Hung:      c.Hung - earlier.Hung,
		Panicked:  c.Panicked - earlier.Panicked,
	}
}

// tally is where they are counted.
type tally struct {
	calls, disturbed atomic.Uint64
	kinds            [kinds]atomic.Uint64
	struck           []atomic.Uint64 // by fault
}

// Counters returns the counts so far, over all periods.
func (i *Injector) Counters() Counters {
	t := &i.tally
	return Counters{
		// In the other order than they are counted, so that the parts are never
		// more than the whole.
		Failed:    t.kinds[Failure].Load(),
		Delayed:   t.kinds[Latency].Load(),
		Hung:      t.kinds[Hang].Load(),
		Panicked:  t.kinds[Panic].Load(),
		Disturbed: t.disturbed.Load(),
		Calls:     t.calls.Load(),
	}
}

// struck returns how often each fault struck.
func (i *Injector) struck() []uint64 {
	n := make([]uint64, len(i.tally.struck))
	for f := range n {
		n[f] = i.tally.struck[f].Load()
	}
	return n
}

// Snapshot is what an injector shows of itself at one moment.
type Snapshot struct {
	// Name is the name of the injector.
	Name string `json:"name"`
	// On is whether calls are disturbed. The next four are zero if they are not.
	On bool `json:"on"`
	// Author and Reason are those of the order, Since is when it was given, and
	// Left how long it is still good for.
	Author string        `json:"author,omitempty"`
	Reason string        `json:"reason,omitempty"`
	Since  time.Time     `json:"since,omitzero"`
	Left   time.Duration `json:"left,omitempty"`
	// Counters are those of the whole life, and Struck is how often each fault
	// struck, in the order of the configuration.
	Counters Counters `json:"counters"`
	Struck   []uint64 `json:"struck"`
}

// Snapshot returns the present state.
func (i *Injector) Snapshot() Snapshot {
	s := Snapshot{Name: i.name, Struck: i.struck(), Counters: i.Counters()}
	if p := i.cur.Load(); p != nil {
		if left := p.until - i.clk.Mono(); left > 0 {
			s.On, s.Left = true, left
			s.Author, s.Reason, s.Since = p.author, p.reason, p.since
		}
	}
	return s
}
