// Command switchgear carries the tools around the circuit breaker of package
// breaker. It can show one at work, simulate one, and operate those of a running
// program:
//
//	switchgear demo            an outage over real HTTP, in six acts
//	switchgear demo serve      only the service that fails, to be tried with curl
//	switchgear sim list        the built-in scenarios, and what they teach
//	switchgear sim show        the document of one, to begin one's own with
//	switchgear sim run         a scenario of these or from a file, in virtual time
//	switchgear sim outage      an outage without and with a breaker, set by flags
//	switchgear sim reference   a published outage, number by number
//	switchgear ctl list        the breakers of a running program: which are open, why
//	switchgear ctl show        all about some of them
//	switchgear ctl health      whether any refuses calls
//	switchgear ctl events      what happened, and what happens
//	switchgear ctl hold-open   refuse every call for a time
//	switchgear ctl hold-closed admit every call for a time
//	switchgear ctl disable     admit every call for a time, and judge none
//	switchgear ctl reset       back to CLOSED
//
// "switchgear help" lists the commands, "switchgear help demo" explains one.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal asks to stop. Should that take long, a second one kills.
	context.AfterFunc(ctx, stop)
	code := run(ctx, os.Args[1:], streams{os.Stdout, os.Stderr})
	stop()
	os.Exit(code)
}
