package ratelimit_test

import "testing"

// The fuzzer chooses the requests that the property test makes by chance.
func FuzzAgainstTheModel(f *testing.F) {
	f.Add(uint8(0), []byte("\x00\x05\x01\x00\x00\x02\x01\x02\x01\x06\x63\x05\x00\x02\x01"))
	f.Add(uint8(8), []byte("\x01\x03\x00\x01\x03\x00\x01\x03\x01\x01\x02\x02\x00\x09"))
	f.Fuzz(func(t *testing.T, which uint8, choices []byte) {
		if len(choices) > 2000 {
			return
		}
		fresh(t, exactly[int(which)%len(exactly)], len(choices)/4, 0, func(n int) int {
			c := 0
			for m := n; m > 0 && len(choices) > 0; m >>= 8 {
				c = c<<8&(1<<30-1) | int(choices[0])
				choices = choices[1:]
			}
			return c % n
		})
	})
}
