package sweep

import (
	"fmt"
	"strings"

	"github.com/switchgear-go/switchgear/sim"
)

// A Point is a configuration to be run, and how it differs from the others.
type Point struct {
	// Settings have the same keys, in the same order, in all points of a sweep.
	// There may be none.
	Settings []Setting
	Config   sim.Config
}

// String returns the settings as "wait=5s, probes=3".
func (p *Point) String() string {
	var b strings.Builder
	for i, s := range p.Settings {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(s.Key + "=" + s.Value)
	}
	return b.String()
}

// wrap puts the settings before an error, if there are any.
func (p *Point) wrap(err error) error {
	if len(p.Settings) == 0 {
		return err
	}
	return fmt.Errorf("with %v: %w", p, err)
}

func sameKeys(a, b []Setting) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Key != b[i].Key {
			return false
		}
	}
	return true
}
