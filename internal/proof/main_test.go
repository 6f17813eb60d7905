package proof

import (
	"flag"
	"os"
	"testing"

	"github.com/switchgear-go/switchgear/internal/proof/schedule"
)

// TestMain sets how long random histories are, and that failing ones are not kept in
// files: their seed is printed. The command line may say otherwise.
func TestMain(m *testing.M) {
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
