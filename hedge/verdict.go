package hedge

import "fmt"

// Verdict is what the end of an attempt means for its race.
type Verdict uint8

const (
	// Open: nothing is decided, other attempts run.
	Open Verdict = iota
	// Won: this attempt has decided the race. Those still running should be
	// cancelled.
	Won
	// Failed: this attempt was the last, and none was good. The call has failed.
	Failed
	// Late: the race was decided or stopped before. The answer is of no use.
	Late
)

var verdicts = [...]string{Open: "open", Won: "won", Failed: "failed", Late: "late"}

// String returns "open", "won", "failed" or "late".
func (v Verdict) String() string {
	if int(v) < len(verdicts) {
		return verdicts[v]
	}
	return fmt.Sprintf("verdict(%d)", uint8(v))
}

// MarshalText writes the verdict's name.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads one of the four names.
func (v *Verdict) UnmarshalText(text []byte) error {
	for i, name := range verdicts {
		if name == string(text) {
			*v = Verdict(i)
			return nil
		}
	}
	return fmt.Errorf("hedge: %q is no verdict; verdicts are open, won, failed and late", text)
}
