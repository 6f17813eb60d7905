package sim

import (
	"slices"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
)

// Figures are what one asks of a breaker in an outage: how soon it trips, what
// still gets through, how soon it is over, and what it costs when nothing is wrong.
// They are about the client's breakers; with more than one, the first to do
// something counts.
type Figures struct {
	// TripDelay is the time from the beginning of the fault to the first trip in
	// it; -1 if there was none.
	TripDelay time.Duration `json:"trip_delay_ns"`
	// RecoveryLag is the time from the end of the fault to the first return to
	// CLOSED after it; -1 if there was none.
	RecoveryLag time.Duration `json:"recovery_lag_ns"`
	// Requests and Reached are the calls in the fault, and those that were sent.
	Requests uint64 `json:"requests"`
	Reached  uint64 `json:"reached"`
	// Mean and P99 are latencies in the fault.
	Mean time.Duration `json:"mean_ns"`
	P99  time.Duration `json:"p99_ns"`
	// Rounds is the number of half-open periods that began in the fault.
	Rounds int `json:"rounds"`
	// FalseTrips is the number of trips from CLOSED outside the fault, and
	// GoodRefused that of calls refused outside it.
	FalseTrips  int    `json:"false_trips"`
	GoodRefused uint64 `json:"good_refused"`
	// Late is the number of results that came after their period had ended.
	Late uint64 `json:"late"`
}

// Share returns how many percent of the requests in the fault reached the service.
func (f *Figures) Share() float64 {
	c := Counts{Requests: f.Requests, Reached: f.Reached}
	return c.Share()
}

// Fault returns which window is the fault: the one of that name, which a scenario
// with faults has by default, or else the second, or the only one. It returns false if
// there is no window at all.
func (cfg *Config) Fault() (window int, ok bool) {
	i := slices.IndexFunc(cfg.Windows, func(w Window) bool { return w.Name == "fault" })
	if i < 0 {
		i = min(len(cfg.Windows)-1, 1)
	}
	return max(i, 0), i >= 0
}

// Figures sums a run up with one of its windows as the fault: see [Config.Fault].
func (r *Result) Figures(window int) Figures {
	w := &r.Windows[window]
	f := Figures{
		TripDelay: -1, RecoveryLag: -1,
		Requests: w.Requests, Reached: w.Reached, Mean: w.Mean, P99: w.P99,
		GoodRefused: r.Whole.Rejected - w.Rejected,
		Late:        r.Breakers[0].Late,
	}
	for _, t := range r.Transitions {
		inside := t.At >= w.From && t.At < w.To
		switch {
		case t.Place != 0:
		case t.From == breaker.Closed && t.To == breaker.Open && !inside:
			f.FalseTrips++
		case t.To == breaker.Open && inside && f.TripDelay < 0:
			f.TripDelay = t.At - w.From
		case t.To == breaker.HalfOpen && inside:
			f.Rounds++
		case t.To == breaker.Closed && t.At >= w.To && f.RecoveryLag < 0:
			f.RecoveryLag = t.At - w.To
		}
	}
	return f
}
