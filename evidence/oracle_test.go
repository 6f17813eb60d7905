package evidence

import (
	"math"
	"time"
)

// The oracles: the specification in its most literal form, and the textbook
// way to compute the same numbers. They share no code with the package.

// literalScore is the update of the specification, line by line, with the
// forgetting done one interval at a time.
type literalScore struct {
	points, threshold int64 // m, H
	per               time.Duration
	maxRise           int64
	riseWindow        time.Duration

	score, base       int64
	mark, windowStart time.Duration
	window            bool
}

func literal(t *Test) *literalScore {
	l := &literalScore{points: t.points, threshold: t.threshold, maxRise: int64(t.cfg.MaxRise), riseWindow: t.cfg.MaxRiseWindow}
	if t.cfg.Memory != off {
		l.per = t.cfg.Memory / time.Duration(t.threshold)
	}
	return l
}

func (l *literalScore) record(now time.Duration, bad bool) (trip bool) {
	for l.per > 0 && l.score > 0 && now-l.mark >= l.per {
		l.score--
		l.mark += l.per
	}
	if l.maxRise > 0 && (!l.window || now-l.windowStart >= l.riseWindow) {
		l.window, l.windowStart, l.base = true, now, l.score
	}
	if bad {
		if l.score == 0 {
			l.mark = now
		}
		l.score += l.points
		if l.maxRise > 0 {
			l.score = min(l.score, l.base+l.maxRise*l.points)
		}
	} else if l.score > 0 {
		l.score--
	}
	return l.score >= l.threshold
}

// backwardRunLength is the recurrence of the literature, level by level from
// the threshold down, each excursion followed through every level it crosses.
func backwardRunLength(points, threshold int, rate, burst float64) float64 {
	a, c := rate/burst, 1-(1-rate)/burst
	tripS, callsS := make([]float64, threshold), make([]float64, threshold)
	tripF, callsF := make([]float64, threshold), make([]float64, threshold)
	for j := threshold - 1; j >= 0; j-- {
		trip, calls := 1.0, 0.0
		if j+points < threshold {
			trip, calls = tripF[j+points], callsF[j+points]
			survive := 1 - trip
			for i := j + points - 1; i > j; i-- {
				calls += survive * callsS[i]
				trip += survive * tripS[i]
				survive *= 1 - tripS[i]
			}
		}
		down := 1 - a
		if j == 0 {
			down = 0
		}
		leave := down + a*trip
		tripS[j], callsS[j] = a*trip/leave, (1+a*calls)/leave
		tripF[j] = c * (trip + (1-trip)*tripS[j])
		callsF[j] = 1 + c*(calls+(1-trip)*callsS[j])
	}
	return callsS[0]
}

// meanCallsToTrip solves the linear equations of the Markov chain: state
// 2·score, plus 1 if the last outcome was bad, to mean number of calls until
// the trip.
func meanCallsToTrip(points, threshold int, rate, burst float64) []float64 {
	n := 2 * threshold
	matrix := make([][]float64, n) // the last column is the right-hand side
	for score := range threshold {
		for last, bad := range []float64{rate / burst, 1 - (1-rate)/burst} {
			row := make([]float64, n+1)
			row[2*score+last] = 1
			row[2*max(0, score-1)] -= 1 - bad
			if up := score + points; up < threshold {
				row[2*up+1] -= bad
			}
			row[n] = 1
			matrix[2*score+last] = row
		}
	}
	return solve(matrix)
}

// solve is Gaussian elimination with partial pivoting.
func solve(m [][]float64) []float64 {
	n := len(m)
	for col := range n {
		pivot := col
		for r := col + 1; r < n; r++ {
			if math.Abs(m[r][col]) > math.Abs(m[pivot][col]) {
				pivot = r
			}
		}
		m[col], m[pivot] = m[pivot], m[col]
		for r := col + 1; r < n; r++ {
			if f := m[r][col] / m[col][col]; f != 0 {
				for k := col; k <= n; k++ {
					m[r][k] -= f * m[col][k]
				}
			}
		}
	}
	x := make([]float64, n)
	for r := n - 1; r >= 0; r-- {
		x[r] = m[r][n]
		for k := r + 1; k < n; k++ {
			x[r] -= m[r][k] * x[k]
		}
		x[r] /= m[r][r]
	}
	return x
}

// longHealthy returns the distribution of the score after a long history of
// independent outcomes without a trip.
func longHealthy(points, threshold int, rate float64) []float64 {
	p := make([]float64, threshold)
	p[0] = 1
	for {
		next := make([]float64, threshold)
		for score, chance := range p {
			next[max(0, score-1)] += (1 - rate) * chance
			if up := score + points; up < threshold {
				next[up] += rate * chance
			}
		}
		sum, moved := 0.0, 0.0
		for _, chance := range next {
			sum += chance
		}
		for i := range next {
			next[i] /= sum
			moved += math.Abs(next[i] - p[i])
		}
		p = next
		if moved < 1e-13 {
			return p
		}
	}
}
