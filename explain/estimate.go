package explain

import "math"

// z95 is the 97.5 % quantile of the normal distribution.
const z95 = 1.959963984540054

// A Range is an estimate and the bounds between which the true number lies with
// about 95 % confidence.
type Range struct {
	Estimate float64 `json:"estimate"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
}

// wilson returns the share good/n and its 95 % score interval after Wilson. Unlike
// the textbook one it makes sense for a few trials and for shares of 0 and 1. n must
// be at least 1.
func wilson(good, n float64) Range {
	const zz = z95 * z95
	p := good / n
	middle := (p + zz/(2*n)) / (1 + zz/n)
	half := z95 / (1 + zz/n) * math.Sqrt(p*(1-p)/n+zz/(4*n*n))
	return Range{p, max(0, min(p, middle-half)), min(1, max(p, middle+half))}
}

// A weighted sum of shares, and its interval.
type weighted struct {
	weight   float64 // sum of the weights
	estimate float64 // sum of weight × share
	// Sums of the squares of weight × distance from the share to its bound.
	below, above float64
}

// add adds a share with its weight.
func (w *weighted) add(weight float64, share Range) {
	w.weight += weight
	w.estimate += weight * share.Estimate
	below, above := weight*(share.Estimate-share.Low), weight*(share.High-share.Estimate)
	w.below += below * below
	w.above += above * above
}

// sum returns the sum. The distances to the bounds are added as those of
// independent quantities are (the method of variance estimates recovery): merely to
// add the bounds up would take it that all shares err in the same direction. So they
// stay within 0 and the sum of the weights, but for rounding.
func (w *weighted) sum() Range {
	return Range{
		Estimate: w.estimate,
		Low:      max(0, w.estimate-math.Sqrt(w.below)),
		High:     min(w.weight, w.estimate+math.Sqrt(w.above)),
	}
}

// times returns the range for so much each.
func (r Range) times(each float64) Range {
	return Range{r.Estimate * each, r.Low * each, r.High * each}
}
