package demo

import (
	"fmt"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/cmd/switchgear/internal/term"
)

// What stands for a call in a row of calls.
const (
	sent    = "●"
	refused = "○"
)

const width = 78 // of a paragraph, indentation included

// say prints one line of an act.
func (s *show) say(format string, args ...any) {
	line := strings.TrimRight(fmt.Sprintf("    "+format, args...), " ")
	s.screen.Printf("%s\n", line)
}

// gap prints an empty line.
func (s *show) gap() { s.screen.Printf("\n") }

// para prints wrapped text. The first line begins with head, which is painted;
// the others are indented as far.
func (s *show) para(style term.Style, head, text string) {
	indent := strings.Repeat(" ", utf8.RuneCountInString(head))
	head = s.screen.Paint(style, head)
	for _, line := range wrap(text, width-len(indent)) {
		s.screen.Printf("%s%s\n", head, line)
		head = indent
	}
}

// wrap breaks text at blanks into lines of at most n characters.
func wrap(text string, n int) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && utf8.RuneCountInString(line+" "+word) > n {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

func (s *show) overture(url string) {
	pace := "in real time"
	if s.speed > 1 {
		pace = fmt.Sprintf("%d times faster than life", s.speed)
	}
	s.screen.Printf("%s\n\n", s.screen.Paint(term.Title, "A circuit breaker at work, "+pace))
	s.para(term.Plain, "  ", fmt.Sprintf("A small inventory service runs at %s. While it is down, a request hangs "+
		"for %s and then fails. All calls below are real HTTP calls to it.", url, span(s.scaled(hang))))
}

func (s *show) heading(i int) {
	s.gap()
	s.screen.Printf("%s\n", s.screen.Paint(term.Title, fmt.Sprintf("Act %d  %s", i+1, acts[i].title)))
	s.para(term.Plain, "  ", acts[i].scene)
	s.para(term.Title, "  Look at ", acts[i].look)
	s.gap()
}

// results prints what was expected and what was measured.
func (s *show) results(a *Act) {
	s.gap()
	s.say("%s", s.screen.Paint(term.Quiet, fmt.Sprintf("  %-36s %12s   %s", "", "measured", "expected")))
	for _, c := range a.Checks {
		mark, style := "✓", term.Good
		switch c.Verdict {
		case Note:
			mark, style = "~", term.Mixed
		case Fail:
			mark, style = "✗", term.Bad
		}
		s.say("%s %-36s %12s   %s", s.screen.Paint(style, mark), c.Label, c.measured, s.screen.Paint(term.Quiet, c.expected))
	}
}

func (s *show) finale(r *Report) {
	off, notes := "", 0
	for _, a := range r.Acts {
		if !a.Pass() {
			off += fmt.Sprintf(" %d", a.Number)
		}
		notes += count(a.verdicts(), Note)
	}
	s.gap()
	if off != "" {
		s.screen.Printf("%s\n", s.screen.Paint(term.Bad, "Not as expected (✗), in act"+off+"."))
	} else {
		s.screen.Printf("%s\n", s.screen.Paint(term.Good, "Everything counted is as expected."))
	}
	if notes > 0 {
		s.screen.Printf("%s\n", s.screen.Paint(term.Mixed,
			"Marked ~: outside its band in time only, as on a busy machine. No mistake."))
	}
	s.screen.Printf("To try the service by hand: switchgear demo serve\n")
}

// row returns a row of calls, those that were sent first. style tells how the
// sent ones ended.
func (s *show) row(style term.Style, nSent, nRefused int) string {
	return s.screen.Paint(style, strings.Repeat(sent, nSent)) +
		s.screen.Paint(term.Quiet, strings.Repeat(refused, nRefused))
}

// stateName is the state's name in lower case: the demo shouts as little as it
// can.
func stateName(s breaker.State) string { return strings.ToLower(s.String()) }

// state returns a state's name, padded and painted.
func (s *show) state(name string, pad int) string {
	style := term.Plain
	switch name {
	case "closed":
		style = term.Good
	case "open":
		style = term.Bad
	case "half_open":
		style = term.Mixed
	}
	return s.screen.Paint(style, fmt.Sprintf("%-*s", pad, name))
}

// progress is the live line of an act.
type progress struct {
	text  atomic.Pointer[string]
	begin time.Time
	stop  func()
}

// progress starts a live line. It must be stopped.
func (s *show) progress() *progress {
	p := &progress{begin: time.Now()}
	p.set("")
	p.stop = s.screen.Watch(p.line)
	return p
}

// set says what is going on.
func (p *progress) set(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	p.text.Store(&text)
}

func (p *progress) line() string {
	const turns = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
	elapsed := time.Since(p.begin)
	turn := []rune(turns)[int(elapsed/(100*time.Millisecond))%10]
	return fmt.Sprintf("    %c %s  %.1f s", turn, *p.text.Load(), elapsed.Seconds())
}
