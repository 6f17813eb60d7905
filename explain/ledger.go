package explain

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/internal/check"
)

// A Book is what a [Ledger] knows about one breaker: of periods that have ended,
// since the ledger began to listen.
type Book struct {
	Name string `json:"name"`
	// State is the breaker's state after its last event, and Since when that was.
	State string    `json:"state"`
	Since time.Time `json:"since"`

	// Trips are the transitions to OPEN by a rule, Recoveries those from HALF_OPEN to
	// CLOSED that good probes brought about.
	Trips      uint64 `json:"trips"`
	Recoveries uint64 `json:"recoveries"`

	// Open, HalfOpen and Forced are the time spent OPEN, HALF_OPEN and FORCED_OPEN.
	Open     time.Duration `json:"open_ns"`
	HalfOpen time.Duration `json:"half_open_ns"`
	Forced   time.Duration `json:"forced_ns"`

	// Refused are the calls refused in OPEN and HALF_OPEN, RefusedForced those in
	// FORCED_OPEN, on an operator's account.
	Refused       uint64 `json:"refused"`
	RefusedForced uint64 `json:"refused_forced"`

	// Probes are the probes admitted. ProbesJudged of them decided something, being
	// in the numbers that HALF_OPEN ended with, and ProbesGood of these succeeded.
	Probes       uint64 `json:"probes"`
	ProbesJudged uint64 `json:"probes_judged"`
	ProbesGood   uint64 `json:"probes_good"`

	// Estimated is how many of the Refused the two estimates are about: those for
	// which there are probes to compare with.
	Estimated uint64 `json:"estimated"`
	// WouldBeGood estimates how many of Estimated would have been good calls, the
	// price of protection. See [Ledger] for the method and its limits.
	WouldBeGood Range `json:"would_be_good"`
	// WaitSpared estimates the time in nanoseconds that callers did not spend waiting
	// for a failure: the rest of Estimated, times [LedgerConfig.FailedCall]. It is
	// absent where that is not set.
	WaitSpared *Range `json:"wait_spared_ns,omitzero"`

	// Missed is the number of events that did not arrive. What they told is missing
	// above.
	Missed uint64 `json:"missed,omitzero"`
}

// LedgerConfig is what a ledger needs to know.
type LedgerConfig struct {
	// Names bounds the breakers that have a book. Default 1,000; at most 100,000. The
	// book in which nothing was written for longest has to go.
	Names int
	// FailedCall is how long a call takes that fails, as callers see it: a timeout,
	// for instance. A breaker does not measure that, so it has to be given. Default
	// not known; at most 30 days.
	FailedCall time.Duration
}

// A Ledger is a listener that keeps a [Book] for each breaker. It is safe for
// concurrent use.
//
// # Method
//
// Nobody knows how a call would have ended that was not made. The nearest thing to
// it are the probes. A round is an OPEN period and the HALF_OPEN period after it. Of
// the calls refused in a round, the same share is taken to have been good as of the
// round's probes, and the rounds are added up. Probes are not pooled over a whole
// outage, since the last ones, which are good because the outage is over, would then
// speak for all the calls refused while it lasted.
//
// A round's share has Wilson's 95 % score interval, which is wide where there were
// few probes: [0 %, 79 %] after a single bad one. The sum's bounds come from those of
// the rounds by the method of variance estimates recovery, which adds the squares of
// their distances.
//
// # Limits
//
//   - A dependency that came back did so at some time before it was probed. Calls
//     refused before that are taken for good too, so WouldBeGood is rather too high
//     for an outage of one round, by up to half of that round.
//   - The probes of a round are made close together, and one dependency's moods are no
//     coin tosses. The interval speaks of chance alone; the truth may be further off.
//   - Calls refused are not like the probes if some of them go elsewhere, weigh more,
//     or would themselves have kept the dependency down. The last is why a breaker
//     refuses them, and it is not in the numbers.
//   - Refused calls without probes to compare with are in no estimate: those of
//     FORCED_OPEN, and of rounds that an operator or a restart ended before an outcome
//     was in. A caller that tries again is refused again, and counts each time.
//   - WaitSpared takes each call that fails to last equally long.
type Ledger struct {
	cfg LedgerConfig

	mu      sync.Mutex
	names   table[account]
	dropped uint64
}

// account is a book that is being written.
type account struct {
	book    Book
	seq     uint64
	waiting uint64 // refused in the OPEN period of the round under way
	good    weighted
	bad     weighted
}

// NewLedger makes a ledger. If cfg is not valid the error is a
// [*switchgear.ConfigError].
func NewLedger(cfg LedgerConfig) (*Ledger, error) {
	var c check.Checker
	c.Int("Names", &cfg.Names, 1000, 1, 100_000, false)
	c.Duration("FailedCall", &cfg.FailedCall, 0, 1, check.MaxDuration, false)
	if err := c.Err("ledger", ""); err != nil {
		return nil, err
	}
	return &Ledger{cfg: cfg, names: newTable[account](cfg.Names)}, nil
}

// OnEvent takes a breaker's event. All others it lets pass.
func (l *Ledger) OnEvent(e event.Event) {
	if e.Source != breakerSource {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	c, _ := e.Detail.(*breaker.Change)
	if c == nil {
		// It writes nothing, but it is part of the sequence.
		if w := l.names.entries[e.Name]; w != nil {
			w.value.follow(e.Seq)
		}
		return
	}
	w, dropped := l.names.touch(e.Name)
	if dropped {
		l.dropped++
	}
	w.value.follow(e.Seq)
	w.value.write(e, c)
}

// follow notices a gap in a breaker's events. A number that is not greater than the
// last is another breaker's of the same name.
func (a *account) follow(seq uint64) {
	if a.seq > 0 && seq > a.seq+1 {
		a.book.Missed += seq - a.seq - 1
		a.waiting = 0 // what follows may belong to another round
	}
	a.seq = seq
}

// write enters the period that ended.
func (a *account) write(e event.Event, c *breaker.Change) {
	b := &a.book
	b.Name, b.State, b.Since = e.Name, e.To, e.Time
	waiting := a.waiting
	a.waiting = 0
	switch e.From {
	case breaker.Open.String():
		b.Open += c.Lasted
		b.Refused += c.Refused
		a.waiting = c.Refused // taken up only if HALF_OPEN follows
	case breaker.HalfOpen.String():
		b.HalfOpen += c.Lasted
		b.Refused += c.Refused
		b.Probes += c.Probes
		a.close(waiting+c.Refused, c.Numbers)
		if e.To == breaker.Closed.String() && e.Reason == "" {
			b.Recoveries++
		}
	case breaker.ForcedOpen.String():
		b.Forced += c.Lasted
		b.RefusedForced += c.Refused
	}
	if e.To == breaker.Open.String() && e.Reason == "" && c.Trip != nil {
		b.Trips++
	}
}

// close ends a round that refused so many calls, and whose probes ended so.
func (a *account) close(refused uint64, probes breaker.Numbers) {
	if probes.Calls <= 0 {
		return
	}
	n, good := probes.Calls, probes.Calls-probes.Failed
	a.book.ProbesJudged += uint64(n)
	a.book.ProbesGood += uint64(good)
	a.book.Estimated += refused
	a.good.add(float64(refused), wilson(float64(good), float64(n)))
	a.bad.add(float64(refused), wilson(float64(n-good), float64(n)))
}

// Book returns the book of the breaker of that name, and whether there is one.
func (l *Ledger) Book(name string) (Book, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := l.names.entries[name]
	if w == nil {
		return Book{}, false
	}
	return l.copy(w), true
}

// All returns all books, ordered by name.
func (l *Ledger) All() []Book {
	books := l.copies()
	slices.SortFunc(books, func(a, b Book) int { return strings.Compare(a.Name, b.Name) })
	return books
}

func (l *Ledger) copies() []Book {
	l.mu.Lock()
	defer l.mu.Unlock()
	books := make([]Book, 0, len(l.names.entries))
	for _, w := range l.names.entries {
		books = append(books, l.copy(w))
	}
	return books
}

// copy returns a book with its estimates made. Called under mu.
func (l *Ledger) copy(w *entry[account]) Book {
	b := w.value.book
	b.WouldBeGood = w.value.good.sum()
	if l.cfg.FailedCall > 0 {
		spared := w.value.bad.sum().times(float64(l.cfg.FailedCall))
		b.WaitSpared = &spared
	}
	return b
}

// Dropped returns how many books had to go. It only grows.
func (l *Ledger) Dropped() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dropped
}
