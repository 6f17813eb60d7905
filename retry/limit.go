package retry

import "fmt"

// Limit is what ended a loop whose last error was worth another attempt.
type Limit uint8

const (
	// NoLimit: the loop goes on, or an attempt ended well or with a final error.
	NoLimit Limit = iota
	// ByAttempts: there have been as many attempts as allowed.
	ByAttempts
	// ByElapsed: the next attempt would not have begun within MaxElapsed.
	ByElapsed
	// ByBudget: the budget had nothing left.
	ByBudget
	// ByDeadline: the caller's deadline has passed, or would have before the
	// next attempt.
	ByDeadline
	// ByHint: the dependency asked for a wait longer than MaxHint.
	ByHint
	// ByRefusal: another policy refused the attempt.
	ByRefusal
	// ByCancellation: the caller gave up.
	ByCancellation
)

const limits = 8

var limitNames = [limits]string{"none", "attempts", "elapsed", "budget", "deadline", "hint", "refused", "cancelled"}

// String returns the limit's name in lower case, such as "attempts".
func (l Limit) String() string {
	if l < limits {
		return limitNames[l]
	}
	return fmt.Sprintf("Limit(%d)", uint8(l))
}

// MarshalText writes the limit's name.
func (l Limit) MarshalText() ([]byte, error) {
	if l >= limits {
		return nil, fmt.Errorf("retry: %v is no limit", l)
	}
	return []byte(l.String()), nil
}

// UnmarshalText reads a limit's name, exactly as [Limit.String] writes it.
func (l *Limit) UnmarshalText(text []byte) error {
	for i, name := range limitNames {
		if name == string(text) {
			*l = Limit(i)
			return nil
		}
	}
	return fmt.Errorf("retry: %q is no limit; limits are %v", text, limitNames)
}
