package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/cmd/switchgear/internal/term"
	"github.com/switchgear-go/switchgear/sghttp/admin"
)

var ctlShowCommand = command{
	name:    "ctl show",
	args:    "NAME … [--config] [--watch] [--every TIME] [flags]",
	summary: "all about some breakers: why, the errors, the counters",
	help: `For each breaker its state and why, the errors behind its last trip, what its
window holds, counters and, if the program keeps a ledger, what refusals cost.

` + ctlNamesHelp + `At most ` + fmt.Sprint(ctlShown) + ` breakers are shown.

Flags:
  --config            its configuration too, defaults filled in; --json always
                      has it
` + ctlWatchHelp + ctlFlagsHelp + `
With --json there is one document for each breaker.

Examples:
  switchgear ctl show payments
  switchgear ctl show payments --config
  switchgear ctl show 'pay*' --watch
  switchgear ctl show payments --json | jq .now.trip.errors
`,
}

func init() { ctlShowCommand.run = runCtlShow }

// ctlShown is how many breakers are shown at a time.
const ctlShown = 100

func runCtlShow(ctx context.Context, args []string, std streams) int {
	var f ctlFlags
	var flags flag.FlagSet
	f.register(&flags)
	f.registerWatch(&flags)
	config := flags.Bool("config", false, "")
	names, code, done := ctlShowCommand.parseNames(&flags, args, std)
	if done {
		return code
	}
	if len(names) == 0 {
		return complain(std, ctlShowCommand.name, errors.New("needs a NAME; switchgear ctl list has them"))
	}
	c, err := f.client()
	if err != nil {
		return complain(std, ctlShowCommand.name, err)
	}
	screen, _ := f.screen(std)
	return f.repeat(ctx, ctlShowCommand.name, std, func(ctx context.Context) (string, error) {
		found, err := c.expand(ctx, names)
		if err != nil {
			return "", err
		}
		var all []string
		for _, name := range found {
			d, a, err := c.details(ctx, name)
			if err != nil {
				return "", err
			}
			text := ""
			if f.asJSON {
				text, err = f.json(json.RawMessage(a.raw))
			} else {
				text = detailsText(d, a.now, screen, *config)
			}
			if err != nil {
				return "", err
			}
			all = append(all, text)
		}
		if f.asJSON {
			return strings.Join(all, ""), nil
		}
		return strings.Join(all, "\n"), nil
	})
}

// expand puts in the place of each pattern the names that match it.
func (c *ctlClient) expand(ctx context.Context, names []string) (found []string, err error) {
	seen := map[string]bool{}
	for _, name := range names {
		matching := []string{name}
		if isPattern(name) {
			l, err := c.list(ctx, []string{name}, "")
			if err != nil {
				return nil, err
			}
			matching = nil
			for _, s := range l.summaries {
				matching = append(matching, s.Name)
			}
		}
		for _, name := range matching {
			if !seen[name] {
				seen[name] = true
				found = append(found, name)
			}
		}
	}
	if len(found) > ctlShown {
		return nil, fmt.Errorf("%d breakers match: at most %d can be shown\nGive a narrower pattern, or use switchgear ctl list", len(found), ctlShown)
	}
	return found, nil
}

func (c *ctlClient) details(ctx context.Context, name string) (*admin.Details, answer, error) {
	d := new(admin.Details)
	a, err := c.call(ctx, http.MethodGet, "/breakers/"+url.PathEscape(name), nil, d)
	if r, ok := errors.AsType[*refusal](err); ok && r.noBreaker() {
		err = c.unknown(ctx, name)
	}
	return d, a, err
}

// detailsText is one breaker for people.
func detailsText(d *admin.Details, now time.Time, screen *term.Screen, config bool) string {
	var b strings.Builder
	row := func(name, text string, args ...any) {
		fmt.Fprintf(&b, "  %-11s  %s\n", name, fmt.Sprintf(text, args...))
	}
	s := admin.Summary{
		Name: d.Name, Since: d.Now.Since, Text: d.Text, NextProbe: d.Now.NextProbe, Expires: d.Now.Expires,
		Flapping: d.Flapping != nil && *d.Flapping,
	}
	state := plain(d.Now.To)
	if err := s.State.UnmarshalText([]byte(d.Now.To)); err != nil {
		s.State = breaker.State(255) // one that this version does not know
	}
	b.WriteString(screen.Paint(term.Title, named(d.Name)) + "\n")
	row("state", "%s since %s%s", screen.Paint(styleOf(d.Now.To), state), since(s.Since, now), zone([]admin.Summary{s}))
	row("why", "%s", why(s))
	if next := next(s, now); next != "" {
		row("next", "%s", next)
	}
	if t := d.Now.Trip; t != nil {
		for i, g := range t.Errors {
			name := "errors"
			if i > 0 {
				name = ""
			}
			row(name, "%d × %s", g.Count, plain(g.String()))
		}
	}
	n := d.Now.Numbers
	if s.State != breaker.Open && s.State != breaker.ForcedOpen {
		row("window", "%d calls, %d failed, %d slow", n.Calls, n.Failed, n.Slow)
	}
	if d.Evidence > 0 || d.SlowEvidence > 0 {
		row("evidence", "%.0f %% of what trips it; of slow calls %.0f %%", 100*d.Evidence, 100*d.SlowEvidence)
	}
	c := d.Counters
	row("calls", "%d successful, %d failed, %d slow, %d refused", c.Successful, c.Failed, c.Slow, c.Rejected)
	if c.Ignored+c.Released+c.Late > 0 {
		row("", "%d ignored, %d released, %d late", c.Ignored, c.Released, c.Late)
	}
	row("trips", "%d, and %d probes", c.Trips, c.Probes)
	if !d.LastFailure.IsZero() {
		row("last failed", "%s", since(d.LastFailure, now))
	}
	if k := d.Book; k != nil && k.Open > 0 { // it knows of what has ended
		row("until now", "open for %s in all, %d of %d probes good, %d calls refused", howLong(k.Open), k.ProbesGood, k.ProbesJudged, k.Refused)
		if k.Estimated > 0 {
			row("", "about %.0f of %d refused would have been good (%.0f to %.0f)", k.WouldBeGood.Estimate, k.Estimated, k.WouldBeGood.Low, k.WouldBeGood.High)
		}
		if k.WaitSpared != nil {
			row("", "about %s of waiting spared", howLong(time.Duration(k.WaitSpared.Estimate)))
		}
	}
	if config {
		row("config", "version %d", d.Now.ConfigVersion)
		width := 0
		for _, c := range d.Configuration {
			width = max(width, len(c.Path))
		}
		for _, c := range d.Configuration {
			fmt.Fprintf(&b, "    %-*s  %s\n", width, plain(c.Path), plain(c.Value))
		}
	}
	return b.String()
}
