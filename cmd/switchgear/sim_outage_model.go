package main

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/evidence"
	"github.com/switchgear-go/switchgear/sim"
)

// An outageModel is the reference experiment with the changes that flags have made.
// The same flags serve for the command line and for --sweep.
type outageModel struct {
	cfg       sim.Config // with a breaker
	breaker   breaker.Config
	window    string // read when its type is known
	timed     bool
	noBreaker bool
	evidence  bool
	test      evidence.Config
}

func newOutageModel() outageModel {
	m := outageModel{cfg: sim.ReferenceConfig(true), window: "20"}
	m.cfg.Name = "outage"
	m.cfg.Windows = nil // they follow from the fault
	m.breaker = *m.cfg.Client.Call.Breaker
	return m
}

// clone returns a copy that shares nothing with m.
func (m *outageModel) clone() outageModel {
	c := *m
	c.cfg.Services = slices.Clone(m.cfg.Services)
	c.cfg.Services[0].Faults = slices.Clone(m.cfg.Services[0].Faults)
	return c
}

// outagePaths are the fields of the configuration that the flags set, to tell of a
// problem in their words.
var outagePaths = []struct{ path, flag string }{
	{"Duration", "duration"},
	{"Load.Rate", "rate"},
	{"Services[0].Latency.Mean", "latency-mean"},
	{"Services[0].ErrorRate", "error-rate"},
	{"Services[0].Faults[0].From", "fault-start"},
	{"Services[0].Faults[0].To", "fault-end"},
	{"Client.Call.Timeout", "timeout"},
	{"Client.Call.Breaker.Window.Calls", "window"},
	{"Client.Call.Breaker.Window.Length", "window"},
	{"Client.Call.Breaker.MinimumCalls", "min-calls"},
	{"Client.Call.Breaker.FailureRate", "failure-rate"},
	{"Client.Call.Breaker.ConsecutiveFailures", "consecutive"},
	{"Client.Call.Breaker.Evidence.Healthy", "evidence-healthy"},
	{"Client.Call.Breaker.Evidence.Sick", "evidence-sick"},
	{"Client.Call.Breaker.Evidence.CallsPerFalseTrip", "evidence-budget"},
	{"Client.Call.Breaker.Evidence.Burst", "evidence-burst"},
	{"Client.Call.Breaker.Evidence.Memory", "evidence-memory"},
	{"Client.Call.Breaker.Open.Wait", "wait"},
	{"Client.Call.Breaker.Open.Jitter", "jitter"},
	{"Client.Call.Breaker.HalfOpen.Probes", "probes"},
}

// register defines the flags of the model, with what it holds as their defaults. To a
// configuration zero means a default, and so it is refused here, or means off; all
// other bounds are the configuration's.
func (m *outageModel) register(flags *flag.FlagSet) {
	b, service := &m.breaker, &m.cfg.Services[0]
	fault := &service.Faults[0]

	positive(flags, "rate", &m.cfg.Load.Rate)
	span(flags, "duration", &m.cfg.Duration)
	span(flags, "latency-mean", &service.Latency.Mean)
	span(flags, "timeout", &m.cfg.Client.Call.Timeout)
	span(flags, "fault-start", &fault.From)
	span(flags, "fault-end", &fault.To)
	share(flags, "error-rate", &service.ErrorRate, 100, true)
	flags.TextVar(&m.cfg.Generator, "rng", m.cfg.Generator, "")

	flags.BoolVar(&m.noBreaker, "no-breaker", m.noBreaker, "")
	flags.StringVar(&m.window, "window", m.window, "")
	flags.Func("window-type", "", func(text string) error {
		if text != "count" && text != "time" {
			return errors.New("must be count or time")
		}
		m.timed = text == "time"
		return nil
	})
	amount(flags, "min-calls", &b.MinimumCalls, false)
	share(flags, "failure-rate", &b.FailureRate, 100, false)
	amount(flags, "consecutive", &b.ConsecutiveFailures, true)
	span(flags, "wait", &b.Open.Wait)
	share(flags, "jitter", &b.Open.Jitter, 50, true)
	amount(flags, "probes", &b.HalfOpen.Probes, false)

	flags.BoolVar(&m.evidence, "evidence", m.evidence, "")
	rate(flags, "evidence-healthy", &m.test.Healthy)
	rate(flags, "evidence-sick", &m.test.Sick)
	positive(flags, "evidence-budget", &m.test.CallsPerFalseTrip)
	positive(flags, "evidence-burst", &m.test.Burst)
	spanOrOff(flags, "evidence-memory", &m.test.Memory)
}

// keys are the names of the flags.
func (m *outageModel) keys() (names []string) {
	var flags flag.FlagSet
	c := m.clone()
	c.register(&flags)
	flags.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	return names
}

// set changes one value, as its flag would.
func (m *outageModel) set(key, value string) error {
	var flags flag.FlagSet
	m.register(&flags)
	if flags.Lookup(key) == nil {
		return fmt.Errorf("there is no flag --%s to sweep; there are %s", key, strings.Join(m.keys(), ", "))
	}
	if err := flags.Set(key, value); err != nil {
		return fmt.Errorf("invalid value %q for --%s: %w", value, key, err)
	}
	return nil
}

// configs returns the configurations without and with a breaker, or what is wrong
// with them in the words of the flags.
func (m *outageModel) configs() (without, with sim.Config, err error) {
	own := m.breaker
	if own.Window, err = m.windowConfig(); err != nil {
		return without, with, err
	}
	if m.evidence {
		test := m.test
		own.Evidence = &test
	}
	with = m.cfg
	with.Client.Call.Breaker = &own
	without = with
	without.Client.Call.Breaker = nil
	fault := &with.Services[0].Faults[0]
	if fault.From >= fault.To {
		return without, with, fmt.Errorf("invalid value %v for --fault-end: must be later than --fault-start, %v", fault.To, fault.From)
	}
	if fault.To > with.Duration {
		return without, with, fmt.Errorf("invalid value %v for --fault-end: must be at most --duration, %v", fault.To, with.Duration)
	}
	if _, err = sim.New(with); err != nil {
		return without, with, inFlags(err)
	}
	return without, with, nil
}

func (m *outageModel) windowConfig() (w breaker.WindowConfig, err error) {
	if m.timed {
		if w.Length, err = time.ParseDuration(m.window); err != nil || w.Length <= 0 {
			return w, fmt.Errorf("invalid value %q for --window: must be a duration above 0, such as 10s, with --window-type time", m.window)
		}
		return w, nil
	}
	if w.Calls, err = strconv.Atoi(m.window); err != nil || w.Calls <= 0 {
		return w, fmt.Errorf("invalid value %q for --window: must be a number of calls from 1, or have --window-type time", m.window)
	}
	return w, nil
}

// inFlags puts what is wrong with a configuration in the words of the flags.
func inFlags(err error) error {
	invalid, ok := errors.AsType[*switchgear.ConfigError](err)
	if !ok {
		return err
	}
	var all []string
	for _, p := range invalid.Problems {
		name := p.Path
		for _, known := range outagePaths {
			if known.path == p.Path {
				name = "--" + known.flag
			}
		}
		all = append(all, fmt.Sprintf("invalid value %v for %s: %s", p.Value, name, p.Bound))
	}
	return errors.New(strings.Join(all, "; "))
}

// span is a flag for a duration that is not zero.
func span(flags *flag.FlagSet, name string, value *time.Duration) {
	flags.Func(name, "", func(text string) error {
		d, err := time.ParseDuration(text)
		if err != nil || d <= 0 {
			return errors.New("must be a duration above 0, such as 1.5s or 20ms")
		}
		*value = d
		return nil
	})
}

func spanOrOff(flags *flag.FlagSet, name string, value *time.Duration) {
	flags.Func(name, "", func(text string) error {
		d, err := time.ParseDuration(text)
		switch {
		case text == "off":
			d = switchgear.Off
		case err != nil || d <= 0:
			return errors.New("must be a duration above 0, such as 30m, or off")
		}
		*value = d
		return nil
	})
}

// positive is a flag for a number that need not be whole.
func positive(flags *flag.FlagSet, name string, value *float64) {
	flags.Func(name, "", func(text string) error {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || !(f > 0) || math.IsInf(f, 1) {
			return errors.New("must be a number above 0")
		}
		*value = f
		return nil
	})
}

// rate is a flag for a part of one.
func rate(flags *flag.FlagSet, name string, value *float64) {
	flags.Func(name, "", func(text string) error {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || !(f > 0 && f < 1) {
			return errors.New("must be a number between 0 and 1, such as 0.05")
		}
		*value = f
		return nil
	})
}

// share is a flag for a percentage up to most. Where zero is as good as none, it means
// off.
func share(flags *flag.FlagSet, name string, value *switchgear.Percent, most switchgear.Percent, zero bool) {
	flags.Func(name, "", func(text string) error {
		var p switchgear.Percent
		err := p.UnmarshalText([]byte(text))
		if p == 0 && zero {
			p = switchgear.Off
		}
		if _, whole := p.Hundredths(); err != nil || p == 0 || p > most || !whole && p != switchgear.Off {
			return fmt.Errorf("must be from 1 to %v percent with at most two decimals, or off", float64(most))
		}
		*value = p
		return nil
	})
}

// amount is a flag for a whole number that is not zero; or zero means off.
func amount(flags *flag.FlagSet, name string, value *int, zero bool) {
	flags.Func(name, "", func(text string) error {
		n, err := strconv.Atoi(text)
		switch {
		case zero && (text == "off" || text == "0"):
			n = switchgear.Off
		case err != nil || n < 1:
			if zero {
				return errors.New("must be a whole number from 1, or off")
			}
			return errors.New("must be a whole number from 1")
		}
		*value = n
		return nil
	})
}
