package report

import (
	"slices"
	"time"

	"github.com/switchgear-go/switchgear/sim"
)

// A figure is one number that sums a run up.
type figure struct {
	name  string
	about string // what it means, for those who see it for the first time
	of    func(*Run) string
}

// A group is a set of figures about the same calls.
type group struct {
	name    string
	figures []figure
}

// fault returns the window that the figures of the fault are about, nil if the run
// has none.
func fault(run *Run) *sim.WindowResult {
	i, ok := run.Config.Fault()
	if !ok || i >= len(run.Result.Windows) {
		return nil
	}
	return &run.Result.Windows[i]
}

// faultFigures returns what a breaker did in the fault and outside it.
func faultFigures(run *Run) (f sim.Figures, ok bool) {
	if fault(run) == nil || len(run.Result.Breakers) == 0 {
		return f, false
	}
	i, _ := run.Config.Fault()
	return run.Result.Figures(i), true
}

// guarded reports whether any breaker of the run could refuse a call.
func guarded(c *sim.Config) bool {
	for place := range len(c.Services) {
		if calls(c, place).Breaker != nil {
			return true
		}
	}
	return false
}

// calls returns how a place calls the next one: 0 is the client.
func calls(c *sim.Config, place int) *sim.Call {
	if place == 0 {
		return &c.Client.Call
	}
	return &c.Services[place-1].Call
}

func whole(of func(*sim.Summary) string) func(*Run) string {
	return func(r *Run) string { return of(&r.Result.Whole) }
}

func inFault(of func(*sim.WindowResult) string) func(*Run) string {
	return func(r *Run) string {
		if w := fault(r); w != nil {
			return of(w)
		}
		return none
	}
}

// ofBreaker is for figures that only a breaker can have.
func ofBreaker(of func(*sim.Figures) string) func(*Run) string {
	return func(r *Run) string {
		f, ok := faultFigures(r)
		if !ok || !guarded(&r.Config) {
			return none
		}
		return of(&f)
	}
}

// groups returns the figures of these runs, in the order in which to read them.
func groups(runs []Run) []group {
	all := []group{
		{"Whole run", []figure{
			{"requests", "calls that the client wanted to make", whole(func(s *sim.Summary) string { return count(s.Requests) })},
			{"reached", "calls that were sent to the dependency", whole(func(s *sim.Summary) string { return count(s.Reached) })},
			{"attempts", "times something was sent for them: more than reached where calls are tried again", whole(func(s *sim.Summary) string { return count(s.Attempts) })},
			{"succeeded", "calls with a good answer", whole(func(s *sim.Summary) string { return count(s.Succeeded) })},
			{"failed", "calls that came back with an error", whole(func(s *sim.Summary) string { return count(s.Failed) })},
			{"timed out", "calls without an answer in time", whole(func(s *sim.Summary) string { return count(s.TimedOut) })},
			{"rejected", "calls that were refused at once, by a breaker or another policy", whole(func(s *sim.Summary) string { return count(s.Rejected) })},
			{"shed", "calls for which the client had no worker and no place to wait", whole(func(s *sim.Summary) string { return count(s.Shed) })},
			{"mean latency", "how long a call took on average, refused ones included", whole(func(s *sim.Summary) string { return took(s.Mean) })},
			{"p50 latency", "half of the calls took at most so long", whole(func(s *sim.Summary) string { return took(s.P50) })},
			{"p99 latency", "99 of 100 calls took at most so long", whole(func(s *sim.Summary) string { return took(s.P99) })},
		}},
		{inWindow(runs) + when(runs), []figure{
			{"requests", "calls that the client wanted to make meanwhile", inFault(func(w *sim.WindowResult) string { return count(w.Requests) })},
			{"reached", "those that were sent to the sick dependency", inFault(func(w *sim.WindowResult) string { return count(w.Reached) })},
			{"share that reached", "the same in percent: the load that the dependency is not spared", inFault(func(w *sim.WindowResult) string { return percent(w.Share()) })},
			{"mean latency", "how long a call took on average, refused ones included", inFault(func(w *sim.WindowResult) string { return took(w.Mean) })},
			{"p99 latency", "99 of 100 calls took at most so long", inFault(func(w *sim.WindowResult) string { return took(w.P99) })},
			{"in flight, mean", "calls waiting for the dependency at the same time, on average", inFault(func(w *sim.WindowResult) string { return short(w.InFlight) })},
			{"in flight, most", "and the largest number of them", inFault(func(w *sim.WindowResult) string { return count(w.Peak) })},
		}},
		{"Breaker", []figure{
			{"trip delay", "from the beginning of the fault until a breaker first opened", ofBreaker(func(f *sim.Figures) string { return took(f.TripDelay) })},
			{"rounds in the fault", "how often it asked with probes whether the dependency is back", ofBreaker(func(f *sim.Figures) string { return count(f.Rounds) })},
			{"recovery lag", "from the end of the fault until a breaker was closed again", ofBreaker(func(f *sim.Figures) string { return took(f.RecoveryLag) })},
			{"false trips", "times it opened while nothing was wrong", ofBreaker(func(f *sim.Figures) string { return count(f.FalseTrips) })},
			{"good calls refused", "calls refused outside the fault", ofBreaker(func(f *sim.Figures) string { return count(f.GoodRefused) })},
		}},
	}
	all = append(all, policies(runs)...)
	var some []group
	for _, g := range all {
		if g.exists(runs) {
			some = append(some, g)
		}
	}
	return some
}

// exists reports whether any run has any of the figures.
func (g *group) exists(runs []Run) bool {
	return slices.ContainsFunc(g.figures, func(f figure) bool { return f.exists(runs) })
}

func (f *figure) exists(runs []Run) bool {
	return slices.ContainsFunc(runs, func(r Run) bool { return f.of(&r) != none })
}

// inWindow names the group of the fault: by its window, if the scenario has one of its
// own that all runs have.
func inWindow(runs []Run) string {
	name := ""
	for i := range runs {
		w := fault(&runs[i])
		if w == nil || i > 0 && w.Name != name {
			return "In the fault"
		}
		name = w.Name
	}
	if name = plain(name); name == "" || name == "fault" {
		return "In the fault"
	}
	return "In the window " + name
}

// when says when the fault was, if that is the same for all runs.
func when(runs []Run) string {
	var from, to time.Duration
	for i := range runs {
		w := fault(&runs[i])
		if w == nil || i > 0 && (w.From != from || w.To != to) {
			return ""
		}
		from, to = w.From, w.To
	}
	return " (" + round(from) + " to " + round(to) + ")"
}
