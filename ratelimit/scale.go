package ratelimit

import (
	"math"
	"math/bits"
	"time"
)

// never stands for an instant that does not come.
const never = time.Duration(math.MaxInt64)

// A scale translates time into tokens. To keep tokens in whole numbers it divides each
// into units, as many as make one unit pass in about a nanosecond. For rates such as 10
// or 1000 a second that is exactly a nanosecond, and a place on the scale is an instant.
//
// The units passed until t are always computed from t itself, so what rounding cuts off
// never adds up.
type scale struct {
	token    uint64 // units of one token
	num, den uint64 // units a nanosecond, at most 1; num is 0 if none ever pass
}

// newScale makes a scale for a rate in billionths of a token a second. Its places stay
// below 2^63, however late, and a burst is at most 2^62 units, so that nothing
// overflows.
func newScale(rate uint64, burst int) scale {
	if rate == 0 {
		return scale{token: 1, den: 1}
	}
	// A nanosecond brings p/q tokens.
	p, q := rate, uint64(billionths*billionths)
	g := gcd(p, q)
	p, q = p/g, q/g
	token := min(q/p, 1<<62/uint64(burst))
	num, den := token*p, q
	g = gcd(num, den)
	return scale{token: token, num: num / g, den: den / g}
}

// units returns how many units have passed at instant t, rounded down.
func (s scale) units(t time.Duration) uint64 {
	if s.num == s.den {
		return uint64(t)
	}
	hi, lo := bits.Mul64(uint64(t), s.num)
	n, _ := bits.Div64(hi, lo, s.den) // num ≤ den, so n ≤ t
	return n
}

// time returns the first instant at which n units have passed, or never.
func (s scale) time(n uint64) time.Duration {
	if n == 0 {
		return 0
	}
	if s.num == 0 {
		return never
	}
	hi, lo := bits.Mul64(n, s.den)
	lo, carry := bits.Add64(lo, s.num-1, 0)
	hi += carry
	if hi >= s.num {
		return never
	}
	t, _ := bits.Div64(hi, lo, s.num)
	return time.Duration(min(t, uint64(never)))
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
