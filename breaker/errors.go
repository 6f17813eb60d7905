package breaker

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

const (
	keptErrors = 8   // rule T5
	sampleSize = 256 // bytes of an error's text that are kept
)

// ErrorGroup is one kind of error among the last ones before a trip.
type ErrorGroup struct {
	// Kind is the error's status or code, its type, or what the function given
	// to [WithErrorKind] says.
	Kind string `json:"kind"`
	// Count is how many of the last errors were of this kind.
	Count int `json:"count"`
	// Sample is the newest one's text, at most 256 bytes of it.
	Sample string `json:"sample"`
}

// String returns "kind: sample".
func (g ErrorGroup) String() string { return g.Kind + ": " + g.Sample }

// lastErrors keeps the newest errors of a period. They are the user's values,
// so nothing is asked of them until the lock is free.
type lastErrors struct {
	ring [keptErrors]error
	n    int
}

func (l *lastErrors) add(err error) {
	l.ring[l.n%keptErrors] = err
	l.n++
}

// take returns the errors, newest first, and forgets them.
func (l *lastErrors) take() []error {
	if l == nil || l.n == 0 {
		return nil
	}
	var errs []error
	for i := l.n - 1; i >= 0 && i >= l.n-keptErrors; i-- {
		errs = append(errs, l.ring[i%keptErrors])
	}
	*l = lastErrors{}
	return errs
}

// group sorts errors, given newest first, into kinds, most frequent first. It
// calls user code and so must run outside the lock.
func group(errs []error, kind func(error) string) []ErrorGroup {
	var groups []ErrorGroup
	for _, err := range errs {
		k := guarded(func() string { return kind(err) })
		i := slices.IndexFunc(groups, func(g ErrorGroup) bool { return g.Kind == k })
		if i < 0 {
			groups = append(groups, ErrorGroup{Kind: k, Sample: clip(guarded(err.Error))})
			i = len(groups) - 1
		}
		groups[i].Count++
	}
	slices.SortStableFunc(groups, func(a, b ErrorGroup) int { return b.Count - a.Count })
	return groups
}

// guarded calls user code that makes a text for a record; a panic in it must not
// take the record away.
func guarded(text func() string) (s string) {
	defer func() {
		if r := recover(); r != nil {
			s = "panic while describing the error"
		}
	}()
	return text()
}

func clip(s string) string {
	if len(s) > sampleSize {
		s = s[:sampleSize]
	}
	return strings.ToValidUTF8(s, "") // a letter may have been cut in two
}

// ErrorKind is the default kind of an error: "panic" for a call that panicked; its
// status or code, if anything in
// its chain has a method StatusCode() int or Code() int, else the type of the
// innermost error that has one worth naming, else "error".
func ErrorKind(err error) string {
	if e, ok := errors.AsType[interface {
		error
		StatusCode() int
	}](err); ok {
		return fmt.Sprintf("status %d", e.StatusCode())
	}
	if e, ok := errors.AsType[interface {
		error
		Code() int
	}](err); ok {
		return fmt.Sprintf("code %d", e.Code())
	}
	if _, ok := errors.AsType[panicked](err); ok {
		return "panic"
	}
	kind := "error"
	for ; err != nil; err = errors.Unwrap(err) {
		switch t := fmt.Sprintf("%T", err); t {
		case "*errors.errorString", "*fmt.wrapError", "*fmt.wrapErrors", "*errors.joinError",
			"*switchgear.marked", "*switchgear.hinted": // they say nothing
		default:
			kind = t
		}
	}
	return kind
}

// panicked stands for a panic of the protected function in the records. It holds the
// text, made at once: the value may point to what the program goes on changing.
type panicked struct{ text string }

func panicOf(value any) panicked {
	return panicked{guarded(func() string { return fmt.Sprint(value) })}
}

func (p panicked) Error() string { return p.text }

// errOverdue stands for a probe that the breaker settled itself (rule H8).
var errOverdue = errors.New("probe still out after the probe limit")
