package budget_test

import (
	"testing"

	"github.com/switchgear-go/switchgear/budget"
)

// The fuzzer chooses the steps that the property test takes by chance.
func FuzzAgainstTheModel(f *testing.F) {
	f.Add(uint8(0), []byte("\x00\x00\x00\x00\x00\x02\x01\x02\x01\x06\x63\x05\x00\x02\x01"))
	f.Add(uint8(4), []byte("\x02\x00\x02\x01\x02\x01\x04\x00\x00\x01\x00\x05\x00"))
	f.Add(uint8(6), []byte("\x01\x01\x01\x01\x01\x01\x02\x01\x01\x00\x02\x01\x04\x00\x01"))
	f.Fuzz(func(t *testing.T, which uint8, choices []byte) {
		if len(choices) > 4000 {
			return
		}
		cfg := small()[int(which)%len(small())]
		drive(t, cfg, len(choices)/2, func(n int) int {
			if len(choices) == 0 {
				return 0
			}
			c := choices[0]
			choices = choices[1:]
			return int(c) % n
		})
	})
}

func FuzzKind(f *testing.F) {
	f.Add("ratio")
	f.Add("")
	f.Fuzz(func(t *testing.T, s string) {
		var k budget.Kind
		if k.UnmarshalText([]byte(s)) == nil && k.String() != s {
			t.Errorf("%q is read as %v", s, k)
		}
	})
}
