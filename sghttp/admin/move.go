package admin

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/internal/check"
)

// MaxMoves is how many breakers one request may move.
const MaxMoves = 1000

const (
	maxBody   = 4 << 10 // bytes
	maxAuthor = 128     // bytes
	maxRead   = 10 * time.Second
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
	// After moves those that match and come after this name, at most MaxMoves; "" begins
	// with the first. Without it a pattern that matches more moves none. Only with Name.
	After *string `json:"after,omitempty"`
	// DryRun tells which breakers match, and moves none; only with Name.
	DryRun bool `json:"dry_run,omitempty"`
}

// Moved is the answer to a move.
type Moved struct {
	// Moved are the breakers, in their new state; with DryRun, as they are.
	Moved []Summary `json:"moved"`
	// Gone are the names of breakers that matched and, when it was their turn, had been
	// removed or had expired.
	Gone []string `json:"gone,omitempty"`
	// Next is to be given as "after" for the rest, if there is more.
	Next string `json:"next,omitempty"`
}

// holds are the states that orders other than a reset lead to.
var holds = map[string]breaker.State{
	"hold-open":   breaker.ForcedOpen,
	"hold-closed": breaker.MetricsOnly,
	"disable":     breaker.Disabled,
}

const reset = "reset"

func (h *Handler) move(w http.ResponseWriter, r *http.Request, name string) *problem {
	if _, p := h.entry(name); p != nil {
		return p
	}
	o, m, p := h.order(w, r)
	switch {
	case p != nil:
		return p
	case o.Name != "":
		return invalid("name", "must not be given: the path has it")
	case o.After != nil:
		return invalid("after", "must not be given for a single breaker")
	case o.DryRun:
		return invalid("dry_run", "must not be given for a single breaker")
	}
	var done Moved
	if p := h.carryOut(&done, o, m, []string{name}); p != nil {
		return p
	}
	if len(done.Gone) > 0 {
		return unknown()
	}
	answer(w, r, http.StatusOK, done, done.text)
	return nil
}

func (h *Handler) moveAll(w http.ResponseWriter, r *http.Request, _ string) *problem {
	o, m, p := h.order(w, r)
	if p != nil {
		return p
	}
	if o.Name == "" || len(o.Name) > maxPattern {
		return invalid("name", "must be a pattern of 1 to %d bytes", maxPattern)
	}
	var names []string
	for _, e := range h.breakers() {
		if match(o.Name, e.Name) && (o.After == nil || e.Name > *o.After) {
			names = append(names, e.Name)
		}
	}
	done := Moved{Moved: []Summary{}}
	switch {
	case len(names) == 0:
		return &problem{status: http.StatusNotFound, Error: "no breaker matches", Field: "name"}
	case len(names) > MaxMoves && o.After == nil:
		return invalid("name", `must match at most %d breakers, and matches %d; with "after": "" the first of them are moved`, MaxMoves, len(names))
	case len(names) > MaxMoves:
		names = names[:MaxMoves]
		done.Next = names[MaxMoves-1]
	}
	if p := h.carryOut(&done, o, m, names); p != nil {
		return p
	}
	answer(w, r, http.StatusOK, done, done.text)
	return nil
}

// order reads an order and who gives it.
func (h *Handler) order(w http.ResponseWriter, r *http.Request) (*Order, breaker.Move, *problem) {
	o, p := readOrder(w, r)
	if p != nil {
		return nil, breaker.Move{}, p
	}
	m, p := o.move()
	if p == nil && h.author != nil {
		if name := h.author(r); name != "" {
			m.Author = clip(name, maxAuthor)
		}
	}
	return o, m, p
}

// carryOut gives an order to the breakers of these names. Each is looked up when it is its
// turn: it may have gone since it was listed, and to look it up is use, so that it does not
// go now.
func (h *Handler) carryOut(done *Moved, o *Order, m breaker.Move, names []string) *problem {
	shared := twinsOf(h.breakers())
	for _, name := range names {
		e, gone := h.entry(name)
		if gone != nil {
			done.Gone = append(done.Gone, name)
			continue
		}
		if p := o.give(e.Breaker, m); p != nil {
			return p // an order that one breaker cannot have none can, so this is the first
		}
		done.Moved = append(done.Moved, h.summary(e, shared))
	}
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

// readOrder reads the body. It does so key by key: what reads a whole struct takes keys in
// any case and of two the last, and what stands in front of the handler, or in a log, may
// have read another order.
func readOrder(w http.ResponseWriter, r *http.Request) (*Order, *problem) {
	// The deadline is a socket's, so it is of the machine's time. The server sets it anew
	// for the next request.
	_ = http.NewResponseController(w).SetReadDeadline(clock.Real().Now().Add(maxRead)) // or there is none
	o := new(Order)
	fields := map[string]any{
		"name": &o.Name, "to": &o.To, "for": &o.For, "reason": &o.Reason, "author": &o.Author, "after": &o.After, "dry_run": &o.DryRun,
	}
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	if begin, err := d.Token(); err != nil || begin != json.Delim('{') {
		return nil, unreadable(err, "it is not an object")
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, unreadable(err, "")
		}
		name, _ := key.(string)
		field, ok := fields[name]
		if !ok {
			return nil, unreadable(nil, fmt.Sprintf("there is no field %q, or it is there twice", clip(name, maxAuthor)))
		}
		delete(fields, name)
		err = d.Decode(field)
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return nil, invalid(name, "must be a %v", wrong.Type)
		}
		if err != nil {
			return nil, unreadable(err, "")
		}
	}
	if _, err := d.Token(); err != nil { // the end of the object
		return nil, unreadable(err, "")
	}
	if _, err := d.Token(); err != io.EOF { // a byte too many, or bytes without end
		return nil, unreadable(err, "there is more than one value")
	}
	return o, nil
}

// unreadable returns the problem with a body that cannot be read, because of err or else
// for that reason.
func unreadable(err error, reason string) *problem {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return &problem{status: http.StatusRequestEntityTooLarge, Error: "the body is too large", Field: "body", Bound: fmt.Sprintf("at most %d bytes", maxBody)}
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return &problem{status: http.StatusRequestTimeout, Error: "the body does not come", Field: "body", Bound: fmt.Sprintf("within %v", maxRead)}
	}
	if err != nil {
		reason = err.Error()
	}
	return &problem{status: http.StatusBadRequest, Error: clip(reason, maxReason), Field: "body", Bound: `one JSON object with "to", "for", "reason", "author"`}
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
	for _, name := range m.Gone {
		fmt.Fprintf(&b, "%q is gone\n", name)
	}
	if m.Next != "" {
		fmt.Fprintf(&b, "for more: \"after\": %q\n", m.Next)
	}
	return b.String()
}
