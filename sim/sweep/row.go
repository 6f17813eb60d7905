package sweep

// A row collects the figures of one point's runs, by seed.
type row struct {
	values [columns][]float64
	ran    []bool
	left   int // runs to come
	sum    Row // of those that were, once it has ended
}

// begin makes room for the runs.
func (r *row) begin(seeds int) {
	for i := range r.values {
		r.values[i] = make([]float64, seeds)
	}
	r.ran, r.left = make([]bool, seeds), seeds
}

// add files the figures of one run.
func (r *row) add(seed int, c [columns]float64) {
	for i, v := range c {
		r.values[i][seed] = v
	}
	r.ran[seed] = true
	r.left--
}

// end sums up the runs before the first one missing, and lets go of them all.
func (r *row) end(settings []Setting) {
	if r.ran == nil { // it has not begun, or it has ended
		return
	}
	n := 0
	for n < len(r.ran) && r.ran[n] {
		n++
	}
	for i := range r.values {
		r.values[i] = r.values[i][:n]
	}
	r.sum = newRow(settings, &r.values)
	r.values, r.ran = [columns][]float64{}, nil
}
