package ratelimit

import (
	"fmt"
	"time"
)

// Kind is how calls are counted.
type Kind uint8

const (
	// TokenBucket allows Burst + Rate·t calls in any time t. The default.
	TokenBucket Kind = iota
	// SlidingWindow allows Burst calls in any time of length Burst/Rate.
	SlidingWindow
)

var kindNames = [...]string{"tokenbucket", "slidingwindow"}

// String returns "tokenbucket" or "slidingwindow".
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// MarshalText writes the kind's name. It is an error if there is no such kind.
func (k Kind) MarshalText() ([]byte, error) {
	if int(k) >= len(kindNames) {
		return nil, fmt.Errorf("ratelimit: %v is no kind", k)
	}
	return []byte(k.String()), nil
}

// UnmarshalText reads "tokenbucket" or "slidingwindow".
func (k *Kind) UnmarshalText(text []byte) error {
	for i, name := range kindNames {
		if string(text) == name {
			*k = Kind(i)
			return nil
		}
	}
	return fmt.Errorf("ratelimit: %q is no kind; kinds are tokenbucket and slidingwindow", text)
}

// Config says how many calls may begin. It is plain data; a zero field means the
// default its comment names.
type Config struct {
	// Kind is how calls are counted. Default [TokenBucket].
	Kind Kind

	// Rate is the number of calls a second, in the long run. There is no default: a
	// limiter without a limit, or one that admits nothing, is nobody's wish. From
	// 0.000001 to 100,000,000, kept in billionths. [math.Inf](1) admits everything. Off
	// means that nothing is ever refilled: Burst calls are admitted in all.
	Rate float64

	// Burst is how many calls may begin at once, and the most that one call may
	// ask for. Default Rate, rounded up; from 1 to 1,000,000,000. A [SlidingWindow]
	// takes at most 10,000, also by default, and its length, Burst/Rate, is at most 30
	// days. It has no effect, and no default, where Rate is infinite.
	Burst int

	// MaxWait is how long [Limiter.Wait] and [Do] wait for a token. Default 0: they do not wait.
	// At most 30 days.
	MaxWait time.Duration
}
