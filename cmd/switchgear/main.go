// Command switchgear carries the tools around the circuit breaker of package
// breaker. At present it can show one at work, and simulate one:
//
//	switchgear demo            an outage over real HTTP, in six acts
//	switchgear demo serve      only the service that fails, to be tried with curl
//	switchgear sim list        the built-in scenarios, and what they teach
//	switchgear sim run         a scenario of these or from a file, in virtual time
//	switchgear sim outage      an outage without and with a breaker, set by flags
//	switchgear sim reference   a published outage, number by number
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
