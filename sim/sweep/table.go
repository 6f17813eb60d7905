package sweep

// A Setting is one value of a configuration that differs between the rows.
type Setting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// A Spread sums up one figure over the runs of a row.
type Spread struct {
	// Mean is the average, and P5 and P95 are the ends of the middle nine tenths, by
	// nearest rank, over the N runs in which the figure exists: a breaker that never
	// trips has no trip delay. All are 0 if N is.
	Mean float64 `json:"mean"`
	P5   float64 `json:"p5"`
	P95  float64 `json:"p95"`
	N    int     `json:"n"`
}

// A Row is one combination of settings, over all seeds. The figures are those of
// [sim.Figures]: times in seconds, Share in percent, the rest are counts.
type Row struct {
	Settings []Setting `json:"settings"`
	// Runs is the number of seeds; less than those of the table if the sweep was
	// stopped in this row.
	Runs        int    `json:"runs"`
	TripDelay   Spread `json:"trip_delay_s"`
	Reached     Spread `json:"reached"`
	Share       Spread `json:"share_percent"`
	Mean        Spread `json:"mean_s"`
	P99         Spread `json:"p99_s"`
	Rounds      Spread `json:"rounds"`
	RecoveryLag Spread `json:"recovery_lag_s"`
	FalseTrips  Spread `json:"false_trips"`
	GoodRefused Spread `json:"good_refused"`
}

// A Table is a row for each combination of settings.
type Table struct {
	// Keys are those of the settings, in the order of a row's.
	Keys []string `json:"keys"`
	// Rows are those that there are, in the order of the points, and Points is how
	// many were asked for.
	Rows   []Row `json:"rows"`
	Points int   `json:"points"`
	// Each row has the runs of Seeds consecutive seeds, from FirstSeed on.
	FirstSeed uint64 `json:"first_seed"`
	Seeds     int    `json:"seeds"`
}

// Complete reports whether the table has all runs of all its points. One of a sweep
// that was stopped has not.
func (t *Table) Complete() bool { return t.Runs() == t.Points*t.Seeds }

// Runs returns how many runs there are in the rows.
func (t *Table) Runs() (n int) {
	for i := range t.Rows {
		n += t.Rows[i].Runs
	}
	return n
}
