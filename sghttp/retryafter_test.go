package sghttp

import (
	"math"
	"testing"
	"time"
)

func TestParseRetryAfter(t *testing.T) {
	const forever = time.Duration(math.MaxInt64)
	now := time.Date(2030, time.May, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		value string
		wait  time.Duration // 0 is none
	}{
		// Seconds.
		{"1", time.Second},
		{"120", 2 * time.Minute},
		{"0120", 2 * time.Minute},
		{" \t120 ", 2 * time.Minute},
		{"0", 0},
		{"000", 0},

		// Seconds beyond what a Duration holds.
		{"9223372036", 9223372036 * time.Second},
		{"9223372037", forever},
		{"18446744073709551617", forever}, // 2^64+1, which must not become 1
		{"99999999999999999999999999999999999999999999", forever},

		// K28: dates, in the three formats of HTTP.
		{"Wed, 01 May 2030 12:00:30 GMT", 30 * time.Second},
		{"Wednesday, 01-May-30 12:00:30 GMT", 30 * time.Second},
		{"Wed May  1 12:00:30 2030", 30 * time.Second},

		// K28: dates that ask for no wait.
		{"Wed, 01 May 2030 11:59:00 GMT", 0},
		{"Wed, 01 May 2030 12:00:00 GMT", 0},
		{"Sun, 06 Nov 1994 08:49:37 GMT", 0},
		{"Sunday, 06-Nov-94 08:49:37 GMT", 0},

		// Dates so far away that the difference is no Duration.
		{"Fri, 31 Dec 9999 23:59:59 GMT", forever},
		{"Sat, 01 Jan 0000 00:00:00 GMT", 0},

		// Neither.
		{"", 0},
		{" ", 0},
		{"-5", 0},
		{"+5", 0},
		{"5.5", 0},
		{"5s", 0},
		{"1e3", 0},
		{"0x10", 0},
		{"1 2", 0},
		{"5, 10", 0},
		{"５", 0}, // a digit, but not one of HTTP's
		{"soon", 0},
		{"Wed, 01 May 2030 12:00:30", 0},
		{"Wed, 01 May 2030 12:00:30 +0200", 0},
		{"Wed, 31 Feb 2030 12:00:30 GMT", 0},
		{"2030-05-01T12:00:30Z", 0},
	} {
		wait, ok := ParseRetryAfter(c.value, now)
		if wait != c.wait || ok != (c.wait > 0) {
			t.Errorf("%q: got %v, %t, want %v", c.value, wait, ok, c.wait)
		}
	}
	t.Run("K28: parts of a second are kept, never rounded down to nothing", func(t *testing.T) {
		wait, ok := ParseRetryAfter("Wed, 01 May 2030 12:00:01 GMT", now.Add(700*time.Millisecond))
		equal(t, "wait", wait, 300*time.Millisecond)
		equal(t, "ok", ok, true)
		wait, ok = ParseRetryAfter("Wed, 01 May 2030 12:00:01 GMT", now.Add(time.Second-1))
		equal(t, "wait", wait, 1)
		equal(t, "ok", ok, true)
	})
	t.Run("now may be in any time zone", func(t *testing.T) {
		east := now.In(time.FixedZone("east", 5*3600))
		wait, _ := ParseRetryAfter("Wed, 01 May 2030 12:00:30 GMT", east)
		equal(t, "wait", wait, 30*time.Second)
	})
	t.Run("seconds, and no header, allocate nothing", func(t *testing.T) {
		equal(t, "allocations", testing.AllocsPerRun(100, func() {
			ParseRetryAfter("120", now)
			ParseRetryAfter("", now)
		}), 0)
	})
}
