package backoff

import "fmt"

// Jitter is how delays are spread, so that callers that failed together do not
// come back together. In what follows, the delay is what Kind gives.
type Jitter uint8

const (
	// Full draws evenly from Floor to the delay. It spreads most, and makes the
	// least load. The default.
	Full Jitter = iota
	// Equal keeps one half of the delay and draws the other.
	Equal
	// Decorrelated draws from Initial to Factor times the previous delay, at most
	// Max: the next delay depends on the last one drawn, not on the number of the
	// attempt.
	Decorrelated
	// None waits for exactly the delay.
	None
)

var jitterNames = [...]string{"full", "equal", "decorrelated", "none"}

// String returns the jitter's name in lower case.
func (j Jitter) String() string {
	if int(j) < len(jitterNames) {
		return jitterNames[j]
	}
	return fmt.Sprintf("Jitter(%d)", uint8(j))
}

// MarshalText writes the jitter's name.
func (j Jitter) MarshalText() ([]byte, error) {
	if j > None {
		return nil, fmt.Errorf("backoff: %v is no jitter", j)
	}
	return []byte(j.String()), nil
}

// UnmarshalText reads a jitter's name, exactly as [Jitter.String] writes it.
func (j *Jitter) UnmarshalText(text []byte) error {
	for i, name := range jitterNames {
		if name == string(text) {
			*j = Jitter(i)
			return nil
		}
	}
	return fmt.Errorf("backoff: %q is no jitter; jitters are full, equal, decorrelated and none", text)
}
