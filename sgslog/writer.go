package sgslog

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/explain"
)

// A writer makes a line of an event and hands it to the handler. It is called by one
// goroutine at a time.
type writer struct {
	handler slog.Handler
	level   func(event.Event) slog.Level
	maxText int
	dropped func() uint64 // by the queue, so far
	lost    uint64        // how many of these a line has told of
	tallies
}

// OnEvent writes e.
func (w *writer) OnEvent(e event.Event) {
	returned := false
	defer func() {
		if !returned { // a panic, which the queue recovers, or the end of the goroutine
			w.panics.Add(1)
		}
	}()
	w.write(e)
	returned = true
}

func (w *writer) write(e event.Event) {
	leftOut := uint64(0)
	if d, ok := e.Detail.(*digest); ok {
		e.Detail, leftOut = d.detail, d.leftOut
	}
	ctx := context.Background()
	level := w.level(e)
	if !w.handler.Enabled(ctx, level) {
		w.disabled.Add(1)
		return
	}
	l := line{max: w.maxText, attrs: make([]slog.Attr, 0, 24)}
	l.event(e)
	var text string
	if record, ok := explain.Of(e); ok {
		l.record(record)
		text = record.String()
	} else {
		l.text("detail", describe(e.Detail))
		text = message(e)
	}
	l.count("left_out", leftOut)
	lost := w.dropped()
	l.count("lost", lost-w.lost)

	r := slog.NewRecord(e.Time, level, l.clip(text), 0)
	r.AddAttrs(l.attrs...)
	if err := w.handler.Handle(ctx, r); err != nil {
		w.failed.Add(1)
		return
	}
	w.lost = lost
	w.written.Add(1)
}

// message is an event for people that package explain does not know.
func message(e event.Event) string {
	var b strings.Builder
	b.WriteString(plain(e.Name))
	switch {
	case e.Kind == event.Renewed:
		fmt.Fprintf(&b, ": %s renewed", plain(e.To))
	case e.From != "" && e.To != "":
		fmt.Fprintf(&b, ": %s → %s", plain(e.From), plain(e.To))
	case e.To != "":
		fmt.Fprintf(&b, ": %s", plain(e.To))
	default:
		fmt.Fprintf(&b, ": %s", plain(string(e.Kind)))
	}
	if e.Author != "" {
		fmt.Fprintf(&b, " by %s", plain(e.Author))
	}
	if e.Reason != "" {
		fmt.Fprintf(&b, ": %s", plain(e.Reason))
	}
	if s := describe(e.Detail); s != "" {
		fmt.Fprintf(&b, " (%s)", plain(s))
	}
	return b.String()
}

// plain returns s, quoted if something in it is not printable: not every handler does
// that with a message.
func plain(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return r == utf8.RuneError || !strconv.IsPrint(r) }) {
		return strconv.Quote(s)
	}
	return s
}

// describe returns a detail that has a text as that text. Making it may be user code;
// fmt survives a panic in it.
func describe(detail any) string {
	switch detail.(type) {
	case string, error, fmt.Stringer:
		return fmt.Sprint(detail)
	}
	return ""
}

// A line gathers attributes and leaves out those without a value.
type line struct {
	max   int
	attrs []slog.Attr
}

func (l *line) event(e event.Event) {
	l.text("source", e.Source)
	l.text("name", e.Name)
	l.text("kind", string(e.Kind))
	l.count("seq", e.Seq)
	l.text("from", e.From)
	l.text("to", e.To)
	l.count("period", e.Period)
	l.text("author", e.Author)
	l.text("reason", e.Reason)
}

// record adds what package explain has found out.
func (l *line) record(r explain.Record) {
	l.text("cause", string(r.Cause))
	n := r.Numbers
	if n.Calls > 0 {
		l.attrs = append(l.attrs, slog.Int64("calls", n.Calls), slog.Int64("failed", n.Failed))
	}
	l.number("slow", n.Slow)
	l.duration("lasted", r.Lasted)
	l.count("refused", r.Refused)
	l.count("probes", r.Probes)
	if t := r.Trip; t != nil {
		if t.Threshold > 0 {
			l.text("threshold", t.Threshold.String())
		}
		l.number("limit", t.Limit)
		l.number("consecutive", t.Consecutive)
		l.duration("wait", t.Wait)
		l.duration("hint", t.Hint)
		if len(t.Errors) > 0 {
			l.text("error_kind", t.Errors[0].Kind)
			l.text("error", t.Errors[0].Sample)
		}
	}
	if !r.Expires.IsZero() {
		l.attrs = append(l.attrs, slog.Time("expires", r.Expires))
	}
	l.count("config_version", r.ConfigVersion)
	texts := make([]string, len(r.Changes))
	for i, d := range r.Changes {
		texts[i] = d.String()
	}
	l.text("changes", strings.Join(texts, ", "))
}

func (l *line) text(name, s string) {
	if s != "" {
		l.attrs = append(l.attrs, slog.String(name, l.clip(s)))
	}
}

func (l *line) number(name string, n int64) {
	if n != 0 {
		l.attrs = append(l.attrs, slog.Int64(name, n))
	}
}

func (l *line) count(name string, n uint64) {
	if n != 0 {
		l.attrs = append(l.attrs, slog.Uint64(name, n))
	}
}

func (l *line) duration(name string, d time.Duration) {
	if d != 0 {
		l.attrs = append(l.attrs, slog.Duration(name, d))
	}
}

// clip cuts a text that is too long, between two letters.
func (l *line) clip(s string) string {
	const mark = "…"
	if len(s) <= l.max {
		return s
	}
	n := l.max - len(mark)
	for n > 0 && n > l.max-len(mark)-utf8.UTFMax && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + mark
}
