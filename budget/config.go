package budget

import (
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear"
)

// Kind is the rule that a budget follows.
type Kind uint8

const (
	// Ratio allows extra attempts up to a share of the recent calls. The default.
	Ratio Kind = iota
	// Quota takes tokens from a pool that successes fill up.
	Quota
	// Throttling allows extra attempts while successes outweigh failures.
	Throttling
)

var kindNames = [...]string{"ratio", "quota", "throttling"}

// String returns "ratio", "quota" or "throttling".
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// MarshalText writes the kind's name. It is an error if there is no such kind.
func (k Kind) MarshalText() ([]byte, error) {
	if int(k) >= len(kindNames) {
		return nil, fmt.Errorf("budget: %v is no kind", k)
	}
	return []byte(k.String()), nil
}

// UnmarshalText reads "ratio", "quota" or "throttling".
func (k *Kind) UnmarshalText(text []byte) error {
	for i, name := range kindNames {
		if string(text) == name {
			*k = Kind(i)
			return nil
		}
	}
	return fmt.Errorf("budget: %q is no kind; kinds are ratio, quota and throttling", text)
}

// Config says how many extra attempts there may be. It is plain data; a zero field
// means the default its comment names. Settings of a kind other than the chosen one
// are an error.
type Config struct {
	// Kind is the rule. Default [Ratio].
	Kind Kind

	// Ratio holds the settings of kind [Ratio].
	Ratio RatioConfig

	// Quota holds the settings of kind [Quota].
	Quota QuotaConfig

	// Throttling holds the settings of kind [Throttling].
	Throttling ThrottlingConfig
}

// RatioConfig is a budget that follows the number of calls. In the last Window there
// may be, together, Percent of the calls that began in it, plus MinPerSecond for
// every second of it, fractions dropped from the sum. The defaults are those of
// Finagle's RetryBudget and of Linkerd: 20 percent, 10 a second, 10 seconds.
type RatioConfig struct {
	// Percent is the share of the calls that may be made again. Default 20; from 1
	// to 100, at most two decimals, or Off: then MinPerSecond alone counts.
	Percent switchgear.Percent

	// MinPerSecond is allowed on top, so that a program that makes few calls, or
	// has just started, can retry at all. All of a window's may be used at once.
	// Default 10; from 0.001 to 1,000,000, or Off: then Percent alone counts.
	MinPerSecond float64

	// Window is how long calls and extra attempts count. It moves on in sixteenths
	// of itself. Default 10 s; from 1 s to 1 h.
	Window time.Duration
}

// QuotaConfig is a budget that is a pool of tokens, full at first. The defaults are
// those of the standard retry mode of the AWS SDKs as it was until 2026: 500, 5 and 10.
//
// A call whose first attempt succeeds puts 1 token into the pool. An extra attempt
// that succeeds gives back what it took, and one that was never made as well; one
// that fails, or whose outcome says nothing, does not. The pool is never fuller than
// Capacity.
type QuotaConfig struct {
	// Capacity is the most tokens that the pool holds. Default 500; from 1 to
	// 1,000,000,000.
	Capacity int

	// Cost is how many tokens an extra attempt takes. Default 5, or Capacity if
	// that is less; from 1 to Capacity.
	Cost int

	// TimeoutCost is how many tokens an extra attempt takes that follows one that
	// timed out ([Budget.WithdrawTimeout]): slow failures cost the dependency more.
	// Default twice Cost, at most Capacity; from 1 to Capacity.
	TimeoutCost int
}

// ThrottlingConfig is a budget that follows the outcomes, as gRFC A6 has it. It
// begins with MaxTokens. Every attempt that fails, retry or not, takes 1 token, and
// every one that succeeds adds TokenRatio; an outcome that says nothing changes
// nothing. There are extra attempts only while more than half of MaxTokens are left.
// They take nothing themselves. The defaults are those of the example in gRFC A6.
type ThrottlingConfig struct {
	// MaxTokens is the most tokens there can be. Default 10; from 1 to 1,000.
	MaxTokens int

	// TokenRatio is what a success adds. It is kept in thousandths; further decimals
	// are dropped. Default 0.1; from 0.001 to 1,000.
	TokenRatio float64
}
