package admin

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/internal/check"
	"github.com/switchgear-go/switchgear/registry"
)

// MaxMoves is how many breakers one request may move.
const MaxMoves = 1000

const (
	maxBody   = 4 << 10 // bytes
	maxAuthor = 128     // bytes
	forever   = "forever"
)

// An Order is the body of a move.
type Order struct {
	// Name is the pattern of POST /breakers/move; not for a single breaker.
	Name string `json:"name,omitempty"`
	// To, For, Reason and Author are explained in the package comment.
	To     string `json:"to"`
	For    string `json:"for,omitempty"`
	Reason string `json:"reason"`
	Author string `json:"author,omitempty"`
	// DryRun tells which breakers match, and moves none; only with Name.
	DryRun bool `json:"dry_run,omitempty"`
}

// Moved is the answer to a move.
type Moved struct {
	// Moved are the breakers, in their new state; with DryRun, as they are.
	Moved []Summary `json:"moved"`
}

// holds are the states that orders other than a reset lead to.
var holds = map[string]breaker.State{
	"hold-open":   breaker.ForcedOpen,
	"hold-closed": breaker.MetricsOnly,
	"disable":     breaker.Disabled,
}

const reset = "reset"

func (h *Handler) move(w http.ResponseWriter, r *http.Request, name string) *problem {
	e, p := h.entry(name)
	if p != nil {
		return p
	}
	return h.carryOut(w, r, func(o *Order) ([]registry.Entry, *problem) {
		switch {
		case o.Name != "":
			return nil, invalid("name", "must not be given: the path has it")
		case o.DryRun:
			return nil, invalid("dry_run", "must not be given for a single breaker")
		}
		return []registry.Entry{e}, nil
	})
}

func (h *Handler) moveAll(w http.ResponseWriter, r *http.Request, _ string) *problem {
	return h.carryOut(w, r, func(o *Order) ([]registry.Entry, *problem) {
		if o.Name == "" || len(o.Name) > maxPattern {
			return nil, invalid("name", "must be a pattern of 1 to %d bytes", maxPattern)
		}
		var entries []registry.Entry
		for _, e := range h.breakers() {
			if match(o.Name, e.Name) {
				entries = append(entries, e)
			}
		}
		switch {
		case len(entries) == 0:
			return nil, &problem{status: http.StatusNotFound, Error: "no breaker matches", Field: "name"}
		case len(entries) > MaxMoves:
			return nil, invalid("name", "must match at most %d breakers, and matches %d", MaxMoves, len(entries))
		}
		return entries, nil
	})
}

// carryOut reads an order and gives it to the breakers that it is for.
func (h *Handler) carryOut(w http.ResponseWriter, r *http.Request, targets func(*Order) ([]registry.Entry, *problem)) *problem {
	o, p := readOrder(w, r)
	if p != nil {
		return p
	}
	m, p := o.move()
	if p != nil {
		return p
	}
	if h.author != nil {
		if name := h.author(r); name != "" {
			m.Author = clip(name, maxAuthor)
		}
	}
	entries, p := targets(o)
	if p != nil {
		return p
	}
	done := Moved{Moved: make([]Summary, 0, len(entries))}
	for _, e := range entries {
		if p := o.give(e.Breaker, m); p != nil {
			return p // an order that one breaker cannot have none can, so this is the first
		}
		done.Moved = append(done.Moved, h.summary(e))
	}
	answer(w, r, http.StatusOK, done, done.text)
	return nil
}

// give gives the order to one breaker.
func (o *Order) give(b *breaker.Breaker, m breaker.Move) *problem {
	var err error
	switch {
	case o.DryRun:
	case o.To == reset:
		err = b.Reset(m.Author, m.Reason)
	default:
		err = b.Move(m)
	}
	if err == nil {
		return nil
	}
	if wrong, ok := errors.AsType[*switchgear.ConfigError](err); ok {
		return invalid(strings.ToLower(wrong.Problems[0].Path), "%s", wrong.Problems[0].Bound)
	}
	return &problem{status: http.StatusInternalServerError, Error: "the move failed"}
}

// readOrder reads the body.
func readOrder(w http.ResponseWriter, r *http.Request) (*Order, *problem) {
	o := new(Order)
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	d.DisallowUnknownFields()
	err := d.Decode(o)
	if err == nil {
		if _, after := d.Token(); after != io.EOF { // a byte too many, or bytes without end
			err = after
			if err == nil {
				err = errors.New("there is more than one value")
			}
		}
	}
	if err == nil {
		return o, nil
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, &problem{status: http.StatusRequestEntityTooLarge, Error: "the body is too large", Field: "body", Bound: fmt.Sprintf("at most %d bytes", maxBody)}
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
		return nil, invalid(wrong.Field, "must be a %v", wrong.Type)
	}
	return nil, &problem{status: http.StatusBadRequest, Error: clip(err.Error(), maxReason), Field: "body", Bound: `one JSON object with "to", "for", "reason", "author"`}
}

// move checks an order and returns what it means.
func (o *Order) move() (breaker.Move, *problem) {
	m := breaker.Move{Author: o.Author, Reason: o.Reason}
	var holding bool
	m.To, holding = holds[o.To]
	switch {
	case !holding && o.To != reset:
		return m, invalid("to", "must be hold-open, hold-closed, disable or reset")
	case strings.TrimSpace(o.Reason) == "":
		return m, invalid("reason", "must not be empty: the next operator will want to know")
	case !text(o.Reason, maxReason):
		return m, invalid("reason", "must be at most %d bytes", maxReason)
	case !text(o.Author, maxAuthor):
		return m, invalid("author", "must be at most %d bytes", maxAuthor)
	case !holding && o.For != "":
		return m, invalid("for", "must not be given for reset")
	case !holding || o.For == forever:
		return m, nil
	}
	d, err := time.ParseDuration(o.For)
	if err != nil || d < 1 || d > check.MaxDuration {
		return m, invalid("for", `must be a time of up to %v such as "30m", or "forever"`, check.MaxDuration)
	}
	m.For = d
	return m, nil
}

// text reports whether s is a text of at most so many bytes. A JSON string that is not
// UTF-8 has become so when it was read.
func text(s string, most int) bool { return len(s) <= most && utf8.ValidString(s) }

func (m *Moved) text() string {
	var b strings.Builder
	for _, s := range m.Moved {
		b.WriteString(s.Text + "\n")
	}
	return b.String()
}
