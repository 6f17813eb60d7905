package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/switchgear-go/switchgear/cmd/switchgear/internal/term"
)

var ctlCommand = command{
	name:    "ctl",
	args:    "VERB [NAME …] [flags]",
	summary: "look at the breakers of a running program, and move them",
	help: `Speaks with the admin handler of a program (package sghttp/admin) over HTTP.

Verbs:
  list          which breakers there are: state, since when, what is next, why
  show          all about some: the errors behind the last trip, counters
  health        whether any breaker refuses calls; exit code 1 if so
  events        what happened; with --watch also what happens
  hold-open     refuse every call for a time
  hold-closed   admit every call for a time, whatever the failures
  disable       admit every call for a time, and judge none
  reset         back to CLOSED: the end of a hold, or of an open interval

"switchgear help ctl list" explains one.

` + ctlNamesHelp + `
Flags that all verbs have:
` + ctlFlagsHelp + `
Exit codes:
  0    done
  1    it could not be done; of "ctl health", a breaker refuses calls
  2    wrong usage; nothing was sent
  130  stopped by Ctrl-C or SIGTERM

Examples:
  switchgear ctl list
  switchgear ctl show payments --addr http://10.0.0.7:9090
  switchgear ctl hold-closed payments --for 10m --reason "failing over by hand"
  switchgear ctl reset payments --reason "failover is done"
`,
}

func init() { ctlCommand.run = runCtl } // it reads the table that it is in

const defaultAdmin = "http://127.0.0.1:8080"

const ctlFlagsHelp = `  --addr URL          where the admin handler is, with the path that it is
                      mounted below, if any; default ` + defaultAdmin + `
  --token-file FILE   a file with the token and nothing else. Default: the
                      environment variable SWITCHGEAR_TOKEN, or no token. A
                      token is no argument, since others can see those
  --json              print the server's JSON
  --no-color          no colours; the variable NO_COLOR does the same
`

const ctlWatchHelp = `  --watch             do it again and again, until Ctrl-C
  --every TIME        how often --watch does it, from 100ms to 1h; default 2s
`

const ctlNamesHelp = `In a NAME, * stands for any text and ? for any one character. Keep them from the
shell: 'pay*'. What begins with - comes after --.
`

// ctlFlags are the flags that all verbs have, and those of verbs that watch.
type ctlFlags struct {
	addr, tokenFile  string
	asJSON, noColour bool

	watch bool
	every time.Duration
}

func (f *ctlFlags) register(flags *flag.FlagSet) {
	flags.StringVar(&f.addr, "addr", defaultAdmin, "")
	flags.StringVar(&f.tokenFile, "token-file", "", "")
	flags.BoolVar(&f.asJSON, "json", false, "")
	flags.BoolVar(&f.noColour, "no-color", false, "")
}

func (f *ctlFlags) registerWatch(flags *flag.FlagSet) {
	f.every = 2 * time.Second
	flags.BoolVar(&f.watch, "watch", false, "")
	flags.Func("every", "", func(text string) error {
		d, err := time.ParseDuration(text)
		if err != nil || d < 100*time.Millisecond || d > time.Hour {
			return errors.New("must be a time from 100ms to 1h")
		}
		f.every = d
		return nil
	})
}

// screen is where a verb prints for people.
func (f *ctlFlags) screen(std streams) (*term.Screen, term.Mode) {
	mode := term.Detect(std.out, os.Getenv)
	mode.Colour = mode.Colour && !f.noColour
	return term.New(std.out, mode), mode
}

// parseNames is parse for a command that takes names before, between and behind its
// flags.
func (c command) parseNames(flags *flag.FlagSet, args []string, std streams) (names []string, code int, done bool) {
	flags.Init(c.name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	for {
		if flags.Parse(args) != nil {
			code, done = c.parse(flags, args, std) // which tells what is wrong
			return nil, code, done
		}
		rest := flags.Args()
		if i := len(args) - len(rest); i > 0 && args[i-1] == "--" {
			return append(names, rest...), exitOK, false
		}
		if len(rest) == 0 {
			return names, exitOK, false
		}
		names, args = append(names, rest[0]), rest[1:]
	}
}

// runCtl runs when no verb follows at once: it may come after flags.
func runCtl(ctx context.Context, args []string, std streams) int {
	var flags flag.FlagSet
	new(ctlFlags).register(&flags)
	flags.Init("", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	if flags.Parse(args) != nil || flags.NArg() == 0 {
		if code, done := ctlCommand.parse(&flags, args, std); done {
			return code
		}
		return complain(std, ctlCommand.name, fmt.Errorf("needs a verb: %s", strings.Join(ctlVerbs(), ", ")))
	}
	i := len(args) - flags.NArg()
	c, _, ok := lookup([]string{ctlCommand.name, args[i]})
	if !ok || c.name == ctlCommand.name {
		return complain(std, ctlCommand.name, fmt.Errorf("unknown verb %q: must be one of %s", args[i], strings.Join(ctlVerbs(), ", ")))
	}
	return c.run(ctx, append(args[:i:i], args[i+1:]...), std)
}

func ctlVerbs() (verbs []string) {
	for _, c := range commands() {
		if verb, ok := strings.CutPrefix(c.name, ctlCommand.name+" "); ok {
			verbs = append(verbs, verb)
		}
	}
	return verbs
}
