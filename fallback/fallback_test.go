package fallback_test

import (
	"context"
	"errors"
	"testing"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/fallback"
)

func TestNew(t *testing.T) {
	t.Run("Z1: everything wrong is reported at once", func(t *testing.T) {
		_, err := fallback.New("price",
			fallback.Handler[string]{},
			fallback.Func[string](nil, nil),
			fallback.Chain[string](),
			fallback.Chain(provider("a", answers("a")), provider("b", nil)).When(fallback.Any, nil),
			fallback.Value("early"),
			fallback.Value("last"))
		equal(t, "sentinel", errors.Is(err, switchgear.ErrConfig), true)
		e, _ := errors.AsType[*switchgear.ConfigError](err)
		var paths []string
		for _, p := range e.Problems {
			paths = append(paths, p.Path)
		}
		equal(t, "paths", paths, []string{
			"Handlers[0]", "Handlers[1].Func", "Handlers[1].When[0]", "Handlers[2].Chain",
			"Handlers[3].Chain[1].Call", "Handlers[3].When[1]", "Handlers[4]",
		})
	})
	t.Run("Z1: no handlers", func(t *testing.T) {
		_, err := fallback.New[string]("price")
		equal(t, "error", err.Error(), `fallback "price": invalid configuration: Handlers = 0: must be at least one`)
		defer func() { equal(t, "Must panics with the error", recover(), any(err)) }()
		fallback.Must[string](nil, err)
	})
	t.Run("K60: what the caller changes later has no effect", func(t *testing.T) {
		rejected := []fallback.Cause{fallback.Rejected}
		handlers := []fallback.Handler[string]{fallback.Value("refused", rejected...), fallback.Value("spare")}
		causes := []fallback.Cause{fallback.Any}
		providers := []fallback.Provider[string]{provider("a", fails(errDown))}
		handlers = append([]fallback.Handler[string]{fallback.Chain(providers...).When(causes...)}, handlers...)
		a := fallback.Must(fallback.New("a", handlers...))
		handlers[1] = fallback.Value("changed")
		handlers[2] = fallback.Value("changed")
		causes[0], rejected[0] = fallback.Rejected, fallback.Any
		providers[0] = provider("changed", answers("changed"))
		v, _ := a.Do(context.Background(), fails(errOther))
		equal(t, "answer", v, "spare")
		equal(t, "provider", a.Counters().Handlers[0], fallback.HandlerCounters{Name: "a", Used: 1, Failed: 1})
	})
	t.Run("a handler is a value: When and Named change a copy", func(t *testing.T) {
		h := fallback.Value("spare")
		_ = h.Named("other").When(fallback.Rejected)
		f := fallback.Must(fallback.New("price", h))
		v, err := f.Do(context.Background(), fails(errDown))
		equal(t, "answer", v, "spare")
		equal(t, "error", err, nil)
		equal(t, "name", f.Counters().Handlers[0].Name, "value")
		equal(t, "name of the fallback", f.Name(), "price")
	})
}

func TestCounters(t *testing.T) {
	f := fallback.Must(fallback.New("price",
		fallback.Chain(provider("mirror", fails(refusal{})), provider("", answers("archive"))).When(fallback.Is(errDown), fallback.Rejected),
		fallback.Func(fn(fails(errOther)), fallback.Timeout),
		fallback.Value("list", fallback.Is(errNotFound)).Named("list price"),
	))
	ctx := context.Background()
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	for _, err := range []error{nil, nil, errDown, refusal{}, context.DeadlineExceeded, errNotFound, errOther} {
		call := fails(err)
		if err == nil {
			call = answers("live")
		}
		_, _ = f.Do(ctx, call)
	}
	_, _, _ = f.DoMeta(cancelled, fails(errDown))
	_, _, _ = f.DoMeta(ctx, answers("live"))
	equal(t, "counters", f.Counters(), fallback.Counters{
		Calls: 9, Primary: 3, Failed: 3, // a timeout whose function failed too, one with no match, one cancelled
		Handlers: []fallback.HandlerCounters{
			{Name: "mirror", Used: 2, Failed: 2},
			{Name: "provider 2", Used: 2},
			{Name: "func", Used: 1, Failed: 1},
			{Name: "list price", Used: 1},
		},
	})
}

func TestMeta(t *testing.T) {
	ctx := context.Background()
	f := fallback.Must(fallback.New("price",
		fallback.Chain(provider("mirror", fails(errOther)), provider("archive", answers("old"))),
	))
	t.Run("the call", func(t *testing.T) {
		v, meta, err := f.DoMeta(ctx, answers("live"))
		equal(t, "answer", v, "live")
		equal(t, "meta", meta, fallback.Meta{})
		equal(t, "error", err, nil)
	})
	t.Run("a fallback says who answered and what it hides", func(t *testing.T) {
		v, meta, err := f.DoMeta(ctx, fails(errDown))
		equal(t, "answer", v, "old")
		equal(t, "error", err, nil)
		equal(t, "who", meta.Fallback, "archive")
		equal(t, "hidden", meta.Err.Error(), `connection refused; fallback "mirror" failed too: disk full`)
	})
	t.Run("nobody", func(t *testing.T) {
		v, meta, err := f.DoMeta(ctx, fails(switchgear.MarkSuccess(errNotFound)))
		equal(t, "answer", v, "partial")
		equal(t, "who", meta.Fallback, "")
		equal(t, "hidden is what is returned", meta.Err, err)
	})
}

func TestTrial(t *testing.T) {
	ctx := context.Background()
	f := fallback.Must(fallback.New("price",
		fallback.Func(fn(fails(errOther))).Named("disk"),
		fallback.Value("list", fallback.Is(errOther)),
	))
	t.Run("step by step", func(t *testing.T) {
		trial := f.Begin()
		equal(t, "error before anything failed", trial.Err(), nil)
		step, ok := trial.Next(ctx, errDown)
		equal(t, "first", ok && step.Name() == "disk", true)
		equal(t, "error after the call", trial.Err(), errDown)
		_, err := step.Run(ctx, errDown)
		step, ok = trial.Next(ctx, err)
		equal(t, "second", ok && step.Name() == "value", true)
		v, err := step.Run(ctx, err)
		equal(t, "answer", v, "list")
		equal(t, "error", err, nil)
		trial.Done()
		equal(t, "who", trial.Meta().Fallback, "value")

		trial.Done()
		_, ok = trial.Next(ctx, errDown)
		equal(t, "nothing comes after the end", ok, false)
		equal(t, "counters", f.Counters(), fallback.Counters{Calls: 1, Handlers: []fallback.HandlerCounters{
			{Name: "disk", Used: 1, Failed: 1}, {Name: "value", Used: 1},
		}})
	})
	t.Run("no error is no failure", func(t *testing.T) {
		trial := f.Begin()
		_, ok := trial.Next(ctx, nil)
		equal(t, "next", ok, false)
		trial.Done()
		equal(t, "primary", f.Counters().Primary, 1)
	})
	t.Run("the zero trial has nothing to try", func(t *testing.T) {
		var trial fallback.Trial[string]
		_, ok := trial.Next(ctx, errDown)
		equal(t, "next", ok, false)
		equal(t, "error", trial.Err(), errDown)
		trial.Done()
	})
}
