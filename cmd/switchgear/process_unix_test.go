//go:build unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// asProgram makes the test binary the program: there is no other way to see what
// a signal does to it, and nothing needs to be built.
const asProgram = "SWITCHGEAR_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main() // does not return
	}
	os.Exit(m.Run())
}

func TestSignals(t *testing.T) {
	for _, c := range []struct {
		args   string
		begun  string // on stdout or, with --json, nothing to wait for
		signal os.Signal
	}{
		{"demo --speed 1", `Act 1`, os.Interrupt},
		{"demo --speed 1 --act 5", `Act 5`, syscall.SIGTERM},
		{"demo serve --addr 127.0.0.1:0", `until Ctrl-C`, os.Interrupt},
		{"demo serve --addr 127.0.0.1:0", `until Ctrl-C`, syscall.SIGTERM},
	} {
		t.Run(c.args+" "+c.signal.String(), func(t *testing.T) {
			isStopped(t, c.args, c.begun, c.signal, `^switchgear demo( serve)?: stopped\n$`)
		})
	}
}

// isStopped runs the program until it has printed what begun matches, sends it the
// signal, and checks that it ends as one that was stopped and says so.
func isStopped(t *testing.T, args, begun string, signal os.Signal, says string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, errs := newScreen(), newScreen()
	cmd := exec.CommandContext(t.Context(), self, strings.Fields(args)...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	cmd.Stdout, cmd.Stderr = out, errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out.await(t, begun)
	if err := cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok || exit.ExitCode() != exitInterrupted {
		t.Errorf("it ended with %v, want exit code %d", err, exitInterrupted)
	}
	errs.await(t, says)
}
