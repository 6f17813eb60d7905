// Package check validates configurations: it fills in defaults, compares values
// with their bounds, and collects everything that is wrong, so that one error
// reports it all (rule Z1).
//
// A policy runs one [Checker] over a copy of its Config, field by field, and asks
// for the error at the end.
package check

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/switchgear-go/switchgear"
)

const (
	// MaxDuration bounds the durations that people configure: 30 days.
	MaxDuration = 30 * 24 * time.Hour

	off = switchgear.Off
)

// A Checker collects what is wrong with a configuration, and what is doubtful. The
// zero value is ready. It is not safe for concurrent use.
type Checker struct {
	// Problems are errors: the configuration cannot be used.
	Problems []switchgear.Problem
	// Warnings say what will be done with values that make little sense.
	Warnings []switchgear.Problem
}

// Wrong adds a problem; bound is a format.
func (c *Checker) Wrong(path string, value any, bound string, args ...any) {
	c.Problems = append(c.Problems, switchgear.Problem{Path: path, Value: value, Bound: fmt.Sprintf(bound, args...)})
}

// Doubt adds a warning; effect is a format.
func (c *Checker) Doubt(path string, value any, effect string, args ...any) {
	c.Warnings = append(c.Warnings, switchgear.Problem{Path: path, Value: value, Bound: fmt.Sprintf(effect, args...)})
}

// Int settles a number: zero becomes def, and Off stays where it is allowed. A
// default is not compared with the bounds.
func (c *Checker) Int(path string, v *int, def, least, most int, offAllowed bool) {
	switch {
	case *v == 0:
		*v = def
	case *v == off && offAllowed:
	case *v < least || *v > most:
		c.Wrong(path, *v, "must be from %d to %d%s", least, most, orOff(offAllowed))
	}
}

// Duration settles a duration in the same way.
func (c *Checker) Duration(path string, v *time.Duration, def, least, most time.Duration, offAllowed bool) {
	switch {
	case *v == 0:
		*v = def
	case *v == off && offAllowed:
	case *v < least || *v > most:
		c.Wrong(path, *v, "must be from %v to %v%s", least, most, orOff(offAllowed))
	}
}

// Float settles a number that need not be whole: zero becomes def, and nothing
// switches it off. NaN is outside every bound.
func (c *Checker) Float(path string, v *float64, def, least, most float64) {
	if *v == 0 {
		*v = def
	} else if !(*v >= least && *v <= most) {
		c.Wrong(path, *v, "must be from %v to %v", least, most)
	}
}

// Percent settles a percentage from 1 to 100, or Off, and returns it in hundredths
// of a percent; 0 if it is off or wrong.
func (c *Checker) Percent(path string, v *switchgear.Percent, def switchgear.Percent) int64 {
	if *v == 0 {
		*v = def
	}
	if *v == off {
		return 0
	}
	if *v > 0 && *v < 1 {
		c.Wrong(path, float64(*v), "must be in percent, from 1 to 100, or Off; did you mean %v?", switchgear.Percent(math.Round(float64(*v)*100_00)/100))
		return 0
	}
	h, ok := v.Hundredths()
	if !ok {
		c.Wrong(path, float64(*v), "must be from 1 to 100 percent with at most two decimals, or Off")
	}
	return h
}

// Part adds the problems in err, which a part's New returned, under the part's
// path. It reports whether err was nil.
func (c *Checker) Part(path string, err error) bool {
	if invalid, ok := errors.AsType[*switchgear.ConfigError](err); ok {
		for _, p := range invalid.Problems {
			p.Path = path + "." + p.Path
			c.Problems = append(c.Problems, p)
		}
	} else if err != nil {
		c.Wrong(path, err.Error(), "must be valid")
	}
	return err == nil
}

// Err returns a [*switchgear.ConfigError] with all problems, or nil if there are
// none.
func (c *Checker) Err(policy, name string) error {
	if len(c.Problems) == 0 {
		return nil
	}
	return &switchgear.ConfigError{Policy: policy, Name: name, Problems: c.Problems}
}

func orOff(allowed bool) string {
	if allowed {
		return ", or Off"
	}
	return ""
}
