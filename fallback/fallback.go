package fallback

import (
	"fmt"

	"github.com/switchgear-go/switchgear/internal/check"
)

const kind = "fallback"

// A Fallback is a list of handlers with a name and counters. Make it with [New]; it
// must not be copied. All its methods are safe for concurrent use.
type Fallback[T any] struct {
	name  string
	steps []Step[T]
	tally tally
}

// New makes a fallback of these handlers; at least one. The error is a
// [*switchgear.ConfigError] that lists everything wrong with them: functions and
// causes that are nil, chains without providers, and handlers that can never have
// their turn because a value before them answers every error they could. New never
// panics.
//
// There is no Config: what a fallback does is its handlers, and those are code.
func New[T any](name string, handlers ...Handler[T]) (*Fallback[T], error) {
	var c check.Checker
	if len(handlers) == 0 {
		c.Wrong("Handlers", len(handlers), "must be at least one")
	}
	for i, h := range handlers {
		h.check(&c, fmt.Sprintf("Handlers[%d]", i))
		if h.kind == kindValue && len(h.when) == 0 && i < len(handlers)-1 {
			c.Wrong(fmt.Sprintf("Handlers[%d]", i), h.kind, "must be last or have causes: what comes after it would never be tried")
		}
	}
	if err := c.Err(kind, name); err != nil {
		return nil, err
	}
	f := &Fallback[T]{name: name, steps: steps(handlers)}
	f.tally.steps = make([]stepTally, len(f.steps))
	return f, nil
}

func (h Handler[T]) check(c *check.Checker, path string) {
	switch {
	case h.kind == "":
		c.Wrong(path, "zero", "must be made by Value, Func or Chain")
	case h.kind == kindFunc && h.run == nil:
		c.Wrong(path+".Func", nil, "must not be nil")
	case h.kind == kindChain && len(h.providers) == 0:
		c.Wrong(path+".Chain", 0, "must have at least one provider")
	}
	for i, p := range h.providers {
		if p.Call == nil {
			c.Wrong(fmt.Sprintf("%s.Chain[%d].Call", path, i), nil, "must not be nil")
		}
	}
	for i, cause := range h.when {
		if cause == nil {
			c.Wrong(fmt.Sprintf("%s.When[%d]", path, i), nil, "must not be nil")
		}
	}
}

// Must returns f, or panics if err is not nil. It is for package variables.
func Must[T any](f *Fallback[T], err error) *Fallback[T] {
	if err != nil {
		panic(err)
	}
	return f
}

// Name returns the fallback's name.
func (f *Fallback[T]) Name() string { return f.name }

// Begin begins the trial of one call.
func (f *Fallback[T]) Begin() Trial[T] { return Trial[T]{steps: f.steps, tally: &f.tally} }
