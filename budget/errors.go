package budget

import (
	"errors"
	"fmt"

	"github.com/switchgear-go/switchgear"
)

// ErrExhausted is matched, with errors.Is, by the error of an extra attempt that a
// budget refused. See [ExhaustedError] for the facts.
//
// It does not match [switchgear.ErrRejected]: the call itself was made, and what its
// attempts said about the dependency counts.
var ErrExhausted = errors.New("budget: exhausted")

// ExhaustedError says that a budget refused an extra attempt. All refusals of one
// budget share one value, which must not be changed. It does not know when there will
// be more: that depends on calls still to come.
type ExhaustedError struct {
	// Name is the budget's name.
	Name string
	// Config is the budget's configuration.
	Config Config
}

// Error names the budget and the limit that was met.
func (e *ExhaustedError) Error() string {
	return fmt.Sprintf("budget %q is exhausted: %s", e.Name, e.Config.limit())
}

// Is reports whether target is [ErrExhausted].
func (e *ExhaustedError) Is(target error) bool { return target == ErrExhausted }

// Exhausted returns the error that stands for a refused withdrawal, an
// [*ExhaustedError]. It is always the same value, whether the budget is exhausted now
// or not.
func (b *Budget) Exhausted() error { return b.refusal }

// limit describes the rule in a few words.
func (c Config) limit() string {
	switch c.Kind {
	case Quota:
		return fmt.Sprintf("an extra attempt takes %d of %d tokens, and too few are left", c.Quota.Cost, c.Quota.Capacity)
	case Throttling:
		return fmt.Sprintf("too many attempts fail, so that no more than half of %d tokens are left", c.Throttling.MaxTokens)
	}
	r := c.Ratio
	switch {
	case r.MinPerSecond == switchgear.Off && r.Percent == switchgear.Off:
		return "no extra attempts are allowed"
	case r.MinPerSecond == switchgear.Off:
		return fmt.Sprintf("extra attempts are limited to %v of the calls of the last %v", r.Percent, r.Window)
	case r.Percent == switchgear.Off:
		return fmt.Sprintf("extra attempts are limited to %v a second over %v", r.MinPerSecond, r.Window)
	}
	return fmt.Sprintf("extra attempts are limited to %v of the calls of the last %v, plus %v a second", r.Percent, r.Window, r.MinPerSecond)
}
