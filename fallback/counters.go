package fallback

import "sync/atomic"

// Counters count over the whole life of a [Fallback]; each only grows. A call that
// panics is not counted, and a handler that panics is only in its own Used.
//
// When no call is in progress and no handler has panicked, Calls is Primary plus
// Failed plus, summed over Handlers, Used minus Failed.
type Counters struct {
	// Calls are the calls that returned.
	Calls uint64 `json:"calls"`
	// Primary are those that succeeded by themselves.
	Primary uint64 `json:"primary"`
	// Failed are those for which the caller got an error.
	Failed uint64 `json:"failed"`
	// Handlers are the counts of each handler, in order, with one entry for each
	// provider of a chain.
	Handlers []HandlerCounters `json:"handlers"`
}

// HandlerCounters count what one handler, or one provider of a chain, did.
type HandlerCounters struct {
	Name string `json:"name"`
	// Used is how often it was tried.
	Used uint64 `json:"used"`
	// Failed is how often it returned an error.
	Failed uint64 `json:"failed"`
}

// Counters returns the counters. They are read one after another, while calls may
// be going on.
func (f *Fallback[T]) Counters() Counters {
	c := Counters{Handlers: make([]HandlerCounters, len(f.steps))}
	// What ends later is read first, so that no more fallbacks are seen than calls
	// that needed them.
	c.Failed = f.tally.failed.Load()
	for i := range f.steps {
		h := &c.Handlers[i]
		h.Name = f.steps[i].name
		h.Failed = f.tally.steps[i].failed.Load()
		h.Used = f.tally.steps[i].used.Load()
	}
	c.Primary = f.tally.ok.Load()
	c.Calls = c.Primary + f.tally.fallen.Load()
	return c
}

// tally is what is counted. A call that succeeds touches one word. A nil tally
// counts nothing.
type tally struct {
	ok     atomic.Uint64
	fallen atomic.Uint64 // calls that failed, whatever came of it
	failed atomic.Uint64
	steps  []stepTally
}

type stepTally struct{ used, failed atomic.Uint64 }

func (t *tally) primary() {
	if t != nil {
		t.ok.Add(1)
	}
}

func (t *tally) fell() {
	if t != nil {
		t.fallen.Add(1)
	}
}

func (t *tally) lost() {
	if t != nil {
		t.failed.Add(1)
	}
}

func (t *tally) stepUsed(i int) {
	if t != nil {
		t.steps[i].used.Add(1)
	}
}

func (t *tally) stepFailed(i int) {
	if t != nil {
		t.steps[i].failed.Add(1)
	}
}
