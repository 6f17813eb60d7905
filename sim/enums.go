package sim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/switchgear-go/switchgear/sim/internal/random"
)

// nameOf returns the name of a value of an enumeration of the given kind.
func nameOf(kind string, names []string, v uint8) string {
	if int(v) < len(names) {
		return names[v]
	}
	return fmt.Sprintf("%s(%d)", kind, v)
}

func textOf(kind string, names []string, v uint8) ([]byte, error) {
	if int(v) < len(names) {
		return []byte(names[v]), nil
	}
	return nil, fmt.Errorf("sim: there is no %s %d", kind, v)
}

func valueOf(kind string, names []string, text []byte) (uint8, error) {
	if i := slices.Index(names, string(text)); i >= 0 {
		return uint8(i), nil
	}
	return 0, fmt.Errorf("sim: %q is no %s; there are %s", text, kind, strings.Join(names, ", "))
}

// A Generator is an algorithm that makes random numbers.
type Generator uint8

const (
	// PCG is PCG-DXSM of math/rand/v2, with an independent stream for each
	// purpose. The default.
	PCG = Generator(random.PCG)
	// MT19937 is the Mersenne Twister as CPython's random.Random has it, in the
	// draw order of the reference experiment: all arrivals of a Poisson load come
	// first, and the latencies of the first service are drawn from the same
	// generator after them. Everything else comes from the streams of PCG.
	MT19937 = Generator(random.MT19937)
)

var generatorNames = []string{"pcg", "mt19937"}

// String returns "pcg" or "mt19937".
func (g Generator) String() string { return nameOf("generator", generatorNames, uint8(g)) }

// MarshalText writes the generator's name.
func (g Generator) MarshalText() ([]byte, error) {
	return textOf("generator", generatorNames, uint8(g))
}

// UnmarshalText reads "pcg" or "mt19937".
func (g *Generator) UnmarshalText(text []byte) (err error) {
	*(*uint8)(g), err = valueOf("generator", generatorNames, text)
	return err
}

// LoadKind is how calls arrive.
type LoadKind uint8

const (
	// Poisson: calls arrive independently of each other, Rate a second on
	// average. The default.
	Poisson LoadKind = iota
	// Constant: one call every 1/Rate seconds.
	Constant
	// Bursts: Size calls at once, every Every.
	Bursts
	// Closed: a number of Users, each of whom thinks, calls, waits for the
	// answer, and thinks again.
	Closed
	// Recorded: calls arrive at the instants given as Arrivals.
	Recorded
)

var loadNames = []string{"poisson", "constant", "bursts", "closed", "recorded"}

// String returns the kind's name in lower case.
func (k LoadKind) String() string { return nameOf("load", loadNames, uint8(k)) }

// MarshalText writes the kind's name.
func (k LoadKind) MarshalText() ([]byte, error) { return textOf("load", loadNames, uint8(k)) }

// UnmarshalText reads a kind's name.
func (k *LoadKind) UnmarshalText(text []byte) (err error) {
	*(*uint8)(k), err = valueOf("load", loadNames, text)
	return err
}

// DistributionKind is the shape of a random duration.
type DistributionKind uint8

const (
	// Exponential: most are short, few are long. The default.
	Exponential DistributionKind = iota
	// LogNormal: its logarithm is normally distributed; Sigma says how long the
	// tail is.
	LogNormal
	// Fixed: always the mean.
	Fixed
	// Empirical: each of Values is as likely as any other.
	Empirical
)

var distributionNames = []string{"exponential", "lognormal", "constant", "empirical"}

// String returns the kind's name in lower case.
func (k DistributionKind) String() string {
	return nameOf("distribution", distributionNames, uint8(k))
}

// MarshalText writes the kind's name.
func (k DistributionKind) MarshalText() ([]byte, error) {
	return textOf("distribution", distributionNames, uint8(k))
}

// UnmarshalText reads a kind's name.
func (k *DistributionKind) UnmarshalText(text []byte) (err error) {
	*(*uint8)(k), err = valueOf("distribution", distributionNames, text)
	return err
}

// FaultKind is what goes wrong with a service.
type FaultKind uint8

const (
	// Outage: there is no answer at all. Whoever calls waits until its timeout.
	// The default.
	Outage FaultKind = iota
	// Errors: answers are errors, with a Probability.
	Errors
	// Slow: answers are good, and take Factor times as long.
	Slow
	// Throttle: calls above Limit a second are refused at once, with a Hint when
	// to come back.
	Throttle
	// Fragile: the service falls over, as in an outage, for Down, whenever more
	// than Limit calls arrive within a whole second of the run: from 3 s to before
	// 4 s, say. Calls that the service turns away count as well.
	Fragile
)

var faultNames = []string{"outage", "errors", "slow", "throttle", "fragile"}

// String returns the kind's name in lower case.
func (k FaultKind) String() string { return nameOf("fault", faultNames, uint8(k)) }

// MarshalText writes the kind's name.
func (k FaultKind) MarshalText() ([]byte, error) { return textOf("fault", faultNames, uint8(k)) }

// UnmarshalText reads a kind's name.
func (k *FaultKind) UnmarshalText(text []byte) (err error) {
	*(*uint8)(k), err = valueOf("fault", faultNames, text)
	return err
}

// Outcome is how a call of the client ended.
type Outcome uint8

const (
	// Succeeded: a good answer came.
	Succeeded Outcome = iota
	// Failed: an error came back.
	Failed
	// TimedOut: no answer came within the timeout, or within the total time.
	TimedOut
	// Rejected: a policy of the client refused the call, and nothing was ever sent
	// for it. One whose next attempt was refused ended as its last one had.
	Rejected
	// Shed: the client had no worker and no waiting place left.
	Shed
)

const outcomes = 5

var outcomeNames = []string{"ok", "error", "timeout", "rejected", "shed"}

// String returns "ok", "error", "timeout", "rejected" or "shed".
func (o Outcome) String() string { return nameOf("outcome", outcomeNames, uint8(o)) }

// MarshalText writes the outcome's name.
func (o Outcome) MarshalText() ([]byte, error) { return textOf("outcome", outcomeNames, uint8(o)) }

// UnmarshalText reads an outcome's name.
func (o *Outcome) UnmarshalText(text []byte) (err error) {
	*(*uint8)(o), err = valueOf("outcome", outcomeNames, text)
	return err
}
