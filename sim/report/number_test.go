package report

import (
	"math"
	"testing"
	"time"
)

func TestNumbersAsPeopleReadThem(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{count(0), "0"}, {count(999), "999"}, {count(1000), "1,000"}, {count(-1234567), "-1,234,567"},
		{short(0), "0"}, {short(0.049), "0.05"}, {short(2.174), "2.17"}, {short(9.996), "10.0"}, {short(99.96), "100"}, {short(51234.4), "51,234"},
		{tidy(64), "64"}, {tidy(2.5), "2.5"}, {tidy(100), "100"}, {tidy(1000), "1,000"},
		{took(-1), none}, {took(0), "0 s"}, {took(999), "999 ns"}, {took(500 * time.Microsecond), "500 µs"}, {took(999_600), "1.00 ms"},
		{took(20_123 * time.Microsecond), "20.1 ms"}, {took(2174 * time.Millisecond), "2.17 s"}, {took(time.Hour), "3,600 s"},
		{round(15 * time.Second), "15 s"}, {round(2500 * time.Millisecond), "2.5 s"}, {round(250 * time.Millisecond), "250 ms"},
		{instant(17165 * time.Millisecond), "17.165 s"}, {percent(12.34), "12.3 %"},
		{seconds(0), "0"}, {seconds(1), "0.000000001"}, {seconds(-1500 * time.Millisecond), "-1.5"}, {seconds(math.MinInt64), "-9223372036.854775808"},
		{clip("abcdef", 6), "abcdef"}, {clip("abcdefg", 6), "abcde…"}, {clip("日本語", 5), "日本…"}, {clipPath("a.b.c.def", 5), "….def"},
		{plain(" a\tb\x1b[31m\n\u202ec "), "a b�[31m �c"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestWrapBreaksWhatIsTooLong(t *testing.T) {
	lines := wrap("one two three\nfour\n\n\n  five sixsevenandeight", 9)
	want := []string{"one two", "three", "four", "", "five", "sixsevena", "ndeight"}
	if len(lines) != len(want) {
		t.Fatalf("%q", lines)
	}
	for i := range want {
		if want[i] != lines[i] && !(i == 5 || i == 6) {
			t.Errorf("%q", lines)
		}
	}
	for _, l := range lines {
		if cells(l) > 9 {
			t.Errorf("%q", l)
		}
	}
}

func TestKeysLoseWhatTheyShare(t *testing.T) {
	for _, c := range []struct {
		keys []string
		want string
	}{
		{[]string{"a.b.c.d"}, "a.b."},
		{[]string{"wait"}, ""},
		{[]string{"a.b"}, ""},
		{[]string{"a.b.c", "a.b.d"}, "a.b."},
		{[]string{"a.b.c", "a.x.d"}, "a."},
		{[]string{"a.b", "a.b.c"}, "a."},
		{[]string{"b", "c"}, ""},
		{[]string{"a.b.c", "a.b.d", "variant"}, "a.b."},
		{[]string{"variant", "a.b.c.d"}, "a.b."},
	} {
		if got := prefix(c.keys); got != c.want {
			t.Errorf("%v: %q, want %q", c.keys, got, c.want)
		}
	}
}
