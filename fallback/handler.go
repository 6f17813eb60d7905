package fallback

import (
	"context"
	"slices"
	"strconv"
)

// A Handler is a substitute for a call that failed, together with its causes.
// [Value], [Func] and [Chain] make handlers. A Handler is a value; its methods return
// changed copies. Slices given to them are copied by [New]. The zero Handler matches
// nothing.
type Handler[T any] struct {
	kind      string
	name      string
	when      []Cause
	value     T
	run       func(context.Context, error) (T, error)
	providers []Provider[T]
}

const (
	kindValue = "value"
	kindFunc  = "func"
	kindChain = "chain"
)

// Value answers with v, always the same one: if it holds a pointer, a map or a
// slice, all callers share what that refers to.
func Value[T any](v T, when ...Cause) Handler[T] {
	return Handler[T]{kind: kindValue, value: v, when: when}
}

// Func answers with what f returns. f gets the caller's context and the error that
// matched: that of the call, or that of a handler before this one. A nil f matches
// nothing, and [New] refuses it.
func Func[T any](f func(ctx context.Context, err error) (T, error), when ...Cause) Handler[T] {
	return Handler[T]{kind: kindFunc, run: f, when: when}
}

// A Provider is another source of the same answer.
type Provider[T any] struct {
	// Name appears in counters and errors. Default "provider 1" and so on.
	Name string
	// Call asks the provider. It should contain what protects that provider: its
	// own breaker or pipeline, and a limit on its time if another one is to follow.
	Call func(context.Context) (T, error)
}

// Chain asks the providers in order, until one answers or fails for a reason that
// does not match the handler's causes. For causes other than the default, use
// [Handler.When]. A provider without a Call is passed over, and [New] refuses it.
func Chain[T any](providers ...Provider[T]) Handler[T] {
	return Handler[T]{kind: kindChain, providers: providers}
}

// When returns the handler with these causes in place of those it had.
func (h Handler[T]) When(causes ...Cause) Handler[T] {
	h.when = causes
	return h
}

// Named returns the handler with a name for counters and errors. Default "value" or
// "func". In front of a chain's providers it stands as in "backup/provider 1".
func (h Handler[T]) Named(name string) Handler[T] {
	h.name = name
	return h
}

// A Step is one substitute that can be tried: a handler, or one provider of a chain.
type Step[T any] struct {
	name  string
	when  []Cause
	value T
	run   func(context.Context, error) (T, error) // nil: the answer is value
}

// Name returns the name under which the step is counted.
func (s *Step[T]) Name() string { return s.name }

// Run tries the step for a call that failed with err.
func (s *Step[T]) Run(ctx context.Context, err error) (T, error) {
	if s.run == nil {
		return s.value, nil
	}
	return s.run(ctx, err)
}

func (s *Step[T]) matches(err error) bool {
	if len(s.when) == 0 {
		return NoAnswer(err)
	}
	for _, cause := range s.when {
		if cause != nil && cause(err) {
			return true
		}
	}
	return false
}

// steps writes the handlers out as one list. That a chain is no more than its
// providers in a row, with the same causes, follows from the rule that each failure
// is what the next step is asked about.
func steps[T any](handlers []Handler[T]) []Step[T] {
	list := make([]Step[T], 0, len(handlers))
	for _, h := range handlers {
		// The causes are copied, because the slice may be the caller's.
		s := Step[T]{name: h.name, when: slices.Clone(h.when), run: h.run}
		if s.name == "" {
			s.name = h.kind
		}
		switch {
		case h.kind == kindValue:
			s.value = h.value
			list = append(list, s)
		case h.kind == kindFunc && h.run != nil:
			list = append(list, s)
		case h.kind == kindChain:
			for i, p := range h.providers {
				if p.Call == nil {
					continue
				}
				s.name = p.Name
				if s.name == "" {
					s.name = "provider " + strconv.Itoa(i+1)
				}
				if h.name != "" {
					s.name = h.name + "/" + s.name
				}
				s.run = func(ctx context.Context, _ error) (T, error) { return p.Call(ctx) }
				list = append(list, s)
			}
		}
	}
	return list
}
