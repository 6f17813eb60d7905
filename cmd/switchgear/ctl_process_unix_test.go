//go:build unix

package main

import (
	"os"
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
			isStopped(t, c.args, c.begun, c.signal, `^switchgear (ctl (list|show|events)|demo serve): stopped\n$`)
		})
	}
}
