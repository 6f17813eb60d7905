package sgslog_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/explain"
	"github.com/switchgear-go/switchgear/sgslog"
)

var start = time.Date(2026, time.March, 1, 3, 12, 44, 0, time.UTC)

func TestLineOfABreaker(t *testing.T) {
	var j journal
	l := j.listen(t, sgslog.Config{})
	c := clock.NewVirtual(start)
	b := must(breaker.New("payments", breaker.Config{
		Window: breaker.WindowConfig{Calls: 10}, MinimumCalls: 4,
		Open:     breaker.OpenConfig{Wait: 27 * time.Second, Jitter: off},
		HalfOpen: breaker.HalfOpenConfig{Probes: 1},
	}, breaker.WithClock(c), breaker.WithListener(l)))
	call := func(err error) { _ = b.Do(context.Background(), func(context.Context) error { return err }) }

	for _, err := range []error{nil, nil, errDown, errDown} {
		call(err)
	}
	call(nil)
	c.Advance(27 * time.Second)
	call(nil)
	if err := b.Move(breaker.Move{To: breaker.ForcedOpen, Author: "ana", Reason: "maintenance", For: time.Hour}); err != nil {
		t.Fatal(err)
	}
	if err := b.Reconfigure(breaker.Config{Window: breaker.WindowConfig{Calls: 10}, MinimumCalls: 5, Open: breaker.OpenConfig{Wait: 27 * time.Second, Jitter: off}, HalfOpen: breaker.HalfOpenConfig{Probes: 1}}); err != nil {
		t.Fatal(err)
	}
	equal(t, "Close", l.Close(context.Background()), nil)

	lines := j.all()
	if len(lines) != 5 {
		t.Fatalf("%d lines: %v", len(lines), j.messages())
	}
	trip := lines[0]
	equal(t, "time", trip.time, start)
	equal(t, "level", trip.level, slog.LevelWarn)
	equal(t, "message", trip.message, "payments: CLOSED → OPEN after 2 of 4 calls failed (50 % ≥ 50 %), mostly connection refused; next probe in 27 s")
	equal(t, "attributes", trip.attrs, map[string]any{
		"source": "breaker", "name": "payments", "kind": "transition", "seq": uint64(1), "from": "CLOSED", "to": "OPEN", "period": uint64(2),
		"cause": "failure_rate", "calls": int64(4), "failed": int64(2), "threshold": "50 %", "consecutive": int64(2), "wait": 27 * time.Second,
		"error_kind": "error", "error": "connection refused", "config_version": uint64(1),
	})
	probing := lines[1]
	equal(t, "level", probing.level, slog.LevelInfo)
	equal(t, "cause", probing.attrs["cause"], any("interval_passed"))
	equal(t, "lasted", probing.attrs["lasted"], any(27*time.Second))
	equal(t, "refused", probing.attrs["refused"], any(uint64(1)))
	recovery := lines[2]
	equal(t, "level", recovery.level, slog.LevelInfo)
	equal(t, "probes", recovery.attrs["probes"], any(uint64(1)))
	order := lines[3]
	equal(t, "level", order.level, slog.LevelWarn)
	equal(t, "author", order.attrs["author"], any("ana"))
	equal(t, "reason", order.attrs["reason"], any("maintenance"))
	equal(t, "expires", order.attrs["expires"], any(start.Add(27*time.Second+time.Hour)))
	reconfigured := lines[4]
	equal(t, "level", reconfigured.level, slog.LevelInfo)
	equal(t, "version", reconfigured.attrs["config_version"], any(uint64(2)))
	equal(t, "changes", reconfigured.attrs["changes"], any("MinimumCalls: 4 → 5"))
	for _, l := range lines {
		equal(t, "an attribute that is there twice", l.attrs["twice"], nil)
	}
}

func TestLevel(t *testing.T) {
	for _, c := range []struct {
		kind  event.Kind
		to    string
		level slog.Level
	}{
		{event.Transition, "OPEN", slog.LevelWarn},
		{event.Transition, "FORCED_OPEN", slog.LevelWarn},
		{event.Transition, "THROTTLING", slog.LevelWarn},
		{event.Transition, "exhausted", slog.LevelWarn},
		{event.Transition, "HALF_OPEN", slog.LevelInfo},
		{event.Transition, "CLOSED", slog.LevelInfo},
		{event.Transition, "PASSING", slog.LevelInfo},
		{event.Renewed, "OPEN", slog.LevelInfo},
		{event.Reconfigured, "", slog.LevelInfo},
		{event.Warning, "", slog.LevelWarn},
		{explain.Flapping, explain.Flaps, slog.LevelWarn}, // which was once Info
		{explain.Flapping, explain.Steady, slog.LevelInfo},
		{"of a kind that nobody knows", "", slog.LevelInfo},
	} {
		equal(t, fmt.Sprint(c.kind, " ", c.to), only(t, event.Event{Kind: c.kind, To: c.to}, sgslog.Config{}).level, c.level)
	}
	mine := sgslog.WithLevel(func(event.Event) slog.Level { return slog.LevelError })
	equal(t, "mine", only(t, event.Event{}, sgslog.Config{}, mine, sgslog.WithLevel(nil)).level, slog.LevelError)
}

type stringer string

func (s stringer) String() string { return string(s) }

type broken struct{}

func (broken) String() string { panic("boom") }

func TestLineOfOtherEvents(t *testing.T) {
	for _, c := range []struct {
		name    string
		event   event.Event
		message string
	}{
		{"a transition", event.Event{Name: "a", Kind: event.Transition, From: "x", To: "y", Reason: "z"}, "a: x → y: z"},
		{"the first state", event.Event{Name: "a", Kind: event.Transition, To: "y"}, "a: y"},
		{"renewed", event.Event{Name: "a", Kind: event.Renewed, From: "on", To: "on", Author: "ana"}, "a: on renewed by ana"},
		{"a warning", event.Event{Name: "a", Kind: event.Warning, Reason: "low"}, "a: warning: low"},
		{"with a detail that is a text", event.Event{Name: "a", Kind: "k", Detail: "d"}, "a: k (d)"},
		{"with a detail that is an error", event.Event{Name: "a", Kind: "k", Detail: errDown}, "a: k (connection refused)"},
		{"with a detail that has a text", event.Event{Name: "a", Kind: "k", Detail: stringer("d")}, "a: k (d)"},
		{"with a detail without one", event.Event{Name: "a", Kind: "k", Detail: 7}, "a: k"},
		{"empty", event.Event{}, ": "},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := only(t, c.event, sgslog.Config{})
			equal(t, "message", l.message, c.message)
		})
	}
	t.Run("a detail whose method panics costs only its text", func(t *testing.T) {
		l := only(t, event.Event{Name: "a", Kind: "k", Detail: broken{}}, sgslog.Config{})
		equal(t, "name", l.attrs["name"], any("a"))
	})
	t.Run("its detail is an attribute", func(t *testing.T) {
		l := only(t, event.Event{Name: "a", Kind: "k", Detail: stringer("d")}, sgslog.Config{})
		equal(t, "attributes", l.attrs, map[string]any{"name": "a", "kind": "k", "detail": "d"})
	})
}

func TestTextsAreBounded(t *testing.T) {
	long := strings.Repeat("é", 100_000)
	e := event.Event{
		Source: long, Name: long, Kind: event.Kind(long), From: long, To: long, Author: long, Reason: long, Detail: long,
	}
	for _, most := range []int{64, 65, 66, 67, 1_000} {
		l := only(t, e, sgslog.Config{MaxText: most})
		texts := map[string]any{"message": l.message}
		for k, v := range l.attrs {
			texts[k] = v
		}
		equal(t, "texts", len(texts), 9)
		for k, v := range texts {
			s := v.(string)
			if len(s) > most || len(s) < most-4 || !utf8.ValidString(s) || !strings.HasSuffix(s, "…") {
				t.Errorf("%s has %d bytes of %d: %q", k, len(s), most, s)
			}
		}
	}
	at := strings.Repeat("x", 64)
	equal(t, "just short enough", only(t, event.Event{Reason: at}, sgslog.Config{MaxText: 64}).attrs["reason"], any(at))
	bad := only(t, event.Event{Reason: strings.Repeat("\x80", 1_000)}, sgslog.Config{MaxText: 64})
	equal(t, "no letter to cut at", len(bad.attrs["reason"].(string)) > 50, true)
}

// K66: what is in a name is shown literally, and never breaks the line.
func TestK66Names(t *testing.T) {
	const name = `<img src=x onerror=alert(1)>"'&` + "\n\x1b[31m\u202e"
	e := event.Event{Source: "breaker", Name: name, Kind: event.Warning, Reason: name}
	var text, object bytes.Buffer
	for _, h := range []slog.Handler{slog.NewTextHandler(&text, nil), slog.NewJSONHandler(&object, nil)} {
		l := must(sgslog.New(slog.New(h), sgslog.Config{}))
		l.OnEvent(e)
		equal(t, "Close", l.Close(context.Background()), nil)
	}
	equal(t, "lines of text", strings.Count(text.String(), "\n"), 1)
	equal(t, "terminal sequences", strings.Count(text.String(), "\x1b"), 0)
	var line map[string]any
	if err := json.Unmarshal(object.Bytes(), &line); err != nil {
		t.Fatal(err)
	}
	equal(t, "name", line["name"], any(name))
	// Not every handler quotes what needs it in a message.
	m := only(t, e, sgslog.Config{}).message
	if strings.ContainsAny(m, "\n\x1b\u202e") {
		t.Errorf("message %q", m)
	}
}
