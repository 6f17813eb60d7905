package proof

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/switchgear-go/switchgear/internal/proof/schedule"
)

// TestMain sets how long random histories are, and that failing ones are not kept in
// files: their seed is printed. The command line may say otherwise. Where [serverEnv] says
// so there are no tests: the program is the server of an outage.
func TestMain(m *testing.M) {
	if address := os.Getenv(serverEnv); address != "" {
		fmt.Fprintln(os.Stderr, serve(address))
		os.Exit(1)
	}
	for name, value := range map[string]string{"rapid.steps": "120", "rapid.nofailfile": "true"} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	schedule.GoWrong(os.Getenv(mistakeEnv))
	code := m.Run()
	if buildDir != "" {
		os.RemoveAll(buildDir)
	}
	os.Exit(code)
}
