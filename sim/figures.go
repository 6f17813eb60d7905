package sim

import (
	"slices"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
)

// Figures are what one asks of a breaker in an outage: how soon it trips, what
// still gets through, how soon it is over, and what it costs when nothing is wrong.
// They are about the breakers of the outermost place that has any: the client's, or
// else the first service's that calls through one, and so on. With more than one, the
// first to do something counts. Calls and latencies are the client's all the same.
//
// A trip belongs to the fault if it happens in it, or so soon afterwards that calls sent
// in it may still be out: within [Call].Timeout, or Total where there is no Timeout or
// the breaker stands around all attempts.
type Figures struct {
	// TripDelay is the time from the beginning of the fault to the first trip that
	// belongs to it; -1 if there was none.
	TripDelay time.Duration `json:"trip_delay_ns"`
	// RecoveryLag is the time from the end of the fault to the first return to
	// CLOSED after it, of a breaker that was not CLOSED at that end or tripped later
	// because of the fault; -1 if there was none.
	RecoveryLag time.Duration `json:"recovery_lag_ns"`
	// Requests and Reached are the calls in the fault, and those that were sent.
	Requests uint64 `json:"requests"`
	Reached  uint64 `json:"reached"`
	// Mean and P99 are latencies in the fault.
	Mean time.Duration `json:"mean_ns"`
	P99  time.Duration `json:"p99_ns"`
	// Rounds is the number of half-open periods that began in the fault.
	Rounds int `json:"rounds"`
	// FalseTrips is the number of trips from CLOSED that do not belong to the fault,
	// and GoodRefused that of the client's calls refused outside it.
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

// Fault returns which window is the fault: the one of that name, which a scenario with
// faults has by default, or else the one that shares most time with the faults; of
// several, the shortest. It returns false if there is none.
func (cfg *Config) Fault() (window int, ok bool) {
	if i := slices.IndexFunc(cfg.Windows, func(w Window) bool { return w.Name == "fault" }); i >= 0 {
		return i, true
	}
	var most, length time.Duration
	for i, w := range cfg.Windows {
		common := cfg.faultTime(w)
		if common > most || common == most && common > 0 && w.To-w.From < length {
			window, most, length = i, common, w.To-w.From
		}
	}
	return window, most > 0
}

// faultTime returns for how long the faults, each by itself, go on within a window.
func (cfg *Config) faultTime(w Window) (sum time.Duration) {
	for _, s := range cfg.Services {
		for _, f := range s.Faults {
			to := f.To
			if to == 0 {
				to = never
			}
			sum += max(min(to, w.To)-max(f.From, w.From), 0)
		}
	}
	return sum
}

// watched is what the figures of a result must know of the scenario.
type watched struct {
	place    int           // the outermost that has breakers, or the client
	patience time.Duration // for how long a call is out that has passed them, 0 without a bound
}

func (cfg *Config) watched() watched {
	for place := range cfg.Services {
		c := &cfg.Client.Call
		if place > 0 {
			c = &cfg.Services[place-1].Call
		}
		if c.Breaker == nil {
			continue
		}
		patience := c.patience()
		if c.RetryInsideBreaker && c.Total != off {
			patience = c.Total
		}
		return watched{place: place, patience: max(patience, 0)}
	}
	return watched{}
}

// Figures sums a run up with one of its windows as the fault: see [Config.Fault]. A
// window of no length is no fault.
func (r *Result) Figures(window int) Figures {
	w := &r.Windows[window]
	f := Figures{
		TripDelay: -1, RecoveryLag: -1,
		Requests: w.Requests, Reached: w.Reached, Mean: w.Mean, P99: w.P99,
		GoodRefused: r.Whole.Rejected - w.Rejected,
		Late:        r.Breakers[r.watched.place].Late,
	}
	late := w.To // until when trips belong to the fault
	if w.To > w.From {
		late += r.watched.patience
	}
	type which struct{ instance, target int }
	hit := map[which]bool{} // not closed at the end of the fault, or because of it
	for i := range r.Transitions {
		t := &r.Transitions[i]
		if t.Place != r.watched.place {
			continue
		}
		one := which{t.Instance, t.Target}
		trip := t.From == breaker.Closed && t.To == breaker.Open
		inside := t.At >= w.From && t.At < w.To
		after := t.At >= w.To && t.At < late
		switch {
		case trip && !inside && !after:
			f.FalseTrips++
		case t.To == breaker.Open && (inside || trip) && f.TripDelay < 0:
			f.TripDelay = t.At - w.From
		case t.To == breaker.HalfOpen && inside:
			f.Rounds++
		case t.To == breaker.Closed && t.At >= w.To && hit[one] && f.RecoveryLag < 0:
			f.RecoveryLag = t.At - w.To
		}
		if t.At < w.To || trip && after {
			hit[one] = t.To != breaker.Closed
		}
	}
	return f
}
