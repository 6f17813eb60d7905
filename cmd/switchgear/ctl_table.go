package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/cmd/switchgear/internal/term"
	"github.com/switchgear-go/switchgear/sghttp/admin"
)

// severity orders breakers: the first are those that somebody looks for.
func severity(s breaker.State) int {
	return slices.Index([]breaker.State{
		breaker.Open, breaker.ForcedOpen, breaker.HalfOpen, breaker.MetricsOnly, breaker.Disabled, breaker.Closed,
	}, s)
}

func styleOf(state string) term.Style {
	switch state {
	case breaker.Closed.String():
		return term.Good
	case breaker.Open.String(), breaker.ForcedOpen.String():
		return term.Bad
	}
	return term.Mixed
}

// widest is how wide a name may be that makes the others move.
const widest = 40

// tableOf shows breakers, aligned. now is the server's time.
func tableOf(list []admin.Summary, now time.Time, screen *term.Screen) string {
	slices.SortStableFunc(list, func(a, b admin.Summary) int {
		return cmp.Or(cmp.Compare(severity(a.State), severity(b.State)), cmp.Compare(a.Name, b.Name))
	})
	rows := [][]string{{"STATE", "NAME", "SINCE" + zone(list), "NEXT", "WHY"}}
	for _, s := range list {
		rows = append(rows, []string{s.State.String(), named(s.Name), since(s.Since, now), next(s, now), why(s)})
	}
	width := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			if n := utf8.RuneCountInString(cell); n <= widest {
				width[i] = max(width[i], n)
			}
		}
	}
	var b strings.Builder
	for r, row := range rows {
		for i, cell := range row {
			padding := strings.Repeat(" ", max(width[i]-utf8.RuneCountInString(cell), 0))
			switch {
			case r == 0:
				cell = screen.Paint(term.Quiet, cell)
			case i == 0:
				cell = screen.Paint(styleOf(cell), cell)
			}
			b.WriteString(cell)
			if i < len(row)-1 {
				b.WriteString(padding + "  ")
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// tally counts states: "1 OPEN, 11 CLOSED".
func tally(states map[string]int) string {
	var parts []string
	for s := range breaker.ForcedOpen + 1 {
		parts = append(parts, s.String())
	}
	slices.SortFunc(parts, func(a, b string) int { return cmp.Compare(severityOf(a), severityOf(b)) })
	var said []string
	for _, name := range parts {
		if n := states[name]; n > 0 {
			said = append(said, fmt.Sprintf("%d %s", n, name))
		}
	}
	return strings.Join(said, ", ")
}

func severityOf(name string) int {
	var s breaker.State
	_ = s.UnmarshalText([]byte(name)) // it is one
	return severity(s)
}

// zone names the server's zone where that is not the reader's. The handler's own lines
// have its times, and so has its log.
func zone(list []admin.Summary) string {
	for _, s := range list {
		_, theirs := s.Since.Zone()
		if _, ours := s.Since.Local().Zone(); theirs != ours {
			return " (" + strings.Replace(s.Since.Format("Z07:00"), "Z", "UTC", 1) + ")"
		}
	}
	return ""
}

// since returns an instant and how long ago that is: "03:12:44 (2 min)".
func since(t, now time.Time) string {
	now = now.In(t.Location())
	layout := time.TimeOnly
	if t.Format(time.DateOnly) != now.Format(time.DateOnly) {
		layout = time.DateTime
	}
	return fmt.Sprintf("%s (%s)", t.Format(layout), howLong(now.Sub(t)))
}

// next says what a breaker will do by itself.
func next(s admin.Summary, now time.Time) string {
	switch wait := s.NextProbe.Sub(now); {
	case s.State == breaker.Open && s.NextProbe.IsZero():
		return ""
	case s.State == breaker.Open && wait <= 0:
		return "probe at next call"
	case s.State == breaker.Open:
		return "probe in " + howLong(wait)
	case s.State == breaker.HalfOpen:
		return "probing"
	case s.State == breaker.Closed:
		return ""
	case s.Expires.IsZero():
		return "held until reset"
	}
	return "held for " + howLong(s.Expires.Sub(now))
}

// why takes out of a line what the other columns have. If the line is not as explain
// writes it now, it stays as it is.
func why(s admin.Summary) string {
	rest := s.Text
	if quoted, err := strconv.QuotedPrefix(rest); err == nil {
		rest = rest[len(quoted):]
	} else if _, after, ok := strings.Cut(rest, ": "); ok {
		rest = ": " + after
	}
	rest, ok := strings.CutPrefix(rest, ": "+s.State.String()+" since ")
	if !ok {
		return plain(s.Text)
	}
	if _, rest, ok = strings.Cut(rest, ")"); !ok {
		return plain(s.Text)
	}
	if !s.NextProbe.IsZero() {
		rest = before(rest, "; next probe in ")
		rest = strings.TrimSuffix(rest, "; the next call probes")
	}
	if !s.Expires.IsZero() {
		rest = before(rest, "; until ")
	}
	rest = strings.TrimPrefix(strings.TrimLeft(rest, ",; "), "because ")
	if s.Flapping {
		rest = "flaps; " + rest
	}
	return plain(rest)
}

// before returns what comes before the last mark. Marks inside of quotes come earlier.
func before(s, mark string) string {
	if i := strings.LastIndex(s, mark); i >= 0 {
		return s[:i]
	}
	return s
}

// howLong returns a time in one unit or two: "27 s", "2 min 5 s", "3 h".
func howLong(d time.Duration) string {
	const day = 24 * time.Hour
	if d = d.Round(time.Second); d <= 0 {
		return "0 s"
	}
	units := []struct {
		size time.Duration
		name string
	}{{day, "d"}, {time.Hour, "h"}, {time.Minute, "min"}, {time.Second, "s"}}
	for i, u := range units {
		if d < u.size {
			continue
		}
		text := fmt.Sprintf("%d %s", d/u.size, u.name)
		if i+1 < len(units) {
			if rest := d % u.size / units[i+1].size; rest > 0 {
				text += fmt.Sprintf(" %d %s", rest, units[i+1].name)
			}
		}
		return text
	}
	return "0 s"
}
