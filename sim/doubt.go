package sim

import (
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear/internal/check"
)

// doubt adds warnings about settings of a scenario that have no effect. It has all its
// defaults, so what is at its default is not told from what was not set.
func doubt(c *check.Checker, cfg *Config) {
	d := doubter{c}
	l := &cfg.Load
	d.idle("Load.Rate", l.Rate, 50, l.Kind == Poisson || l.Kind == Constant, l.Kind)
	d.idle("Load.Size", l.Size, 100, l.Kind == Bursts, l.Kind)
	d.idle("Load.Every", l.Every, time.Second, l.Kind == Bursts, l.Kind)
	d.idle("Load.Users", l.Users, 50, l.Kind == Closed, l.Kind)
	d.idle("Load.Arrivals", len(l.Arrivals), 0, l.Kind == Recorded, l.Kind)
	if l.Kind == Closed {
		d.distribution("Load.Think", &l.Think, time.Second)
	} else if t := &l.Think; t.Kind != Exponential || t.Mean != time.Second || t.Sigma != 1 || len(t.Values) > 0 {
		c.Doubt("Load.Think", "set", "has no effect with Kind = %v", l.Kind)
	}
	for i := range cfg.Services {
		s, path := &cfg.Services[i], fmt.Sprintf("Services[%d]", i)
		d.distribution(path+".Latency", &s.Latency, 20*time.Millisecond)
		for j := range s.Faults {
			d.fault(fmt.Sprintf("%s.Faults[%d]", path, j), &s.Faults[j], cfg.Duration)
		}
	}
}

type doubter struct{ *check.Checker }

// idle warns of a setting that is not at its default although its Kind does not use it.
func (d doubter) idle(path string, v, def any, used bool, kind fmt.Stringer) {
	if !used && fmt.Sprint(v) != fmt.Sprint(def) {
		d.Doubt(path, v, "has no effect with Kind = %v", kind)
	}
}

func (d doubter) distribution(path string, s *Distribution, mean time.Duration) {
	d.idle(path+".Mean", s.Mean, mean, s.Kind != Empirical, s.Kind)
	d.idle(path+".Sigma", s.Sigma, 1, s.Kind == LogNormal, s.Kind)
	d.idle(path+".Values", len(s.Values), 0, s.Kind == Empirical, s.Kind)
}

func (d doubter) fault(path string, f *Fault, duration time.Duration) {
	if f.From >= duration {
		d.Doubt(path+".From", f.From, "is not before the end of the run, %v: the fault never begins", duration)
	}
	d.idle(path+".Probability", float64(f.Probability), 100, f.Kind == Errors, f.Kind)
	d.idle(path+".Took", f.Took, time.Duration(0), f.Kind == Errors, f.Kind)
	d.idle(path+".Factor", f.Factor, 10, f.Kind == Slow, f.Kind)
	d.idle(path+".Limit", f.Limit, 10, f.Kind == Throttle || f.Kind == Fragile, f.Kind)
	d.idle(path+".Hint", f.Hint, time.Second, f.Kind == Throttle, f.Kind)
	d.idle(path+".Down", f.Down, 5*time.Second, f.Kind == Fragile, f.Kind)
}
