package report

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// none stands where a figure does not exist.
const none = "—"

// count writes a number of things with its thousands set apart: "12,345".
func count[N ~int | ~int64 | ~uint64](n N) string {
	s := strconv.FormatInt(int64(n), 10)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// decimals is how many digits after the point give v three that count.
func decimals(v float64) int {
	switch v = math.Abs(v); {
	case v == 0:
		return 0
	case v >= 99.95:
		return 0
	case v >= 9.995:
		return 1
	}
	return 2
}

// short writes v with three digits that count: "0.05", "2.17", "17.2", "5,123".
func short(v float64) string { return fixed(v, decimals(v)) }

// fixed writes v with so many digits after the point, and its thousands set apart.
func fixed(v float64, places int) string {
	s := strconv.FormatFloat(v, 'f', places, 64)
	whole, rest, _ := strings.Cut(s, ".")
	if n, err := strconv.ParseInt(whole, 10, 64); err == nil && n != 0 {
		whole = count(n)
	}
	if rest == "" {
		return whole
	}
	return whole + "." + rest
}

// tidy writes v like short, without zeros that say nothing: "64", "2.5".
func tidy(v float64) string {
	s := short(v)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// took writes how long something took: "500 µs", "20.1 ms", "2.00 s".
func took(d time.Duration) string {
	switch v := float64(d); {
	case d < 0:
		return none
	case d == 0:
		return "0 s"
	case v < 999.5:
		return strconv.Itoa(int(d)) + " ns"
	case v < 999.5e3:
		return short(v/1e3) + " µs"
	case v < 999.5e6:
		return short(v/1e6) + " ms"
	}
	return short(d.Seconds()) + " s"
}

// round writes an instant or a setting exactly, and as short as it can: "15 s",
// "2.5 s", "500 µs".
func round(d time.Duration) string {
	switch {
	case d > 0 && d < time.Millisecond:
		return trim(float64(d)/1e3) + " µs"
	case d > 0 && d < time.Second:
		return trim(float64(d)/1e6) + " ms"
	}
	return seconds(d) + " s"
}

// instant writes when something happened: "17.170 s".
func instant(d time.Duration) string { return fixed(d.Seconds(), 3) + " s" }

// percent writes a share: "12.3 %".
func percent(p float64) string { return strconv.FormatFloat(p, 'f', 1, 64) + " %" }

// seconds writes d in seconds, exactly.
func seconds(d time.Duration) string {
	sign := ""
	u := uint64(d)
	if d < 0 {
		sign, u = "-", -u
	}
	s := strconv.FormatUint(u/1e9, 10)
	if rest := u % 1e9; rest != 0 {
		nanos := strconv.FormatUint(1e9+rest, 10)[1:]
		s += "." + strings.TrimRight(nanos, "0")
	}
	return sign + s
}
