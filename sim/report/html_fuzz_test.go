package report_test

import "testing"

// FuzzHTML puts any text into every place that takes one, and wants the page to stay
// the page that it is.
func FuzzHTML(f *testing.F) {
	for _, s := range hostileNames {
		f.Add(s)
	}
	h := newHolding(f)
	f.Fuzz(func(t *testing.T, s string) { h.check(t, s) })
}
