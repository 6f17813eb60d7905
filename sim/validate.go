package sim

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/internal/check"
)

const (
	off = switchgear.Off

	maxServices  = 16
	maxInstances = 10_000
	maxFaults    = 64
	maxWindows   = 32
	maxRows      = 3600
	maxPlaces    = 1_000_000
	maxCalls     = 1e10
)

// settle returns cfg with every default filled in and what is doubtful about it, or an
// error that lists all that is wrong with it. The result shares no slice with cfg that the simulator
// would change.
func settle(cfg Config) (Config, []switchgear.Problem, error) {
	var c check.Checker
	if cfg.Name == "" {
		cfg.Name = "scenario"
	}
	c.Duration("Duration", &cfg.Duration, time.Minute, time.Millisecond, check.MaxDuration, false)
	if int(cfg.Generator) >= len(generatorNames) {
		c.Wrong("Generator", uint8(cfg.Generator), "must be pcg or mt19937")
	}
	checkLoad(&c, &cfg.Load, cfg.Duration)
	settleInstances(&c, "Client.Instances", &cfg.Client.Instances)
	settlePool(&c, "Client.Pool", &cfg.Client.Pool)

	cfg.Services = slices.Clone(cfg.Services)
	if len(cfg.Services) == 0 {
		cfg.Services = make([]Service, 1)
	}
	if n := len(cfg.Services); n > maxServices {
		c.Wrong("Services", n, "must be at most %d", maxServices)
	}
	for i := range cfg.Services {
		settleService(&c, fmt.Sprintf("Services[%d]", i), &cfg.Services[i], i, cfg.Duration)
	}
	for i := range cfg.Services {
		from, path, call := cfg.Client.Instances, "Client.Call", &cfg.Client.Call
		if i > 0 {
			s := &cfg.Services[i-1]
			from, path, call = s.Instances, fmt.Sprintf("Services[%d].Call", i-1), &s.Call
		}
		settleCall(&c, path, call, from, &cfg.Services[i])
	}
	if last := len(cfg.Services) - 1; cfg.Services[last].Call != (Call{}) {
		c.Wrong(fmt.Sprintf("Services[%d].Call", last), "set", "must be empty: the last service calls nobody")
	}
	settleWindows(&c, &cfg)
	least := max(cfg.Duration/maxRows, 1)
	if cfg.Row == 0 {
		cfg.Row = max(time.Second, (least + time.Second - 1).Truncate(time.Second))
	} else if cfg.Row < max(least, time.Millisecond) || cfg.Row > check.MaxDuration {
		c.Wrong("Row", cfg.Row, "must be from %v to %v: at most %d rows", max(least, time.Millisecond), check.MaxDuration, maxRows)
	}
	doubt(&c, &cfg)
	return cfg, c.Warnings, c.Err("sim", cfg.Name)
}

func checkLoad(c *check.Checker, l *Load, duration time.Duration) {
	if int(l.Kind) >= len(loadNames) {
		c.Wrong("Load.Kind", uint8(l.Kind), "must be poisson, constant, bursts, closed or recorded")
	}
	c.Float("Load.Rate", &l.Rate, 50, 0.001, 1e7)
	c.Int("Load.Size", &l.Size, 100, 1, 100_000, false)
	c.Duration("Load.Every", &l.Every, time.Second, time.Millisecond, check.MaxDuration, false)
	c.Int("Load.Users", &l.Users, 50, 1, 100_000, false)
	settleDistribution(c, "Load.Think", &l.Think, time.Second)
	if (l.Kind == Poisson || l.Kind == Constant) && l.Rate*duration.Seconds() > maxCalls {
		c.Wrong("Load.Rate", l.Rate, "must be at most %.6g: no more than %g calls in %v", maxCalls/duration.Seconds(), maxCalls, duration)
	}
	if l.Kind == Bursts && l.Every >= time.Millisecond {
		if bursts := math.Ceil(duration.Seconds() / l.Every.Seconds()); float64(l.Size)*bursts > maxCalls {
			c.Wrong("Load.Size", l.Size, "must be at most %.0f: no more than %g calls in %v", math.Floor(maxCalls/bursts), maxCalls, duration)
		}
	}
	if l.Kind == Closed && (l.Think.Kind != Empirical || len(l.Think.Values) > 0) {
		checkThinking(c, l, duration)
	}
	if l.Kind == Recorded && len(l.Arrivals) == 0 {
		c.Wrong("Load.Arrivals", "empty", "must have at least one instant")
	}
	for i, at := range l.Arrivals {
		if at < 0 || i > 0 && at < l.Arrivals[i-1] {
			c.Wrong(fmt.Sprintf("Load.Arrivals[%d]", i), at, "must not be negative, nor before the one it follows")
			break // one is enough: the rest is likely to be wrong in the same way
		}
	}
}

// checkThinking bounds how many calls the users of a closed load can make if they are
// all answered at once.
func checkThinking(c *check.Checker, l *Load, duration time.Duration) {
	path, mean := "Load.Think.Mean", l.Think.Mean.Seconds()
	if l.Think.Kind == Empirical {
		path, mean = "Load.Think.Values", 0
		for _, v := range l.Think.Values {
			mean += v.Seconds() / float64(len(l.Think.Values))
		}
	}
	if least := float64(l.Users) * duration.Seconds() / maxCalls; mean < least {
		c.Wrong(path, fromSeconds(mean), "must be at least %v on average: no more than %g calls of %d users in %v, if they do nothing but think", fromSeconds(least), maxCalls, l.Users, duration)
	}
}

func settleDistribution(c *check.Checker, path string, d *Distribution, mean time.Duration) {
	if int(d.Kind) >= len(distributionNames) {
		c.Wrong(path+".Kind", uint8(d.Kind), "must be exponential, lognormal, constant or empirical")
	}
	c.Duration(path+".Mean", &d.Mean, mean, 1, check.MaxDuration, false)
	c.Float(path+".Sigma", &d.Sigma, 1, 0.01, 5)
	if n := len(d.Values); d.Kind == Empirical && (n == 0 || n > maxPlaces) {
		c.Wrong(path+".Values", n, "must be from 1 to %d values", maxPlaces)
	}
	for i, v := range d.Values {
		if v < 0 || v > check.MaxDuration {
			c.Wrong(fmt.Sprintf("%s.Values[%d]", path, i), v, "must be from 0s to %v", check.MaxDuration)
			break
		}
	}
}

func settleInstances(c *check.Checker, path string, n *int) {
	c.Int(path, n, 1, 1, maxInstances, false)
}

func settlePool(c *check.Checker, path string, p *Pool) {
	c.Int(path+".Workers", &p.Workers, off, 1, maxPlaces, true)
	switch {
	case p.Workers != off:
		c.Int(path+".Queue", &p.Queue, 100, 1, maxPlaces, true)
	case p.Queue == 0 || p.Queue == off:
		p.Queue = off
	default:
		c.Wrong(path+".Queue", p.Queue, "must be empty without Workers: nobody waits")
	}
}

func settleService(c *check.Checker, path string, s *Service, place int, duration time.Duration) {
	if s.Name == "" {
		s.Name = string(rune('A' + place%26))
	}
	settleInstances(c, path+".Instances", &s.Instances)
	settlePool(c, path+".Pool", &s.Pool)
	settleDistribution(c, path+".Latency", &s.Latency, 20*time.Millisecond)
	c.Percent(path+".ErrorRate", &s.ErrorRate, off)
	s.Faults = slices.Clone(s.Faults)
	if n := len(s.Faults); n > maxFaults {
		c.Wrong(path+".Faults", n, "must be at most %d", maxFaults)
	}
	for i := range s.Faults {
		settleFault(c, fmt.Sprintf("%s.Faults[%d]", path, i), &s.Faults[i], duration)
	}
}

func settleFault(c *check.Checker, path string, f *Fault, duration time.Duration) {
	if int(f.Kind) >= len(faultNames) {
		c.Wrong(path+".Kind", uint8(f.Kind), "must be outage, errors, slow, throttle or fragile")
	}
	if f.From < 0 || f.From > check.MaxDuration {
		c.Wrong(path+".From", f.From, "must be from 0s to %v", check.MaxDuration)
	}
	if f.To == 0 {
		f.To = max(duration, f.From+1)
	} else if f.To <= f.From || f.To > check.MaxDuration {
		c.Wrong(path+".To", f.To, "must be later than From, and at most %v", check.MaxDuration)
	}
	if f.Every != 0 || f.For != 0 {
		if f.Every < 1 || f.Every > check.MaxDuration {
			c.Wrong(path+".Every", f.Every, "must be from 1ns to %v", check.MaxDuration)
		} else if f.For < 1 || f.For > f.Every {
			c.Wrong(path+".For", f.For, "must be from 1ns to Every, %v", f.Every)
		}
	}
	settleShare(c, path+".Share", &f.Share)
	settleShare(c, path+".Probability", &f.Probability)
	if f.Took < 0 || f.Took > check.MaxDuration {
		c.Wrong(path+".Took", f.Took, "must be from 0s to %v", check.MaxDuration)
	}
	c.Float(path+".Factor", &f.Factor, 10, 1, 1e6)
	c.Int(path+".Limit", &f.Limit, 10, 1, 10_000_000, false)
	c.Duration(path+".Hint", &f.Hint, time.Second, 1, check.MaxDuration, true)
	c.Duration(path+".Down", &f.Down, 5*time.Second, time.Millisecond, check.MaxDuration, false)
}

// settleShare is for a share that cannot be off.
func settleShare(c *check.Checker, path string, p *switchgear.Percent) {
	if *p == off {
		c.Wrong(path, "off", "must be from 1 to 100 percent")
		return
	}
	c.Percent(path, p, 100)
}

// settleWindows fills in the windows around the faults where none are given.
func settleWindows(c *check.Checker, cfg *Config) {
	if n := len(cfg.Windows); n > maxWindows {
		c.Wrong("Windows", n, "must be at most %d", maxWindows)
	}
	for i, w := range cfg.Windows {
		if w.From < 0 || w.To <= w.From || w.To > cfg.Duration {
			c.Wrong(fmt.Sprintf("Windows[%d]", i), fmt.Sprintf("%v to %v", w.From, w.To), "must lie within Duration, %v, and end after it begins", cfg.Duration)
		}
	}
	if len(cfg.Windows) > 0 {
		cfg.Windows = slices.Clone(cfg.Windows)
		return
	}
	from, to := time.Duration(math.MaxInt64), time.Duration(0)
	for _, s := range cfg.Services {
		for _, f := range s.Faults {
			from, to = min(from, f.From), max(to, f.To)
		}
	}
	from, to = min(from, cfg.Duration), min(to, cfg.Duration)
	for _, w := range []Window{{"before", 0, from}, {"fault", from, to}, {"after", to, cfg.Duration}} {
		if to > from && w.To > w.From {
			cfg.Windows = append(cfg.Windows, w)
		}
	}
}
