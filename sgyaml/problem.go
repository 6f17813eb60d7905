package sgyaml

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/switchgear-go/switchgear"
)

// Problem is one thing wrong with a document.
type Problem struct {
	// Position is where it is: if what it is about is not in the document, where
	// the nearest thing around it is. None if that was not written in a file.
	Position
	// Path names it as documents spell it, such as services[0].faults[1].to. Empty
	// if it is about the whole.
	Path string
	// Value is what was found, cut off if it is long; empty if there was nothing.
	Value string
	// Bound says what is allowed.
	Bound string
}

// String returns the problem in one line, such as
//
//	herd.yaml:12:7: client.call.breaker.open.wait: 1: must have a unit, as in 1s or 1ms
//
// without the parts that are not known. What is not printable is escaped as in Go: keys,
// values and names of files are foreign, and a terminal would obey.
func (p Problem) String() string {
	var b strings.Builder
	if p.Line > 0 {
		fmt.Fprintf(&b, "%s:%d:%d: ", p.File, p.Line, p.Column)
	}
	if p.Path != "" {
		b.WriteString(p.Path + ": ")
	}
	if p.Value != "" {
		b.WriteString(p.Value + ": ")
	}
	b.WriteString(p.Bound)
	return printable(b.String())
}

// printable escapes what is not.
func printable(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && size == 1 || !strconv.IsPrint(r) {
			q := strconv.Quote(s[:size])
			b.WriteString(q[1 : len(q)-1])
		} else {
			b.WriteString(s[:size])
		}
		s = s[size:]
	}
	return b.String()
}

// MaxProblems is how many problems one [Error] lists.
const MaxProblems = 100

// Error lists what is wrong with a document.
type Error struct {
	// Problems are in the order of the document, but for those that one cannot look
	// for before others are gone. At least one, at most [MaxProblems].
	Problems []Problem
	// More is how many there are beyond these.
	More int
}

// Error returns all problems, one a line.
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems), len(e.Problems)+1)
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	if e.More > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", e.More))
	}
	return strings.Join(lines, "\n")
}

// Is reports whether target is [switchgear.ErrConfig].
func (e *Error) Is(target error) bool { return target == switchgear.ErrConfig }

// problems collects.
type problems struct {
	list []Problem
	more int
}

func (p *problems) any() bool { return len(p.list) > 0 }

func (p *problems) add(one Problem) {
	if len(p.list) == MaxProblems {
		p.more++
		return
	}
	p.list = append(p.list, one)
}

// err returns an [*Error], or nil if there is nothing wrong.
func (p *problems) err() error {
	if !p.any() {
		return nil
	}
	slices.SortStableFunc(p.list, func(a, b Problem) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return &Error{Problems: p.list, More: p.more}
}

// Locate finds the places in the document for the problems of a
// [*switchgear.ConfigError], which whoever was given the configuration decoded from it
// has returned, and gives them the spelling of documents. The error that it returns is
// an [*Error]. It returns any other error, and nil, as it is.
func (d *Document) Locate(err error) error {
	invalid, ok := errors.AsType[*switchgear.ConfigError](err)
	if !ok {
		return err
	}
	var found problems
	for _, p := range invalid.Problems {
		one := Spelled(p)
		one.Position = d.root.nearest(goPath(p.Path))
		found.add(one)
	}
	if e := found.err(); e != nil {
		return e
	}
	return err
}

// Spelled returns a problem, or a warning, in the spelling of documents, without a place.
func Spelled(p switchgear.Problem) Problem {
	return Problem{
		Path:  formatPath(goPath(p.Path)),
		Value: shorten(valueText(p.Value)),
		// Bounds are written for Go, where the word is a constant's.
		Bound: strings.ReplaceAll(p.Bound, "or Off", "or off"),
	}
}

// nearest returns where the value at a path is, or what there is of the way to it.
func (n *node) nearest(steps []step) Position {
	for _, s := range steps {
		c := n.child(s)
		if c == nil {
			break
		}
		n = c
	}
	return n.at
}

// valueText spells a value as documents do.
func valueText(v any) string {
	switch v := v.(type) {
	case time.Duration:
		return durationText(v)
	case switchgear.Percent:
		text, _ := v.MarshalText()
		return string(text)
	case int:
		if v == switchgear.Off {
			return "off"
		}
	}
	return fmt.Sprint(v)
}

// shorten cuts off what nobody would read.
func shorten(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
