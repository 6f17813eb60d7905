//go:build unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/switchgear-go/switchgear/sghttp/admin"
)

func TestSignalsOfWhatWatches(t *testing.T) {
	s := newStation(t, admin.Config{})
	s.trip("payments")
	s.heard(1)
	for _, c := range []struct {
		args   string
		begun  string
		signal os.Signal
	}{
		{"ctl list --watch --addr " + s.server.URL, `OPEN +payments`, os.Interrupt},
		{"ctl show payments --watch --addr " + s.server.URL, `state +OPEN`, os.Interrupt},
		{"ctl events --watch --addr " + s.server.URL, `payments: CLOSED → OPEN`, syscall.SIGTERM},
		{"demo serve --admin --addr 127.0.0.1:0", `What happens:\n`, os.Interrupt},
		{"demo serve --admin --addr 127.0.0.1:0 --rate 1000", `What happens:\n`, syscall.SIGTERM},
	} {
		t.Run(c.args, func(t *testing.T) {
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			out, errs := newScreen(), newScreen()
			cmd := exec.CommandContext(t.Context(), self, strings.Fields(c.args)...)
			cmd.Env = append(os.Environ(), asProgram+"=1")
			cmd.Stdout, cmd.Stderr = out, errs
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			out.await(t, c.begun)
			if err := cmd.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			err = cmd.Wait()
			exit, ok := errors.AsType[*exec.ExitError](err)
			if !ok || exit.ExitCode() != exitInterrupted {
				t.Errorf("it ended with %v, want exit code %d", err, exitInterrupted)
			}
			errs.await(t, `^switchgear (ctl (list|show|events)|demo serve): stopped\n$`)
		})
	}
}
