package breaker

import "fmt"

// State is one of the six states of a breaker.
type State uint8

const (
	// Closed lets every call through and records its outcome (rule S1).
	Closed State = iota
	// Open refuses every call until its interval has passed (rule S2).
	Open
	// HalfOpen admits a bounded number of probes (rule S3).
	HalfOpen
	// Disabled admits everything and judges nothing (rule S4).
	Disabled
	// MetricsOnly admits everything and records, but never trips; elsewhere
	// this is called "forced closed" (rule S4).
	MetricsOnly
	// ForcedOpen refuses everything (rule S4).
	ForcedOpen
)

const states = 6

var stateNames = [states]string{"CLOSED", "OPEN", "HALF_OPEN", "DISABLED", "METRICS_ONLY", "FORCED_OPEN"}

// String returns the state's name as the field writes it, such as "HALF_OPEN".
func (s State) String() string {
	if s < states {
		return stateNames[s]
	}
	return fmt.Sprintf("State(%d)", uint8(s))
}

// MarshalText writes the state's name.
func (s State) MarshalText() ([]byte, error) {
	if s >= states {
		return nil, fmt.Errorf("breaker: %v is no state", s)
	}
	return []byte(stateNames[s]), nil
}

// UnmarshalText reads a state's name, exactly as [State.String] writes it.
func (s *State) UnmarshalText(text []byte) error {
	for i, name := range stateNames {
		if name == string(text) {
			*s = State(i)
			return nil
		}
	}
	return fmt.Errorf("breaker: %q is no state; states are %v", text, stateNames)
}

// operator reports whether only an operator or an expiry leaves the state.
func (s State) operator() bool { return s == Disabled || s == MetricsOnly || s == ForcedOpen }

// admits reports whether every call is let through.
func (s State) admits() bool { return s == Closed || s == Disabled || s == MetricsOnly }

// records reports whether outcomes go into the window of admitted calls.
func (s State) records() bool { return s == Closed || s == MetricsOnly }
