package sghttp

import (
	"net/http"
	"time"

	"github.com/switchgear-go/switchgear/clock"
)

// begin starts the countdown of a request that has just arrived. d may be nil: no
// deadline.
func (d *DeadlineConfig) begin(clk clock.Clock, r *http.Request) countdown {
	if d == nil {
		return countdown{}
	}
	return countdown{on: true, end: clk.Mono() + d.allowed(r), clock: clk}
}

// allowed returns the time that a request may take in all.
func (d *DeadlineConfig) allowed(r *http.Request) time.Duration {
	if d.Header == "" {
		return d.Limit
	}
	asked, ok := parseTimeout(r.Header.Get(d.Header))
	if !ok {
		return d.Limit
	}
	return min(asked, d.Limit)
}

// enough reports whether a request that has this time left is worth beginning.
func (d *DeadlineConfig) enough(left time.Duration) bool {
	return left > 0 && left >= d.Minimum // Off is negative
}

// parseTimeout reads what a client asks for: a duration, or a number of seconds.
func parseTimeout(value string) (time.Duration, bool) {
	if value == "" {
		return 0, false
	}
	if c := value[len(value)-1]; c >= '0' && c <= '9' {
		value += "s"
	}
	d, err := time.ParseDuration(value)
	return d, err == nil && d >= 0
}
