package sghttp

import (
	"math"
	"net/http"
	"strings"
	"time"
)

// ParseRetryAfter reads the value of a Retry-After header: a number of seconds,
// or an HTTP date in any of its three formats, to which the wait is counted from
// now. The wait is exact, to the nanosecond.
//
// It returns false if the value is malformed, or asks for no wait at all: zero
// seconds, or a date that is not in the future. A wait longer than a
// [time.Duration] can hold (292 years) is cut to that.
func ParseRetryAfter(value string, now time.Time) (wait time.Duration, ok bool) {
	value = strings.Trim(value, " \t")
	if value == "" {
		return 0, false
	}
	wait, ok = parseSeconds(value)
	if !ok {
		date, err := http.ParseTime(value)
		if err != nil {
			return 0, false
		}
		wait = date.Sub(now) // which itself cuts what is too long
	}
	if wait <= 0 {
		return 0, false
	}
	return wait, true
}

// parseSeconds reads digits and nothing else; a sign or a fraction is malformed.
func parseSeconds(s string) (time.Duration, bool) {
	const most = math.MaxInt64 / time.Second
	var n time.Duration
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = min(10*n+time.Duration(c-'0'), most+1)
	}
	if n > most {
		return math.MaxInt64, true
	}
	return n * time.Second, true
}
