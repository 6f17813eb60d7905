package admin

import (
	"fmt"
	"net/http"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/explain"
	"github.com/switchgear-go/switchgear/registry"
)

// Details is the answer of GET /breakers/{name}.
type Details struct {
	Name string `json:"name"`
	// Text says in one line why the breaker is as it is, and Now in fields. Its Trip is
	// the last one.
	Text string         `json:"text"`
	Now  explain.Record `json:"now"`
	// RetryAfter is the time until a probe may be admitted; absent where there is none.
	RetryAfter time.Duration `json:"retry_after_ns,omitzero"`
	// Flapping is what the flap detector says; absent without one, and if there are several
	// breakers of the same own name.
	Flapping *bool `json:"flapping,omitzero"`
	// Evidence and SlowEvidence, Consecutive, Grace and LastFailure are as in
	// [breaker.Snapshot].
	Evidence     float64   `json:"evidence,omitzero"`
	SlowEvidence float64   `json:"slow_evidence,omitzero"`
	Consecutive  int64     `json:"consecutive,omitzero"`
	Grace        bool      `json:"grace,omitzero"`
	LastFailure  time.Time `json:"last_failure,omitzero"`

	Counters breaker.Counters `json:"counters"`
	// Configuration has every field of [breaker.Config], defaults filled in.
	Configuration []Setting `json:"configuration"`
	// Book is the ledger's; absent without one, before the breaker's first event, if there
	// are several breakers of the same own name, and if the book tells what this breaker has
	// not been through: then it is another one's that has had the name.
	Book *explain.Book `json:"book,omitzero"`
}

func (h *Handler) show(w http.ResponseWriter, r *http.Request, name string) *problem {
	e, p := h.entry(name)
	if p != nil {
		return p
	}
	d := h.details(e)
	answer(w, r, http.StatusOK, d, d.text)
	return nil
}

// entry returns the entry of that name.
func (h *Handler) entry(name string) (registry.Entry, *problem) {
	e, ok := h.reg.Lookup(name)
	if !ok || e.Breaker == nil {
		return e, unknown()
	}
	return e, nil
}

func unknown() *problem {
	return &problem{status: http.StatusNotFound, Error: "no such breaker", Field: "name"}
}

func (h *Handler) details(e registry.Entry) Details {
	var book *explain.Book
	if h.ledger != nil { // before the snapshot, which then knows what is in it
		if b, ok := h.ledger.Book(e.Breaker.Name()); ok {
			book = &b
		}
	}
	record, s := h.now(e)
	d := Details{
		Name: e.Name, Text: record.String(), Now: record, RetryAfter: s.RetryAfter,
		Evidence: s.Evidence, SlowEvidence: s.SlowEvidence, Consecutive: s.Consecutive, Grace: s.Grace, LastFailure: s.LastFailure,
		Counters: s.Counters, Configuration: settings(e.Breaker.Config()),
	}
	if h.flaps == nil && book == nil {
		return d
	}
	shared := twinsOf(h.breakers())
	if shared[s.Name] {
		return d
	}
	if h.flaps != nil {
		flapping := h.flapping(&s, shared)
		d.Flapping = &flapping
	}
	if book != nil && isOf(book, &s) {
		d.Book = book
	}
	return d
}

// isOf reports whether a book can be that of a breaker: whether they agree about its state,
// and the breaker has been through what the book tells.
func isOf(b *explain.Book, s *breaker.Snapshot) bool {
	return s.Period > 1 && b.State == s.State.String() && b.Trips <= s.Counters.Trips &&
		b.Probes <= s.Counters.Probes && b.Refused+b.RefusedForced <= s.Counters.Rejected
}

func (d *Details) text() string {
	var b strings.Builder
	b.WriteString(d.Text + "\n")
	if d.Flapping != nil && *d.Flapping {
		b.WriteString("It flaps.\n")
	}
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	row := func(name string, value any) { fmt.Fprintf(table, "  %s\t%v\n", name, value) }
	fmt.Fprintln(table, "\ncounters")
	c := d.Counters
	row("successful", c.Successful)
	row("failed", c.Failed)
	row("slow", c.Slow)
	row("ignored", c.Ignored)
	row("released", c.Released)
	row("rejected", c.Rejected)
	row("late", c.Late)
	row("trips", c.Trips)
	row("probes", c.Probes)
	if k := d.Book; k != nil {
		fmt.Fprintln(table, "\nledger")
		row("open", roughly(k.Open))
		row("half-open", roughly(k.HalfOpen))
		row("refused", k.Refused)
		row("good probes", fmt.Sprintf("%d of %d", k.ProbesGood, k.ProbesJudged))
		row("refused, but would have been good", fmt.Sprintf("about %.0f of %d (%.0f to %.0f)",
			k.WouldBeGood.Estimate, k.Estimated, k.WouldBeGood.Low, k.WouldBeGood.High))
		if k.WaitSpared != nil {
			row("waiting spared", fmt.Sprintf("about %v", roughly(time.Duration(k.WaitSpared.Estimate))))
		}
	}
	fmt.Fprintln(table, "\nconfiguration")
	for _, s := range d.Configuration {
		row(s.Path, s.Value)
	}
	_ = table.Flush() // a Builder takes everything
	return b.String()
}

// roughly rounds a time to what people want to read.
func roughly(d time.Duration) time.Duration {
	if d < 10*time.Second {
		return d.Round(time.Millisecond)
	}
	return d.Round(time.Second)
}
