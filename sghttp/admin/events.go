package admin

import (
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/explain"
)

// An Item is an event in a list or a stream: a record, of which events that are not a
// breaker's have only what every event has. Its name is the policy's own, which of an
// attached breaker is not that of its entry.
type Item struct {
	// ID is the event's identifier here, to be given as "since".
	ID string `json:"id"`
	// Source is the sort of policy.
	Source string `json:"source"`
	// Text says in one line what happened.
	Text string `json:"text"`
	explain.Record
}

// Events is the answer of GET /events.
type Events struct {
	// Events are the newest, or those after "since"; the oldest first.
	Events []Item `json:"events"`
	// Last is to be given as "since" for what comes after these.
	Last string `json:"last"`
	// More tells that there are more already.
	More bool `json:"more,omitempty"`
	// Missed tells that there are events missing: those after "since" that are no longer
	// remembered, and those that came faster than the handler could take them.
	Missed bool `json:"missed,omitempty"`
}

const (
	maxText   = 1024 // bytes of a line
	maxReason = 256  // bytes
)

func (g *ring) item(number uint64, e event.Event) Item {
	it := Item{ID: g.id(number), Source: e.Source}
	if record, ok := explain.Of(e); ok {
		it.Record, it.Text = record, record.String()
		return it
	}
	it.Text = oneLine(e.String())
	it.Record = explain.Record{
		Name: e.Name, Kind: e.Kind, Seq: e.Seq, Time: e.Time, From: e.From, To: e.To, Period: e.Period,
		Author: clip(e.Author, maxReason), Reason: clip(e.Reason, maxReason),
	}
	return it
}

// oneLine keeps what a policy of the user's wrote from being more than a line.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, clip(s, maxText))
}

// clip returns at most so many bytes of s.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "")
}

func (h *Handler) events(w http.ResponseWriter, r *http.Request, _ string) *problem {
	most, p := limit(r)
	if p != nil {
		return p
	}
	a := Events{Events: []Item{}}
	var from uint64
	if since := r.URL.Query().Get("since"); since != "" {
		var ok bool
		if from, a.Missed, ok = h.ring.parse(since); !ok {
			return invalid("since", "must be the id of an event")
		}
	} else {
		from = h.ring.newest()
		from -= min(from, uint64(most))
	}
	b := h.ring.after(from, most)
	a.More, a.Missed = b.more, a.Missed || b.missed > 0 && r.URL.Query().Has("since")
	for i, e := range b.events {
		a.Events = append(a.Events, h.ring.item(b.first+uint64(i), e.Event))
		a.Missed = a.Missed || e.lost > 0
	}
	a.Last = h.ring.id(b.first - 1 + uint64(len(b.events)))
	answer(w, r, http.StatusOK, a, a.text)
	return nil
}

func (a *Events) text() string {
	var b strings.Builder
	if a.Missed {
		b.WriteString("(some events are missing)\n")
	}
	for _, it := range a.Events {
		b.WriteString(it.line())
	}
	if a.More {
		b.WriteString("for more: ?since=" + a.Last + "\n")
	}
	return b.String()
}

// line returns the text with the time before it. Lines of other policies have it already.
func (it *Item) line() string {
	if it.Cause == "" {
		return it.Text + "\n"
	}
	return it.Time.Format(time.DateTime) + " " + it.Text + "\n"
}
