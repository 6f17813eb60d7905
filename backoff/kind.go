package backoff

import "fmt"

// Kind is how delays grow.
type Kind uint8

const (
	// Exponential multiplies the delay by Factor each time, up to Max. The
	// default.
	Exponential Kind = iota
	// Constant keeps it as it is: every delay is Initial, before jitter.
	Constant
)

// String returns "exponential" or "constant".
func (k Kind) String() string {
	switch k {
	case Exponential:
		return "exponential"
	case Constant:
		return "constant"
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// MarshalText writes the kind's name.
func (k Kind) MarshalText() ([]byte, error) {
	if k > Constant {
		return nil, fmt.Errorf("backoff: %v is no kind", k)
	}
	return []byte(k.String()), nil
}

// UnmarshalText reads a kind's name, exactly as [Kind.String] writes it.
func (k *Kind) UnmarshalText(text []byte) error {
	switch string(text) {
	case "exponential":
		*k = Exponential
	case "constant":
		*k = Constant
	default:
		return fmt.Errorf("backoff: %q is no kind; kinds are exponential and constant", text)
	}
	return nil
}
