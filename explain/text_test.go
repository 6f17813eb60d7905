package explain_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/explain"
)

func TestSpan(t *testing.T) {
	const (
		ms  = time.Millisecond
		day = 24 * time.Hour
	)
	for _, tt := range []struct {
		d    time.Duration
		want string
	}{
		{-time.Second, "0 s"},
		{0, "0 s"},
		{1, "less than 1 ms"},
		{ms, "1 ms"},
		{350 * ms, "350 ms"},
		{999*ms + 499_999, "999 ms"},
		{999*ms + 500_000, "1 s"},
		{2500 * ms, "2.5 s"},
		{9949 * ms, "9.9 s"},
		{9950 * ms, "10 s"},
		{27 * time.Second, "27 s"},
		{59_499 * ms, "59 s"},
		{59_500 * ms, "1 min"},
		{2*time.Minute + 5*time.Second, "2 min 5 s"},
		{59*time.Minute + 59_499*ms, "59 min 59 s"},
		{59*time.Minute + 59_500*ms, "1 h"},
		{3*time.Hour + 12*time.Minute + 29*time.Second, "3 h 12 min"},
		{day - time.Minute/2 - 1, "23 h 59 min"},
		{day - time.Minute/2, "1 d"},
		{2*day + 4*time.Hour, "2 d 4 h"},
	} {
		equal(t, tt.d.String(), explain.Span(tt.d), tt.want)
	}
}

func TestPlain(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"dial tcp: connection refused", "dial tcp: connection refused"},
		{`C:\temp "x"`, `C:\temp "x"`},
		{"Zürich 日本", "Zürich 日本"},
		{"a\nb\tc\x00\x7f\x1b[2J", `a\nb\tc\x00\x7f\x1b[2J`},
		{"a\u202eb\u2028c\u200bd", `a\u202eb\u2028c\u200bd`},
		{"bad \xff\xc3", `bad \xff\xc3`},
		{"sic \uFFFD", "sic \uFFFD"},
		{"0123456789abcdefghijklmnopqrst", "0123456789abcdefghijklmnopqr…"},
		{"0123456789abcdefghijklmnop日", "0123456789abcdefghijklmnop…"},
		{"0123456789abcdefghijklmno日", "0123456789abcdefghijklmno日"},
	} {
		equal(t, strconv.Quote(tt.in), explain.Plain(tt.in, 28), tt.want)
	}
}
