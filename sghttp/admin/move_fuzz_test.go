package admin_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/sghttp/admin"
)

// FuzzMove: whatever the body, the answer is JSON with one of the documented statuses; what
// is refused moves nothing, and what is not has a reason.
func FuzzMove(f *testing.F) {
	f.Add(order)
	f.Add(`{"to": "reset", "reason": "x"}`)
	f.Add(`{"to": "hold-closed", "for": "1h", "reason": "x", "name": ""}`)
	f.Add(`{"to": "disable", "for": "9999999h", "reason": "` + "\x00\xff" + `"}`)
	f.Add(`{"TO": "disable", "to": "reset", "reason": null}`)
	f.Add(`{"reason": {"to": 1}}`)
	f.Fuzz(func(t *testing.T, body string) {
		r := newRig(t, writes())
		b := r.tripped("stock")
		w := r.do(http.MethodPost, "/breakers/stock/move", body)
		var moved admin.Moved
		var p problem
		switch w.Code {
		case 200:
			if err := json.Unmarshal(w.Body.Bytes(), &moved); err != nil || len(moved.Moved) != 1 {
				t.Fatalf("%v: %s", err, w.Body)
			}
			if s := b.Snapshot(); strings.TrimSpace(s.Reason) == "" || s.Period != 3 || s.State == breaker.Open || s.State == breaker.HalfOpen {
				t.Errorf("%+v", s)
			}
		case 400, 413:
			if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || p.Error == "" || p.Field == "" || p.Bound == "" {
				t.Errorf("%v: %s", err, w.Body)
			}
			equal(t, "period", b.Snapshot().Period, 2)
		default:
			t.Errorf("status %d: %s", w.Code, w.Body)
		}
		if w.Body.Len() > 4096 {
			t.Errorf("%d bytes", w.Body.Len())
		}
	})
}
