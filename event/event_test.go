package event

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 120_000_000, time.UTC)

type text string

func (t text) String() string { return string(t) }

type explosive struct{}

func (explosive) String() string { panic("boom") }

func TestEventString(t *testing.T) {
	base := Event{Seq: 7, Time: noon, Source: "breaker", Name: "stock"}
	with := func(change func(*Event)) Event {
		e := base
		change(&e)
		return e
	}
	const head = `2026-03-01T12:00:00.120Z breaker "stock" #7 `
	for _, test := range []struct {
		name  string
		event Event
		want  string
	}{
		{"transition", with(func(e *Event) {
			e.Kind, e.From, e.To = Transition, "CLOSED", "OPEN"
		}), head + `transition CLOSED -> OPEN`},

		{"an operator's transition", with(func(e *Event) {
			e.Kind, e.From, e.To = Transition, "CLOSED", "FORCED_OPEN"
			e.Author, e.Reason = "ana", "maintenance"
		}), head + `transition CLOSED -> FORCED_OPEN by "ana": "maintenance"`},

		{"renewed names the state once", with(func(e *Event) {
			e.Kind, e.From, e.To, e.Author = Renewed, "DISABLED", "DISABLED", "ana"
		}), head + `renewed DISABLED by "ana"`},

		{"warning without states", with(func(e *Event) {
			e.Kind, e.Reason = Warning, "minimum calls 20 is more than the window of 10"
		}), head + `warning: "minimum calls 20 is more than the window of 10"`},

		{"a Stringer as detail", with(func(e *Event) {
			e.Kind, e.Detail = Transition, text("6 of 10 failed")
		}), head + `transition ("6 of 10 failed")`},

		{"an error as detail", with(func(e *Event) {
			e.Kind, e.Detail = Warning, errors.New("no route")
		}), head + `warning ("no route")`},

		{"a string as detail", with(func(e *Event) {
			e.Kind, e.Detail = Warning, "plain"
		}), head + `warning ("plain")`},

		{"a detail with nothing to say is left out", with(func(e *Event) {
			e.Kind, e.Detail = Transition, text("")
		}), head + `transition`},

		{"any other detail is left to programs", with(func(e *Event) {
			e.Kind, e.Detail = Transition, struct{ Failed int }{6}
		}), head + `transition`},
	} {
		t.Run(test.name, func(t *testing.T) {
			equal(t, "String", test.event.String(), test.want)
		})
	}

	t.Run("text from outside cannot break the line", func(t *testing.T) {
		const evil = "a\n2026-03-01 breaker \"x\" #1\x1b[2J\u202e\u2028"
		e := Event{Name: evil, Author: evil, Reason: evil, Detail: text(evil)}
		if s := e.String(); strings.ContainsAny(s, "\n\x1b\u202e\u2028") {
			t.Errorf("control characters got through: %q", s)
		}
	})
	t.Run("a String method that panics does no harm", func(t *testing.T) {
		e := Event{Kind: Warning, Detail: explosive{}}
		if s := e.String(); !strings.Contains(s, "warning") {
			t.Errorf("got %q", s)
		}
	})
}

func TestEventJSON(t *testing.T) {
	t.Run("all fields, in snake case", func(t *testing.T) {
		full := Event{
			Seq: 7, Time: noon, Source: "breaker", Name: "stock", Kind: Transition,
			From: "CLOSED", To: "OPEN", Period: 3, Author: "ana", Reason: "why", Detail: "more",
		}
		data, err := json.Marshal(full)
		equal(t, "error", err, nil)
		equal(t, "JSON", string(data), `{"seq":7,"time":"2026-03-01T12:00:00.12Z","source":"breaker","name":"stock",`+
			`"kind":"transition","from":"CLOSED","to":"OPEN","period":3,"author":"ana","reason":"why","detail":"more"}`)

		var back Event
		equal(t, "error", json.Unmarshal(data, &back), nil)
		equal(t, "decoded", back, full)
	})
	t.Run("what does not apply is absent", func(t *testing.T) {
		data, err := json.Marshal(Event{Seq: 1, Time: noon, Source: "breaker", Name: "stock", Kind: Warning})
		equal(t, "error", err, nil)
		equal(t, "JSON", string(data),
			`{"seq":1,"time":"2026-03-01T12:00:00.12Z","source":"breaker","name":"stock","kind":"warning"}`)
	})
}
