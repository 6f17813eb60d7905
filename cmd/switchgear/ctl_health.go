package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"

	"github.com/switchgear-go/switchgear/cmd/switchgear/internal/term"
	"github.com/switchgear-go/switchgear/sghttp/admin"
)

var ctlHealthCommand = command{
	name:    "ctl health",
	args:    "[flags]",
	summary: "whether any breaker refuses calls",
	help: `UP, or DEGRADED if a breaker is OPEN, HALF_OPEN or FORCED_OPEN; then those that
are. A breaker that is open does its duty: DEGRADED is a reason to look at what
it guards, and none to restart the program.

Flags:
` + ctlFlagsHelp + `
Exit codes:
  0    UP
  1    DEGRADED, or it could not be found out
  2    wrong usage; nothing was sent
  130  stopped by Ctrl-C or SIGTERM

Examples:
  switchgear ctl health
  switchgear ctl health --json | jq .states
`,
}

func init() { ctlHealthCommand.run = runCtlHealth }

func runCtlHealth(ctx context.Context, args []string, std streams) int {
	var f ctlFlags
	var flags flag.FlagSet
	f.register(&flags)
	if code, done := ctlHealthCommand.parse(&flags, args, std); done {
		return code
	}
	c, err := f.client()
	if err != nil {
		return complain(std, ctlHealthCommand.name, err)
	}
	var h admin.Health
	a, err := c.call(ctx, http.MethodGet, "/health", nil, &h)
	if err != nil {
		return failed(ctx, std, ctlHealthCommand.name, err)
	}
	screen, _ := f.screen(std)
	var text string
	if f.asJSON {
		text, err = f.json(json.RawMessage(a.raw))
	} else {
		text = healthText(&h, a, screen)
	}
	if err == nil {
		_, err = fmt.Fprint(std.out, text)
	}
	switch {
	case err != nil:
		return failed(ctx, std, ctlHealthCommand.name, err)
	case h.Status != admin.Up:
		return exitFailed
	}
	return exitOK
}

func healthText(h *admin.Health, a answer, screen *term.Screen) string {
	style := term.Good
	if h.Status != admin.Up {
		style = term.Bad
	}
	text, shown, bad := screen.Paint(style, plain(h.Status)), len(h.Degraded), 0
	for _, name := range []string{"OPEN", "HALF_OPEN", "FORCED_OPEN"} {
		bad += h.States[name]
	}
	if states := tally(h.States); states != "" {
		text += ": " + states
	}
	text += "\n"
	if shown > 0 {
		text += "\n" + tableOf(h.Degraded, a.now, screen)
	}
	if bad > shown {
		text += fmt.Sprintf("and %d more: see switchgear ctl list\n", bad-shown)
	}
	return text
}
