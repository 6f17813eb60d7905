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
	// Flapping is what the flap detector says; absent without one.
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
	// Book is the ledger's; absent without one, and before the breaker's first event.
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
		return e, &problem{status: http.StatusNotFound, Error: "no such breaker", Field: "name"}
	}
	return e, nil
}

func (h *Handler) details(e registry.Entry) Details {
	record, s := h.now(e)
	d := Details{
		Name: e.Name, Text: record.String(), Now: record, RetryAfter: s.RetryAfter,
		Evidence: s.Evidence, SlowEvidence: s.SlowEvidence, Consecutive: s.Consecutive, Grace: s.Grace, LastFailure: s.LastFailure,
		Counters: s.Counters, Configuration: settings(e.Breaker.Config()),
	}
	if h.flaps != nil {
		flapping := h.flapping(e)
		d.Flapping = &flapping
	}
	if h.ledger != nil {
		if book, ok := h.ledger.Book(e.Breaker.Name()); ok {
			d.Book = &book
		}
	}
	return d
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
		row("open", k.Open)
		row("half-open", k.HalfOpen)
		row("refused", k.Refused)
		row("good probes", fmt.Sprintf("%d of %d", k.ProbesGood, k.ProbesJudged))
		row("refused, but would have been good", fmt.Sprintf("about %.0f of %d (%.0f to %.0f)",
			k.WouldBeGood.Estimate, k.Estimated, k.WouldBeGood.Low, k.WouldBeGood.High))
		if k.WaitSpared != nil {
			row("waiting spared", fmt.Sprintf("about %v", time.Duration(k.WaitSpared.Estimate).Round(time.Second)))
		}
	}
	fmt.Fprintln(table, "\nconfiguration")
	for _, s := range d.Configuration {
		row(s.Path, s.Value)
	}
	_ = table.Flush() // a Builder takes everything
	return b.String()
}
