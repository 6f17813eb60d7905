package random

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// ulps is how many units in the last place of b lie between a and b.
func ulps(a, b float64) float64 {
	return math.Abs(a-b) / (math.Nextafter(math.Abs(b), math.Inf(1)) - math.Abs(b))
}

func TestLog(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	worst := 0.0
	check := func(x float64) {
		if e := ulps(Log(x), math.Log(x)); e > worst {
			worst = e
			if e > 2 {
				t.Errorf("Log(%g) = %v, math.Log says %v", x, Log(x), math.Log(x))
			}
		}
	}
	for range 500_000 {
		u := 1 - rng.Float64()
		check(u)
		check(u * 0x1p-40)
		check(1 - u*0x1p-20)
		check(1 + u*0x1p-7)
		check(1 / u)
		check(math.Ldexp(1+u, rng.IntN(2000)-1000))
	}
	for i := range logTable { // where one part meets the next
		x := math.Float64frombits(logFrom + uint64(i)<<(fractionBits-logPartBits))
		check(x)
		check(math.Nextafter(x, 0))
	}
	equal(t, "Log(1)", Log(1), 0)
	equal(t, "Log below 1", Log(1-0x1p-53), -0x1.0000000000000p-53)
}

// The table's logarithms are right to the last bit: the exponential of each, summed
// with a hundred digits, lies within half a unit of c.
func TestLogTable(t *testing.T) {
	for _, e := range logTable {
		equal(t, "1/c", e.inverse, 1/e.c)
		x := new(big.Float).SetPrec(300).SetFloat64(e.log)
		sum, term := big.NewFloat(1).SetPrec(300), big.NewFloat(1).SetPrec(300)
		for n := 1; n < 60; n++ {
			term.Mul(term, x)
			term.Quo(term, new(big.Float).SetPrec(300).SetInt64(int64(n)))
			sum.Add(sum, term)
		}
		// exp(log) / c - 1 is the error of log.
		sum.Quo(sum, new(big.Float).SetFloat64(e.c))
		off, _ := sum.Sub(sum, big.NewFloat(1)).Float64()
		half := (math.Nextafter(math.Abs(e.log), 2) - math.Abs(e.log)) / 2
		if math.Abs(off) > half*1.0000001 {
			t.Errorf("ln %g is off by %g, more than %g", e.c, off, half)
		}
	}
}

func FuzzLog(f *testing.F) {
	f.Add(0.5)
	f.Fuzz(func(t *testing.T, x float64) {
		if !(x >= 0x1p-1022 && x <= math.MaxFloat64) {
			return // not what it is for
		}
		if e := ulps(Log(x), math.Log(x)); e > 2 {
			t.Errorf("Log(%g) is %g units off", x, e)
		}
	})
}
