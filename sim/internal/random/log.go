package random

import "math"

const (
	logPartBits = 7
	logParts    = 1 << logPartBits
	logFrom     = 0x3fe6000000000000 // the bits of 0.6875

	fractionBits = 52
	exponentMask = 0xfff << fractionBits

	// The natural logarithm of 2 in two parts: the first has few enough bits that
	// its product with an exponent is exact.
	ln2High = 0x1.62e42fefa3800p-1
	ln2Low  = 0x1.ef35793c76730p-45
)

// Log returns the natural logarithm of x, which must be a positive normal number.
//
// It is here instead of math.Log for two reasons. Its result is the same on every
// processor: it consists of additions and multiplications in a fixed order, each
// rounded by itself, while math.Log is written anew for some. And a simulation
// does little else as often as this. Its error is below two units in the last
// place.
//
// The method is Tang's ("Table-driven implementation of the logarithm function in
// IEEE floating-point arithmetic", 1990): with x = 2ᵏ·z and c the middle of the
// part that z lies in, ln x = k·ln 2 + ln c + ln(1+r), where r = (z-c)/c is small
// enough for a short series.
func Log(x float64) float64 {
	bits := math.Float64bits(x)
	offset := bits - logFrom
	k := float64(int64(offset) >> fractionBits)
	z := math.Float64frombits(bits - offset&exponentMask)
	t := &logTable[offset>>(fractionBits-logPartBits)%logParts]

	// The series, in the order that leaves the processor the most to do side by
	// side. The conversions keep any compiler from fusing a product with a sum.
	r := float64((z - t.c) * t.inverse)
	r2 := float64(r * r)
	r4 := float64(r2 * r2)
	a := float64(r*(1.0/3)) - 1.0/2
	b := float64(r*(1.0/5)) - 1.0/4
	c := float64(r*(1.0/7)) - 1.0/6
	tail := a + float64(r2*b) + float64(r4*(c-float64(r2*(1.0/8))))

	high := float64(k*ln2High) + t.log
	return high + (r + (float64(r2*tail) + float64(k*ln2Low)))
}
