package inject

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/internal/check"
)

// Config says how calls are disturbed while the injector is on. It is plain data. The
// zero value disturbs nothing; a zero field means the default that its comment names.
type Config struct {
	// Faults are gone through in order for each call. At most 100, with at most
	// 1,000 keys in all.
	Faults []Fault

	// MaxHang bounds how long a call hangs whose context does not end. Default 1
	// min; from 1 ns to 30 days.
	MaxHang time.Duration

	// Seed decides which calls are struck, with the number of the call. The same
	// seed strikes the same numbers. Default: drawn by New, and then found in
	// [Injector.Config]. It has no effect with [WithRandom].
	Seed uint64
}

// A Fault is one way in which calls are disturbed.
type Fault struct {
	// Kind is what happens to a call that is struck. It must be set.
	Kind Kind

	// Probability is the share of the fault's calls that are struck. Zero, other
	// than in most configurations, is no default: it strikes none. From 1 to
	// 100, at most two decimals, or 0.
	Probability switchgear.Percent

	// Keys are the calls that the fault is about: those whose key is among them.
	// None means all calls. A key has 1 to 256 bytes. See [WithKey].
	Keys []string

	// Delay is how long a call that is struck by [Latency] waits before it is
	// made. It must be set there, from 1 ns to 30 days, and nowhere else.
	Delay time.Duration

	// Message is added to the text of the error of [Failure], [Hang] and
	// [Panic]. At most 256 bytes.
	Message string
}

// Kind is what a fault does to a call.
type Kind uint8

const (
	_ Kind = iota
	// Failure makes the call fail at once. In documents: "error".
	Failure
	// Latency makes the call wait before it is made.
	Latency
	// Hang makes the call wait until its context ends, or for [Config.MaxHang],
	// and then fail.
	Hang
	// Panic makes the call panic, with an [*Error] as the value.
	Panic
)

const kinds = 5

var kindNames = [kinds]string{"none", "error", "latency", "hang", "panic"}

// String returns "error", "latency", "hang" or "panic".
func (k Kind) String() string {
	if k < kinds {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// MarshalText writes the kind's name.
func (k Kind) MarshalText() ([]byte, error) {
	if k == 0 || k >= kinds {
		return nil, fmt.Errorf("inject: %v is no kind of fault", k)
	}
	return []byte(kindNames[k]), nil
}

// UnmarshalText reads a kind's name, exactly as [Kind.String] writes it.
func (k *Kind) UnmarshalText(text []byte) error {
	if i := slices.Index(kindNames[1:], string(text)); i >= 0 {
		*k = Kind(i + 1)
		return nil
	}
	return fmt.Errorf("inject: %q is no kind of fault; kinds are %v", text, kindNames[1:])
}

const (
	maxFaults = 100
	maxKeys   = 1000
	maxText   = 256 // bytes of a key, and of a message
)

// clone returns a copy that shares nothing with cfg.
func (cfg Config) clone() Config {
	cfg.Faults = slices.Clone(cfg.Faults)
	for i := range cfg.Faults {
		cfg.Faults[i].Keys = slices.Clone(cfg.Faults[i].Keys)
	}
	return cfg
}

// validate fills in the defaults.
func (cfg *Config) validate(name string) (warnings []switchgear.Problem, err error) {
	var c check.Checker
	if n := len(cfg.Faults); n > maxFaults {
		c.Wrong("Faults", n, "must be at most %d", maxFaults)
		cfg.Faults = cfg.Faults[:maxFaults] // the error need not be longer than that
	}
	keys := 0
	for i := range cfg.Faults {
		cfg.Faults[i].validate(&c, fmt.Sprintf("Faults[%d].", i))
		keys += len(cfg.Faults[i].Keys)
	}
	if keys > maxKeys {
		c.Wrong("Faults", keys, "must have at most %d keys in all", maxKeys)
	}
	c.Duration("MaxHang", &cfg.MaxHang, time.Minute, 1, check.MaxDuration, false)
	for cfg.Seed == 0 {
		cfg.Seed = rand.Uint64()
	}
	return c.Warnings, c.Err(source, name)
}

func (f *Fault) validate(c *check.Checker, path string) {
	if f.Kind == 0 || f.Kind >= kinds {
		c.Wrong(path+"Kind", f.Kind, "must be one of %v", kindNames[1:])
	}
	switch h, ok := f.Probability.Hundredths(); {
	case !ok:
		c.Wrong(path+"Probability", float64(f.Probability), "must be from 1 to 100 percent with at most two decimals, or 0 for never")
	case h == 0:
		c.Doubt(path+"Probability", f.Probability, "the fault strikes no call")
	}
	for i, key := range f.Keys {
		if i == maxKeys {
			break // too many anyway
		}
		if n := len(key); n == 0 || n > maxText {
			c.Wrong(fmt.Sprintf("%sKeys[%d]", path, i), fmt.Sprintf("%.20q", key), "must have from 1 to %d bytes, not %d", maxText, n)
		}
	}
	if f.Kind == Latency {
		if f.Delay == 0 {
			c.Wrong(path+"Delay", f.Delay, "must be from 1ns to %v: there is no default", check.MaxDuration)
		}
		c.Duration(path+"Delay", &f.Delay, 0, 1, check.MaxDuration, false)
	} else if f.Delay != 0 {
		c.Wrong(path+"Delay", f.Delay, "must be 0 unless Kind is latency")
	}
	switch {
	case f.Kind == Latency && f.Message != "":
		c.Wrong(path+"Message", fmt.Sprintf("%.20q", f.Message), "must be empty where Kind is latency: such a call does not fail")
	case len(f.Message) > maxText:
		c.Wrong(path+"Message", fmt.Sprintf("%.20q", f.Message), "must have at most %d bytes, not %d", maxText, len(f.Message))
	}
}
