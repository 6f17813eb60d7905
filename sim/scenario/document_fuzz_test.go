package scenario_test

import (
	"errors"
	"testing"

	"github.com/switchgear-go/switchgear/sgyaml"
	"github.com/switchgear-go/switchgear/sim/scenario"
)

// FuzzParse: whatever the document, there is a scenario or an error that says why not,
// and what is set can be read again.
func FuzzParse(f *testing.F) {
	for _, d := range []string{
		varied,
		"scenario: {}",
		"a: &a [*a, {b: !!int c, b: '\\'}]",
		"scenario: {services: [{faults: [{from: 5s, to: 1s}], latency: {kind: empirical, values: [1s]}}]}\nvariants: [{name: x, set: {a[0].b: 1}}]",
	} {
		f.Add([]byte(d), "client.call.breaker.open.wait", "1s")
	}
	f.Fuzz(func(t *testing.T, data []byte, path, value string) {
		known := func(err error) bool {
			if err == nil {
				return true
			}
			bad, ok := errors.AsType[*sgyaml.Error](err)
			if !ok || len(bad.Problems) == 0 || len(bad.Problems) > sgyaml.MaxProblems {
				t.Fatalf("%T: %v", err, err)
			}
			return false
		}
		d, err := scenario.Parse("fuzz.yaml", data)
		if !known(err) {
			return
		}
		s, err := d.Scenario()
		if err != nil || len(s.Variants) == 0 {
			t.Fatalf("it was parsed: %v", err)
		}
		c, err := d.Set(path, value)
		if !known(err) {
			return
		}
		if _, err := c.Scenario(); err != nil {
			t.Fatalf("it was set: %v", err)
		}
	})
}
