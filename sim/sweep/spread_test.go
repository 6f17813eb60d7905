package sweep

import (
	"math"
	"testing"
)

func TestSpread(t *testing.T) {
	nan := math.NaN()
	hundred := make([]float64, 100)
	for i := range hundred {
		hundred[i] = float64(100 - i)
	}
	for name, c := range map[string]struct {
		values []float64
		want   Spread
	}{
		"nothing":              {nil, Spread{}},
		"nothing that exists":  {[]float64{nan, nan}, Spread{}},
		"one":                  {[]float64{7}, Spread{7, 7, 7, 1}},
		"two":                  {[]float64{9, 1}, Spread{5, 1, 9, 2}},
		"some that exist":      {[]float64{nan, 4, nan, 2}, Spread{3, 2, 4, 2}},
		"zero is a value":      {[]float64{0, 0, nan}, Spread{0, 0, 0, 2}},
		"a hundred, unordered": {hundred, Spread{50.5, 5, 95, 100}},
		"twenty":               {hundred[80:], Spread{10.5, 1, 19, 20}},
		"twenty-one":           {[]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21}, Spread{11, 2, 20, 21}},
	} {
		equal(t, name, newSpread(append([]float64(nil), c.values...)), c.want)
	}
}
