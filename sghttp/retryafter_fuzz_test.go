package sghttp

import (
	"math"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"
)

// Whatever a server sends, the answer is either none or a wait that is positive
// and correct: checked against integers that cannot overflow, and against the
// date moved back by the wait.
func FuzzParseRetryAfter(f *testing.F) {
	for _, value := range []string{
		"", "0", "1", "120", "-1", "+1", "1.5", "9223372036", "9223372037", "18446744073709551617",
		"Wed, 01 May 2030 12:00:30 GMT", "Wednesday, 01-May-30 12:00:30 GMT", "Wed May  1 12:00:30 2030",
		"Fri, 31 Dec 9999 23:59:59 GMT", " 7\t", "7, 8", "soon",
	} {
		f.Add(value, int64(1_900_000_000_700_000_000))
	}
	f.Fuzz(func(t *testing.T, value string, nanos int64) {
		now := time.Unix(0, nanos)
		wait, ok := ParseRetryAfter(value, now)
		if ok != (wait > 0) || wait < 0 {
			t.Fatalf("got %v, %t", wait, ok)
		}
		if again, okAgain := ParseRetryAfter(" "+value+"\t", now); again != wait || okAgain != ok {
			t.Fatalf("with space around it: got %v, %t, want %v, %t", again, okAgain, wait, ok)
		}

		value = strings.Trim(value, " \t")
		switch date, err := http.ParseTime(value); {
		case value != "" && strings.Trim(value, "0123456789") == "":
			n, _ := new(big.Int).SetString(value, 10)
			n.Mul(n, big.NewInt(int64(time.Second)))
			if !n.IsInt64() {
				n.SetInt64(math.MaxInt64)
			}
			if wait != time.Duration(n.Int64()) {
				t.Fatalf("got %d, want %v", wait, n)
			}
		case err != nil:
			if ok {
				t.Fatalf("got %v from what is neither seconds nor a date", wait)
			}
		case ok && wait < math.MaxInt64:
			if !now.Add(wait).Equal(date) {
				t.Fatalf("%v after %v is not %v", wait, now, date)
			}
		case !ok && date.After(now):
			t.Fatalf("no wait until %v, which is after %v", date, now)
		}
	})
}
