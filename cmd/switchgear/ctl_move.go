package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os/user"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/switchgear-go/switchgear/sghttp/admin"
)

// Bounds of an order, as the handler has them.
const (
	mostReason = 256 // bytes
	mostAuthor = 128 // bytes
	mostHold   = 30 * 24 * time.Hour
	forever    = "forever"
)

var (
	ctlHoldOpenCommand = holdCommand("hold-open", "refuse every call for a time", `FORCED_OPEN: every call is refused at once, and nothing is probed. It keeps load
from a dependency that must not have any.
`, "the next call is a probe")
	ctlHoldClosedCommand = holdCommand("hold-closed", "admit every call for a time, whatever the failures", `METRICS_ONLY: every call is admitted, and outcomes are still measured. For when
the breaker is wrong, or the risk is known.
`, "the breaker is CLOSED again")
	ctlDisableCommand = holdCommand("disable", "admit every call for a time, and judge none", `DISABLED: every call is admitted, and no outcome is measured. hold-closed is
nearly always better: it goes on counting.
`, "the breaker is CLOSED again")
	ctlResetCommand = command{
		name:    "ctl reset",
		args:    "NAME … --reason TEXT [--author NAME] [--dry-run] [flags]",
		summary: "back to CLOSED: the end of a hold, or of an open interval",
		help: `CLOSED, with an empty window and the growth of the open interval forgotten. From
then on the breaker acts by itself again.

` + ctlNamesHelp + `
Flags:
` + ctlOrderHelp + ctlFlagsHelp + `
Examples:
  switchgear ctl reset payments --reason "failover is done"
  switchgear ctl reset 'pay*' --reason "all clear" --dry-run
`,
	}
)

func init() {
	for _, c := range []*command{&ctlHoldOpenCommand, &ctlHoldClosedCommand, &ctlDisableCommand, &ctlResetCommand} {
		c.run = func(ctx context.Context, args []string, std streams) int { return c.runMove(ctx, args, std) }
	}
}

const ctlOrderHelp = `  --reason TEXT       why, for whoever asks next; at most 256 bytes. It is in
                      the event, and in the state while that lasts
  --author NAME       who; default your user name on this machine. The program
                      may know better
  --dry-run           only show which breakers it would be, as they are now
`

func holdCommand(verb, summary, means, end string) command {
	return command{
		name:    "ctl " + verb,
		args:    "NAME … --for TIME --reason TEXT [--author NAME]\n      [--dry-run] [flags]",
		summary: summary,
		help: means + `
When the time is over ` + end + `; "switchgear ctl reset" ends
it earlier. A later order takes the place of the one before.

` + ctlNamesHelp + `
Flags:
  --for TIME          how long, such as 10m or 1h30m, at most 720h; or forever
` + ctlOrderHelp + ctlFlagsHelp + `
Examples:
  switchgear ctl ` + verb + ` payments --for 10m --reason "failing over by hand"
  switchgear ctl ` + verb + ` 'pay*' --for 1h --reason "ticket 4711" --dry-run
`,
	}
}

func (c command) runMove(ctx context.Context, args []string, std streams) int {
	verb := strings.TrimPrefix(c.name, ctlCommand.name+" ")
	holds := verb != "reset"
	var f ctlFlags
	o := admin.Order{To: verb}
	authored := false
	var flags flag.FlagSet
	f.register(&flags)
	if holds {
		flags.Func("for", "", func(text string) error {
			d, err := time.ParseDuration(text)
			if text != forever && (err != nil || d <= 0 || d > mostHold) {
				return errors.New("must be a time such as 10m or 1h30m, at most 720h, or forever")
			}
			o.For = text
			return nil
		})
	}
	flags.Func("reason", "", func(text string) error {
		if strings.TrimSpace(text) == "" || len(text) > mostReason || !utf8.ValidString(text) {
			return fmt.Errorf("must be a text of 1 to %d bytes", mostReason)
		}
		o.Reason = text
		return nil
	})
	flags.Func("author", "", func(text string) error {
		if len(text) > mostAuthor || !utf8.ValidString(text) {
			return fmt.Errorf("must be a text of at most %d bytes", mostAuthor)
		}
		o.Author, authored = text, true
		return nil
	})
	flags.BoolVar(&o.DryRun, "dry-run", false, "")
	names, code, done := c.parseNames(&flags, args, std)
	if done {
		return code
	}
	var missing []string
	if len(names) == 0 {
		missing = append(missing, "a NAME (switchgear ctl list has them)")
	}
	if holds && o.For == "" {
		missing = append(missing, "--for, how long, such as 10m")
	}
	if o.Reason == "" {
		missing = append(missing, "--reason, why")
	}
	if len(missing) > 0 {
		return complain(std, c.name, errors.New("needs "+strings.Join(missing, "; and ")))
	}
	if !authored {
		o.Author = whoami()
	}
	client, err := f.client()
	if err != nil {
		return complain(std, c.name, err)
	}
	return c.move(ctx, std, &f, client, names, o)
}

// whoami returns who is logged in, or "".
func whoami() string {
	u, err := user.Current()
	if err != nil || len(u.Username) > mostAuthor || !utf8.ValidString(u.Username) {
		return ""
	}
	return u.Username
}

// move gives the order for one name after the other. What has been done is told also
// if the rest cannot be.
func (c command) move(ctx context.Context, std streams, f *ctlFlags, client *ctlClient, names []string, o admin.Order) int {
	var done struct {
		Moved []json.RawMessage `json:"moved"`
		Gone  []string          `json:"gone,omitempty"`
	}
	done.Moved = []json.RawMessage{}
	var moved []admin.Summary
	var last answer
	var stopped error
	for i, name := range names {
		o.Name = name
		var raw struct {
			Moved []json.RawMessage `json:"moved"`
		}
		a, err := client.call(ctx, http.MethodPost, "/breakers/move", o, &raw)
		var m admin.Moved
		if err == nil {
			err = json.Unmarshal(a.raw, &m)
		}
		if r, ok := errors.AsType[*refusal](err); ok && r.noBreaker() {
			err = client.unknown(ctx, name)
		}
		if err != nil {
			stopped = err
			if len(names) > 1 {
				stopped = fmt.Errorf("%w\nNot done: %s", err, strings.Join(eachNamed(names[i:]), ", "))
			}
			break
		}
		last = a
		done.Moved, moved = append(done.Moved, raw.Moved...), append(moved, m.Moved...)
		done.Gone = append(done.Gone, m.Gone...)
	}
	if len(done.Gone) > 0 {
		stopped = errors.Join(stopped, fmt.Errorf("gone before their turn, and so not moved: %s", strings.Join(eachNamed(done.Gone), ", ")))
	}
	var text string
	var err error
	if f.asJSON && (stopped == nil || len(moved) > 0) {
		text, err = f.json(done)
	} else if len(moved) > 0 {
		screen, _ := f.screen(std)
		text = tableOf(moved, last.now, screen) + "\n" + breakers(len(moved)) + " moved"
		switch {
		case o.DryRun:
			text = strings.TrimSuffix(text, "moved") + "would be moved; none was"
		case o.For != "":
			text += "; switchgear ctl reset ends it earlier"
		}
		text += "\n"
	}
	if err == nil {
		_, err = fmt.Fprint(std.out, text)
	}
	if err = errors.Join(stopped, err); err != nil {
		return failed(ctx, std, c.name, err)
	}
	return exitOK
}

func eachNamed(names []string) (said []string) {
	for _, name := range names {
		said = append(said, named(name))
	}
	return said
}
