package sgslog_test

import (
	"context"
	"errors"
	"log/slog"
	"reflect"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/sgslog"
)

const off = switchgear.Off

var errDown = errors.New("connection refused")

func equal[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// inBubble runs a test in virtual time.
func inBubble(t *testing.T, name string, f func(*testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { synctest.Test(t, f) })
}

// A journal is a handler that keeps what it is given.
type journal struct {
	mu     sync.Mutex
	lines  []written
	before func() error // runs before a line is taken; its error refuses it
	least  slog.Level
}

type written struct {
	time    time.Time
	level   slog.Level
	message string
	attrs   map[string]any
}

func (j *journal) Enabled(_ context.Context, l slog.Level) bool { return l >= j.least }

func (j *journal) Handle(_ context.Context, r slog.Record) error {
	if j.before != nil {
		if err := j.before(); err != nil {
			return err
		}
	}
	l := written{r.Time, r.Level, r.Message, map[string]any{}}
	r.Attrs(func(a slog.Attr) bool {
		if _, twice := l.attrs[a.Key]; twice {
			l.attrs["twice"] = a.Key
		}
		l.attrs[a.Key] = a.Value.Any()
		return true
	})
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, l)
	return nil
}

func (j *journal) WithAttrs([]slog.Attr) slog.Handler { return j }
func (j *journal) WithGroup(string) slog.Handler      { return j }

func (j *journal) all() []written {
	j.mu.Lock()
	defer j.mu.Unlock()
	return append([]written(nil), j.lines...)
}

func (j *journal) messages() (m []string) {
	for _, l := range j.all() {
		m = append(m, l.message)
	}
	return m
}

func (j *journal) to() (to []any) {
	for _, l := range j.all() {
		to = append(to, l.attrs["to"])
	}
	return to
}

// listen returns a listener that writes to the journal.
func (j *journal) listen(t testing.TB, cfg sgslog.Config, opts ...sgslog.Option) *sgslog.Listener {
	t.Helper()
	l, err := sgslog.New(slog.New(j), cfg, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// only returns the line that was written for e alone.
func only(t *testing.T, e event.Event, cfg sgslog.Config, opts ...sgslog.Option) written {
	t.Helper()
	var j journal
	l := j.listen(t, cfg, opts...)
	l.OnEvent(e)
	equal(t, "Close", l.Close(context.Background()), nil)
	lines := j.all()
	if len(lines) != 1 {
		t.Fatalf("%d lines: %v", len(lines), lines)
	}
	return lines[0]
}

// adds up: with nothing waiting, every event has ended in one way.
func addsUp(t *testing.T, l *sgslog.Listener) {
	t.Helper()
	c := l.Counters()
	equal(t, "events accounted for", c.Written+c.Disabled+c.LeftOut+c.Lost+c.Failed+c.Panics, c.Heard)
}

func transition(name, from, to string) event.Event {
	return event.Event{Source: "breaker", Name: name, Kind: event.Transition, From: from, To: to}
}
