package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/switchgear-go/switchgear/cmd/switchgear/internal/term"
	"github.com/switchgear-go/switchgear/sghttp/admin"
)

var ctlEventsCommand = command{
	name:    "ctl events",
	args:    "[--last N] [--since ID] [--watch] [flags]",
	summary: "what happened, and with --watch what happens",
	help: `The newest events, the oldest of them first, a line for each. With --watch it
goes on with what happens, until Ctrl-C. When the connection is lost it is made
again, and goes on after the last event seen.

Flags:
  --last N            how many, from 0 to 1000; default 20
  --since ID          those after this one instead; --json has the identifiers
  --watch             go on with what happens
` + ctlFlagsHelp + `
With --watch --json there is a line for each event, and {"missed": n} where some
were lost; n is 0 if it is not known how many.

Examples:
  switchgear ctl events
  switchgear ctl events --last 100 | grep payments
  switchgear ctl events --watch
  switchgear ctl events --watch --json | jq -r .text
`,
}

func init() { ctlEventsCommand.run = runCtlEvents }

func runCtlEvents(ctx context.Context, args []string, std streams) int {
	var f ctlFlags
	last, since := 20, ""
	var flags flag.FlagSet
	f.register(&flags)
	number(&flags, "last", &last, 0, 1000)
	flags.StringVar(&since, "since", "", "")
	flags.BoolVar(&f.watch, "watch", false, "")
	if code, done := ctlEventsCommand.parse(&flags, args, std); done {
		return code
	}
	c, err := f.client()
	if err != nil {
		return complain(std, ctlEventsCommand.name, err)
	}
	screen, _ := f.screen(std)
	p := &eventPrinter{flags: &f, out: std.out, screen: screen}
	if err := c.events(ctx, p, last, since); err != nil {
		return failed(ctx, std, ctlEventsCommand.name, err)
	}
	if !f.watch {
		return exitOK
	}
	err = c.follow(ctx, p.last, p.each, func(err error, wait time.Duration) {
		fmt.Fprintf(std.err, "switchgear %s: %v\nThe next attempt is in %s\n", ctlEventsCommand.name, err, wait.Round(time.Millisecond))
	})
	return failed(ctx, std, ctlEventsCommand.name, err)
}

// events prints what has happened.
func (c *ctlClient) events(ctx context.Context, p *eventPrinter, most int, since string) error {
	query := url.Values{"limit": {fmt.Sprint(max(most, 1))}}
	if since != "" {
		query = url.Values{"limit": {"1000"}, "since": {since}}
	}
	for {
		var e struct {
			Events []json.RawMessage `json:"events"`
			Last   string            `json:"last"`
			More   bool              `json:"more"`
			Missed bool              `json:"missed"`
		}
		a, err := c.call(ctx, http.MethodGet, "/events?"+query.Encode(), nil, &e)
		if err != nil {
			return err
		}
		if since == "" && most == 0 {
			p.last = e.Last
			return nil
		}
		if p.flags.asJSON && !p.flags.watch {
			return printJSON(p.out, a.raw, true)
		}
		if e.Missed {
			if err := p.gap([]byte(`{"missed": 0}`)); err != nil {
				return err
			}
		}
		for _, raw := range e.Events {
			if err := p.event(raw); err != nil {
				return err
			}
		}
		more := e.More && since != "" && e.Last != p.last
		p.last = e.Last
		if !more {
			return nil
		}
		query.Set("since", e.Last)
	}
}

// An eventPrinter prints events as they come.
type eventPrinter struct {
	flags  *ctlFlags
	out    io.Writer
	screen *term.Screen
	last   string // the identifier after which to go on
}

// each prints a message of the stream.
func (p *eventPrinter) each(m message) error {
	switch m.event {
	case "":
		return p.event(m.data)
	case "gap":
		return p.gap(m.data)
	}
	return nil // of a later version
}

func (p *eventPrinter) event(raw []byte) error {
	var it admin.Item
	if err := json.Unmarshal(raw, &it); err != nil {
		return fmt.Errorf("an event is not understood: %s", plain(err.Error()))
	}
	if p.flags.asJSON {
		return printJSON(p.out, raw, false)
	}
	// An event that is not a breaker's has its time in the text.
	text := strings.TrimPrefix(it.Text, it.Time.Format("2006-01-02T15:04:05.000Z07:00")+" ")
	style := styleOf(it.To)
	if it.To == "" {
		style = term.Plain
	}
	_, err := fmt.Fprintf(p.out, "%s  %s\n", p.screen.Paint(term.Quiet, it.Time.Format(time.DateTime)), p.screen.Paint(style, plain(text)))
	return err
}

func (p *eventPrinter) gap(raw []byte) error {
	if p.flags.asJSON {
		return printJSON(p.out, raw, false)
	}
	var g struct {
		Missed uint64 `json:"missed"`
	}
	_ = json.Unmarshal(raw, &g) // then it is not known how many
	said := "some events are"
	switch {
	case g.Missed == 1:
		said = "1 event is"
	case g.Missed > 1:
		said = fmt.Sprintf("%d events are", g.Missed)
	}
	_, err := fmt.Fprintf(p.out, "(%s no longer remembered, or the program was started again)\n", said)
	return err
}
