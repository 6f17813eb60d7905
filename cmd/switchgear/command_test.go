package main

import (
	"bytes"
	"context"
	"flag"
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// outcome is what a run of the program left behind.
type outcome struct {
	code     int
	out, err string
}

func invoke(ctx context.Context, args ...string) outcome {
	var out, err bytes.Buffer
	code := run(ctx, args, streams{&out, &err})
	return outcome{code, out.String(), err.String()}
}

func TestUsage(t *testing.T) {
	for _, c := range []struct {
		args string
		code int
		out  string // a part of it; "" is nothing at all
		err  string
	}{
		{"", exitUsage, "", "Usage:\n  switchgear <command>"},
		{"help", exitOK, "Usage:\n  switchgear <command>", ""},
		{"--help", exitOK, "Usage:\n  switchgear <command>", ""},
		{"-h", exitOK, "Usage:\n  switchgear <command>", ""},
		{"version", exitOK, "switchgear ", ""},
		{"--version", exitOK, "switchgear ", ""},
		{"help demo", exitOK, "switchgear demo: show a circuit breaker", ""},
		{"help demo serve", exitOK, "switchgear demo serve: run only the service", ""},
		{"help help", exitOK, "switchgear help: ", ""},
		{"help --help", exitOK, "switchgear help: ", ""},
		{"demo --help", exitOK, "switchgear demo: show a circuit breaker", ""},
		{"demo -h", exitOK, "switchgear demo: show a circuit breaker", ""},
		{"demo serve --help", exitOK, "switchgear demo serve: run only the service", ""},
		{"version --help", exitOK, "switchgear version: ", ""},

		{"frobnicate", exitUsage, "", "switchgear: unknown command \"frobnicate\"\nSee: switchgear help\n"},
		{"--frobnicate", exitUsage, "", `unknown command "--frobnicate"`},
		{"serve", exitUsage, "", `unknown command "serve"`},
		{"help frobnicate", exitUsage, "", `switchgear help: unknown command "frobnicate"`},
		{"help demo act", exitUsage, "", `switchgear help: unknown command "demo act"`},
		{"help --all", exitUsage, "", `switchgear help: unknown flag --all`},
		{"version 2", exitUsage, "", `switchgear version: unexpected argument "2"`},
		{"demo stop", exitUsage, "", `switchgear demo: unexpected argument "stop"`},
		{"demo --act 3 serve", exitUsage, "", `switchgear demo: unexpected argument "serve"`},
		{"demo --sped 3", exitUsage, "", "switchgear demo: unknown flag --sped\nSee: switchgear help demo\n"},
		{"demo --speed", exitUsage, "", "flag needs an argument: --speed"},
		{"demo --speed 0", exitUsage, "", `invalid value "0" for flag --speed: must be a whole number from 1 to 20`},
		{"demo --speed 21", exitUsage, "", `invalid value "21" for flag --speed: must be a whole number from 1 to 20`},
		{"demo --speed=-1", exitUsage, "", `invalid value "-1" for flag --speed: must be a whole number from 1 to 20`},
		{"demo --speed 1.5", exitUsage, "", `invalid value "1.5" for flag --speed: must be a whole number from 1 to 20`},
		{"demo --speed fast", exitUsage, "", `invalid value "fast" for flag --speed: must be a whole number from 1 to 20`},
		{"demo --act 0", exitUsage, "", `invalid value "0" for flag --act: must be a whole number from 1 to 6`},
		{"demo --act 7", exitUsage, "", `invalid value "7" for flag --act: must be a whole number from 1 to 6`},
		{"demo --json=maybe", exitUsage, "", `invalid boolean value "maybe" for --json`},
		{"demo serve now", exitUsage, "", `switchgear demo serve: unexpected argument "now"`},
		{"demo serve --speed 2", exitUsage, "", "switchgear demo serve: unknown flag --speed\nSee: switchgear help demo serve\n"},
		{"demo serve --addr 8080", exitUsage, "", `invalid value "8080" for flag --addr: must be HOST:PORT`},
		{"demo serve --addr 127.0.0.1:http:80", exitUsage, "", `must be HOST:PORT`},
		{"demo serve --addr 127.0.0.1:99999", exitFailed, "", "switchgear demo serve: listen tcp: "},
	} {
		t.Run("switchgear "+c.args, func(t *testing.T) {
			got := invoke(t.Context(), strings.Fields(c.args)...)
			if got.code != c.code {
				t.Errorf("exit code %d, want %d", got.code, c.code)
			}
			for _, s := range []struct{ name, got, want string }{{"out", got.out, c.out}, {"err", got.err, c.err}} {
				if !strings.Contains(s.got, s.want) || (s.want == "") != (s.got == "") {
					t.Errorf("std%s is %q, want %q", s.name, s.got, s.want)
				}
			}
		})
	}
}

// The overview tells the exit codes, so it has to have the right ones.
func TestExitCodesAreTold(t *testing.T) {
	text := invoke(t.Context(), "help").out
	for _, want := range []string{"  0    done", "  1    done, but", "  2    wrong usage", "  130  stopped"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	if exitOK != 0 || exitFailed != 1 || exitUsage != 2 || exitInterrupted != 130 {
		t.Error("the exit codes are others than the overview says")
	}
}

var flagName = regexp.MustCompile(`--[a-z-]+`)

func TestHelp(t *testing.T) {
	for _, c := range commands() {
		t.Run(c.name, func(t *testing.T) {
			if c.summary == "" || c.run == nil {
				t.Error("no summary, or nothing to run")
			}
			var b strings.Builder
			c.printHelp(&b)
			help := b.String()
			_, examples, ok := strings.Cut(help, "\nExamples:\n")
			if !ok || !strings.Contains(examples, "  switchgear "+c.name) {
				t.Errorf("no example:\n%s", help)
			}
			for _, name := range flagName.FindAllString(c.args, -1) {
				if !strings.Contains(c.help, "\n  "+name+" ") {
					t.Errorf("%s is in the usage line, and is not explained", name)
				}
			}
			for line := range strings.Lines(help) {
				if n := utf8.RuneCountInString(line); n > 81 {
					t.Errorf("%d columns: %s", n, line)
				}
			}
			if !strings.HasSuffix(help, "\n") || strings.HasSuffix(help, "\n\n") {
				t.Error("help should end in one newline")
			}
		})
	}
	t.Run("the overview has every command", func(t *testing.T) {
		text := invoke(t.Context(), "help").out
		for _, c := range commands() {
			if !strings.Contains(text, "  "+c.name+" ") || !strings.Contains(text, c.summary) {
				t.Errorf("%s is not there:\n%s", c.name, text)
			}
		}
	})
}

func TestLookup(t *testing.T) {
	for _, c := range []struct {
		args, name, rest string
	}{
		{"demo", "demo", ""},
		{"demo --act 2", "demo", "--act 2"},
		{"demo serve", "demo serve", ""},
		{"demo serve --addr x", "demo serve", "--addr x"},
		{"demo --act serve", "demo", "--act serve"},
		{"help demo serve", "help", "demo serve"},
		{"dem", "", ""},
		{"Demo", "", ""},
	} {
		found, rest, ok := lookup(strings.Fields(c.args))
		if found.name != c.name || strings.Join(rest, " ") != c.rest || ok != (c.name != "") {
			t.Errorf("lookup(%s) = %q, %q, %v; want %q, %q", c.args, found.name, rest, ok, c.name, c.rest)
		}
	}
}

// plainer rests on the words of package flag. This notices when they change.
func TestPlainer(t *testing.T) {
	for args, want := range map[string]string{
		"-x":      "unknown flag --x",
		"-n":      "flag needs an argument: --n",
		"-n a":    `invalid value "a" for flag --n: parse error`,
		"-b=a":    `invalid boolean value "a" for --b: parse error`,
		"-n a--b": `invalid value "a--b" for flag --n: parse error`,
	} {
		flags := flag.NewFlagSet("", flag.ContinueOnError)
		flags.SetOutput(io.Discard)
		flags.Int("n", 0, "")
		flags.Bool("b", false, "")
		err := flags.Parse(strings.Fields(args))
		if err == nil {
			t.Fatalf("%s: no error", args)
		}
		if got := plainer(err).Error(); got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
}
