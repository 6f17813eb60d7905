package admin

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/explain"
	"github.com/switchgear-go/switchgear/registry"
)

// A Summary is a breaker in a list.
type Summary struct {
	Name  string        `json:"name"`
	State breaker.State `json:"state"`
	Since time.Time     `json:"since"`
	// Text says why, in one line.
	Text string `json:"text"`
	// NextProbe, Author, Reason and Expires are as in [explain.Record].
	NextProbe time.Time `json:"next_probe,omitzero"`
	Author    string    `json:"author,omitzero"`
	Reason    string    `json:"reason,omitzero"`
	Expires   time.Time `json:"expires,omitzero"`
	// Flapping is what the flap detector says; false too where [Details] has none.
	Flapping bool `json:"flapping,omitzero"`
}

// List is the answer of GET /breakers.
type List struct {
	// Total is how many breakers there are, and Matched how many of them match.
	Total   int `json:"total"`
	Matched int `json:"matched"`
	// Breakers are ordered by name.
	Breakers []Summary `json:"breakers"`
	// Next is to be given as "after" for the rest, if there is more.
	Next string `json:"next,omitempty"`
}

// breakers returns the entries that have a breaker.
func (h *Handler) breakers() []registry.Entry {
	var entries []registry.Entry
	for e := range h.reg.Entries() {
		if e.Breaker != nil {
			entries = append(entries, e)
		}
	}
	return entries
}

// now returns the state of a breaker, explained, under the name of its entry.
func (h *Handler) now(e registry.Entry) (explain.Record, breaker.Snapshot) {
	at := h.clk.Now()
	s := e.Breaker.Snapshot()
	record := explain.Now(s, at)
	record.Name = e.Name
	return record, s
}

func (h *Handler) summary(e registry.Entry, twins twins) Summary {
	r, s := h.now(e)
	return Summary{
		Name: e.Name, State: s.State, Since: s.Since, Text: r.String(), NextProbe: r.NextProbe,
		Author: r.Author, Reason: r.Reason, Expires: r.Expires, Flapping: h.flapping(&s, twins),
	}
}

// flapping believes the detector only if it can mean this breaker: one that still is in its
// first period has never opened.
func (h *Handler) flapping(s *breaker.Snapshot, twins twins) bool {
	return h.flaps != nil && s.Period > 1 && !twins[s.Name] && h.flaps.Flapping(s.Name)
}

// twins are the names that several breakers have. Ledger and detector know a breaker by its
// own name, and so take these for one.
type twins map[string]bool

func twinsOf(entries []registry.Entry) twins {
	first, more := make(map[string]*breaker.Breaker, len(entries)), twins{}
	for _, e := range entries {
		switch name := e.Breaker.Name(); first[name] {
		case nil:
			first[name] = e.Breaker
		case e.Breaker: // shown twice
		default:
			more[name] = true
		}
	}
	return more
}

func (h *Handler) list(w http.ResponseWriter, r *http.Request, _ string) *problem {
	query := r.URL.Query()
	most, p := limit(r)
	if p != nil {
		return p
	}
	wanted, p := states(query.Get("state"))
	if p != nil {
		return p
	}
	pattern := query.Get("name")
	if len(pattern) > maxPattern {
		return invalid("name", "must be at most %d bytes", maxPattern)
	}
	after := query.Get("after")

	entries := h.breakers()
	shared := twinsOf(entries)
	l := List{Total: len(entries), Breakers: []Summary{}}
	for _, e := range entries {
		if pattern != "" && !match(pattern, e.Name) || !wanted[e.Breaker.State()] {
			continue
		}
		l.Matched++
		switch {
		case e.Name <= after:
		case len(l.Breakers) < most:
			l.Breakers = append(l.Breakers, h.summary(e, shared))
		case l.Next == "":
			l.Next = l.Breakers[most-1].Name
		}
	}
	answer(w, r, http.StatusOK, l, func() string { return l.text(query) })
	return nil
}

// states reads a list of states, or returns all of them.
func states(list string) (wanted [6]bool, p *problem) {
	if list == "" {
		return [...]bool{true, true, true, true, true, true}, nil
	}
	for name := range strings.SplitSeq(list, ",") {
		var s breaker.State
		if err := s.UnmarshalText([]byte(strings.ToUpper(name))); err != nil {
			return wanted, invalid("state", "must be a list of CLOSED, OPEN, HALF_OPEN, DISABLED, METRICS_ONLY, FORCED_OPEN")
		}
		wanted[s] = true
	}
	return wanted, nil
}

func (l *List) text(query url.Values) string {
	var b strings.Builder
	for _, s := range l.Breakers {
		b.WriteString(s.Text)
		if s.Flapping {
			b.WriteString("; flapping")
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%d of %d breakers", l.Matched, l.Total)
	if l.Next != "" {
		query.Set("after", l.Next)
		fmt.Fprintf(&b, ", of which these are %d; for more: ?%s", len(l.Breakers), query.Encode())
	}
	b.WriteByte('\n')
	return b.String()
}
