package sghttp

import (
	"net/http"
	"testing"
	"time"
)

// Whatever a client asks for, it gets no more than the limit, and never a negative
// time.
func FuzzServerDeadlineHeader(f *testing.F) {
	for _, value := range []string{"", "1", "1.5", "250ms", "-1", "1h2m3s", "9999999999999", "+1", ".5", "1.", "µs", "0x1p3", "1e3", "٣"} {
		f.Add(value)
	}
	cfg := DeadlineConfig{Limit: 10 * time.Second, Header: "X-Timeout"}
	f.Fuzz(func(t *testing.T, value string) {
		got := cfg.allowed(&http.Request{Header: http.Header{"X-Timeout": {value}}})
		if got < 0 || got > cfg.Limit {
			t.Errorf("%q: got %v", value, got)
		}
		if asked, ok := parseTimeout(value); ok && got != min(asked, cfg.Limit) || !ok && got != cfg.Limit {
			t.Errorf("%q: got %v, parsed %v, %v", value, got, asked, ok)
		}
	})
}
