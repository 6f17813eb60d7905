package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/switchgear-go/switchgear/breaker"
)

// Widths of a text, in cells of a terminal.
const (
	minWidth     = 60
	defaultWidth = 100
)

const (
	textTransitions = 8 // listed of each run
	textWhy         = 2 // lines of a title or a command, at most
)

// Text writes a summary for a terminal: what the run is about, its figures side by
// side, small charts, the first transitions, and the table of a sweep. No line is
// wider than width cells; 0 means 100, and less than 60 means 60. There are no
// colours and no other control characters in it.
func Text(w io.Writer, r *Report, width int) error {
	if width == 0 {
		width = defaultWidth
	}
	p := &printer{width: max(width, minWidth)}
	runs, left := r.shown()
	p.header(r, runs)
	if left > 0 {
		p.line("")
		p.line("Here are the first %d runs; %d more are left out.", len(runs), left)
	}
	if len(runs) > 0 {
		p.figures(runs)
		p.charts(runs)
		p.transitions(runs)
	}
	if r.Table != nil {
		p.sweep(r.Table)
	}
	_, err := w.Write(p.out.Bytes())
	return err
}

// A printer collects lines, none wider than width.
type printer struct {
	out   bytes.Buffer
	width int
}

func (p *printer) line(format string, args ...any) {
	s := clip(fmt.Sprintf(format, args...), p.width)
	p.out.WriteString(strings.TrimRight(s, " "))
	p.out.WriteByte('\n')
}

// heading starts a part.
func (p *printer) heading(format string, args ...any) {
	p.line("")
	s := clip(fmt.Sprintf(format, args...)+" ", p.width)
	p.line("%s", s+strings.Repeat("─", p.width-cells(s)))
}

func (p *printer) header(r *Report, runs []Run) {
	for i, l := range wrap(r.Title, p.width) {
		if i < textWhy {
			p.line("%s", l)
		}
	}
	if s := situation(runs); s != "" {
		p.line("%s", s)
	}
	if lines := wrap(r.Teaches, p.width-2); len(lines) > 0 {
		p.line("")
		for _, l := range lines {
			p.line("  %s", l)
		}
	}
}

// situation says in one line what the runs have in common.
func situation(runs []Run) string {
	if len(runs) == 0 {
		return ""
	}
	first := &runs[0]
	parts := []string{fmt.Sprintf("seed %d", first.Result.Seed), round(first.Config.Duration) + " of virtual time"}
	if l := load(first); l != "" {
		parts = append(parts, l)
	}
	for i := range runs {
		r := &runs[i]
		if r.Result.Seed != first.Result.Seed {
			parts[0] = "several seeds"
		}
		if r.Config.Duration != first.Config.Duration {
			parts[1] = "up to " + round(longest(runs)) + " of virtual time"
		}
		if len(parts) > 2 && load(r) != load(first) {
			parts = parts[:2]
		}
	}
	return strings.Join(parts, " · ")
}

func (p *printer) figures(runs []Run) {
	names := make([]string, len(runs))
	for i := range runs {
		names[i] = clip(plain(runs[i].Name), 24)
	}
	t := table{keys: 1, header: [][]string{append([]string{""}, names...)}}
	for _, g := range groups(runs) {
		t.rows = append(t.rows, []string{g.name})
		for _, f := range g.figures {
			row := []string{"  " + f.name}
			for i := range runs {
				row = append(row, f.of(&runs[i]))
			}
			t.rows = append(t.rows, row)
		}
	}
	p.heading("Figures")
	t.print(p)
}

func (p *printer) transitions(runs []Run) {
	for i := range runs {
		r := &runs[i]
		list := r.Result.Transitions
		if len(list) == 0 {
			continue
		}
		p.heading("%s: what its breakers did", plain(r.Name))
		n := len(list)
		if n > textTransitions+2 { // a note about one more would not be shorter
			n = textTransitions
		}
		for j := range list[:n] {
			t := &list[j]
			s := padLeft(instant(t.At), 11) + "  " + padRight(states[t.From]+" → "+states[t.To], 18)
			if who := plain(whose(&r.Config, t.Place, t.Instance, t.Target)); who != "" {
				s += "  " + who
			}
			if t.Trip != nil {
				s += "  " + plain(why(t.Trip)) + "; open for " + took(t.Trip.Wait)
			}
			p.line("%s", s)
		}
		if more := max(r.Result.TransitionsTotal, uint64(len(list))) - uint64(n); more > 0 {
			p.line("  and %s more", count(more))
		}
	}
}

// why says why a breaker opened, without the texts of errors, which fill a line.
func why(t *breaker.Trip) string {
	short := *t
	short.Errors = nil
	return short.Text()
}
