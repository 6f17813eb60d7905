package switchgear

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Off switches a rule or a limit off where its field says that it accepts
// Off. A zero field means the documented default instead. Every other
// negative value, -1 included, is an error, so that a slip of the pen never
// switches protection off (rule Z1).
//
// It is an untyped constant that fits int, [time.Duration] and [Percent].
const Off = -1 << 31

// Percent is a share of calls in percent: 50 means half of them. It is kept
// in whole hundredths, so that a rate exactly on a threshold is recognised
// exactly (rule T1).
//
// A value strictly between 0 and 1 is refused by every validation, since 0.5
// most often was meant as 50.
type Percent float64

// Hundredths returns the percentage in whole hundredths of a percent, and
// whether it is one: finite, from 0 to 100, not strictly between 0 and 1, and
// with at most two decimals.
func (p Percent) Hundredths() (h int64, ok bool) {
	x := float64(p) * 100
	if !(x >= 0 && x <= 100_00) || (p > 0 && p < 1) {
		return 0, false
	}
	r := math.Round(x)
	return int64(r), math.Abs(x-r) < 1e-6
}

// String returns the percentage as people write it, such as "50 %", or "off".
func (p Percent) String() string {
	if p == Off {
		return "off"
	}
	return strconv.FormatFloat(float64(p), 'f', -1, 64) + " %"
}

// MarshalText writes a percentage as documents have it: "50%" or "off".
func (p Percent) MarshalText() ([]byte, error) {
	if p == Off {
		return []byte("off"), nil
	}
	return []byte(strconv.FormatFloat(float64(p), 'f', -1, 64) + "%"), nil
}

// UnmarshalText reads "50", "50%", "50 %" or "off". It checks only the
// syntax; bounds are checked with the rest of the configuration.
func (p *Percent) UnmarshalText(text []byte) error {
	s := strings.TrimSpace(string(text))
	if strings.EqualFold(s, "off") {
		*p = Off
		return nil
	}
	s = strings.TrimSpace(strings.TrimSuffix(s, "%"))
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return fmt.Errorf("%q is not a percentage such as 50 or 50%%", text)
	}
	*p = Percent(f)
	return nil
}

// Problem is one thing wrong, or doubtful, in a configuration.
type Problem struct {
	// Path names the field, such as "HalfOpen.Probes".
	Path string
	// Value is what was found there.
	Value any
	// Bound says what is allowed, or, of a warning, what will be done.
	Bound string
}

// String returns "HalfOpen.Probes = -1: must be from 1 to 100000".
func (p Problem) String() string { return fmt.Sprintf("%s = %v: %s", p.Path, p.Value, p.Bound) }

// ConfigError reports everything wrong with one configuration at once.
type ConfigError struct {
	// Policy is the kind of policy, such as "breaker".
	Policy string
	// Name is the name of the policy that was to be made.
	Name string
	// Problems holds at least one entry, in the order of the fields.
	Problems []Problem
}

// Error lists every problem.
func (e *ConfigError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %q: invalid configuration: ", e.Policy, e.Name)
	for i, p := range e.Problems {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(p.String())
	}
	return b.String()
}

// Is reports whether target is [ErrConfig].
func (e *ConfigError) Is(target error) bool { return target == ErrConfig }

// ErrConfig is matched, with errors.Is, by every [*ConfigError].
var ErrConfig = errors.New("switchgear: invalid configuration")
