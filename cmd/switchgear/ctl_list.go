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

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/sghttp/admin"
)

var ctlListCommand = command{
	name:    "ctl list",
	args:    "[NAME …] [--state STATE,STATE] [--watch]\n      [--every TIME] [flags]",
	summary: "which breakers there are, the open ones first",
	help: `For each breaker its state, since when, what it will do next, and why. The
times are the server's. At most ` + fmt.Sprint(ctlRows) + ` breakers are shown.

` + ctlNamesHelp + `
Flags:
  --state STATE,STATE only those in one of these states: CLOSED, OPEN,
                      HALF_OPEN, DISABLED, METRICS_ONLY, FORCED_OPEN
` + ctlWatchHelp + ctlFlagsHelp + `
Examples:
  switchgear ctl list
  switchgear ctl list --state OPEN,HALF_OPEN,FORCED_OPEN
  switchgear ctl list 'pay*' --watch
  switchgear ctl list --json | jq -r '.breakers[].name'
`,
}

func init() { ctlListCommand.run = runCtlList }

const (
	ctlPage = 500    // breakers in an answer
	ctlRows = 10_000 // breakers in all
)

func runCtlList(ctx context.Context, args []string, std streams) int {
	var f ctlFlags
	var states string
	var flags flag.FlagSet
	f.register(&flags)
	f.registerWatch(&flags)
	flags.Func("state", "", func(text string) error {
		for name := range strings.SplitSeq(text, ",") {
			var s breaker.State
			if s.UnmarshalText([]byte(strings.ToUpper(name))) != nil {
				return errors.New("must be states, with commas between them: CLOSED, OPEN, HALF_OPEN, DISABLED, METRICS_ONLY, FORCED_OPEN")
			}
		}
		states = text
		return nil
	})
	names, code, done := ctlListCommand.parseNames(&flags, args, std)
	if done {
		return code
	}
	c, err := f.client()
	if err != nil {
		return complain(std, ctlListCommand.name, err)
	}
	screen, _ := f.screen(std)
	return f.repeat(ctx, ctlListCommand.name, std, func(ctx context.Context) (string, error) {
		l, err := c.list(ctx, names, states)
		if err != nil {
			return "", err
		}
		if f.asJSON {
			return f.json(l)
		}
		return l.text(func(list []admin.Summary) string { return tableOf(list, l.now, screen) }), nil
	})
}

// listing is several answers of the handler as one.
type listing struct {
	Total    int               `json:"total"`
	Matched  int               `json:"matched"`
	Breakers []json.RawMessage `json:"breakers"`
	Next     string            `json:"next,omitempty"` // where it was cut off

	answer
	summaries []admin.Summary
}

// list reads the breakers that match one of the names, or all if there are none.
func (c *ctlClient) list(ctx context.Context, names []string, states string) (*listing, error) {
	l := &listing{Breakers: []json.RawMessage{}}
	seen := map[string]bool{}
	patterns := names
	if len(patterns) == 0 {
		patterns = []string{""}
	}
	for _, pattern := range patterns {
		query := url.Values{"limit": {fmt.Sprint(ctlPage)}}
		if pattern != "" {
			query.Set("name", pattern)
		}
		if states != "" {
			query.Set("state", states)
		}
		for first := true; ; first = false {
			var page struct {
				admin.List
				Breakers []json.RawMessage `json:"breakers"`
			}
			a, err := c.call(ctx, http.MethodGet, "/breakers?"+query.Encode(), nil, &page)
			if err != nil {
				return nil, err
			}
			l.answer, l.Total = a, page.Total
			if first && page.Matched == 0 && pattern != "" && states == "" {
				return nil, c.unknown(ctx, pattern)
			}
			for _, raw := range page.Breakers {
				var s admin.Summary
				if err := json.Unmarshal(raw, &s); err != nil {
					return nil, fmt.Errorf("%s names a breaker in a way that is not understood: %s", c.base, plain(err.Error()))
				}
				if !seen[s.Name] && len(l.Breakers) < ctlRows {
					seen[s.Name] = true
					l.Breakers, l.summaries = append(l.Breakers, raw), append(l.summaries, s)
				}
			}
			if first && len(names) < 2 {
				l.Matched = page.Matched
			}
			if len(l.Breakers) >= ctlRows {
				l.Next = page.Next
			}
			// Names grow from page to page; what does not would go round for ever.
			if page.Next == "" || page.Next <= query.Get("after") || len(l.Breakers) >= ctlRows {
				break
			}
			query.Set("after", page.Next)
		}
	}
	l.Matched = max(l.Matched, len(l.Breakers))
	return l, nil
}

// text is the table, and what is not in it.
func (l *listing) text(table func([]admin.Summary) string) string {
	if l.Total == 0 {
		return "There are no breakers: the program has made none so far.\n"
	}
	if len(l.summaries) == 0 {
		return fmt.Sprintf("None of %s.\n", breakers(l.Total))
	}
	states := map[string]int{}
	for _, s := range l.summaries {
		states[s.State.String()]++
	}
	text := table(l.summaries) + "\n" + breakers(len(l.summaries))
	if len(l.summaries) < l.Total {
		text += fmt.Sprintf(" of %d", l.Total)
	}
	text += ": " + tally(states) + "\n"
	if n := l.Matched - len(l.summaries); n > 0 {
		text += fmt.Sprintf("%d more are not shown: ask by NAME or --state\n", n)
	}
	return text
}

func breakers(n int) string {
	if n == 1 {
		return "1 breaker"
	}
	return fmt.Sprintf("%d breakers", n)
}

// isPattern reports whether a name may stand for several.
func isPattern(name string) bool { return strings.ContainsAny(name, "*?") }

// json is what is printed of an answer with --json: a document, or a line when there
// is one after the other.
func (f *ctlFlags) json(v any) (string, error) {
	raw, ok := v.(json.RawMessage)
	if !ok {
		var err error
		if raw, err = json.Marshal(v); err != nil {
			return "", err
		}
	}
	var b strings.Builder
	err := printJSON(&b, raw, !f.watch)
	return b.String(), err
}
