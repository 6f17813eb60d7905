package admin_test

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/registry"
	"github.com/switchgear-go/switchgear/sghttp/admin"
)

func TestMove(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		want       breaker.State
		expires    time.Time
		line       string
	}{
		{
			"#100 hold-open", `{"to": "hold-open", "for": "90m", "reason": "maintenance", "author": "ana"}`, breaker.ForcedOpen, start.Add(90 * time.Minute),
			`payments: FORCED_OPEN since 03:12:44 (0 s), by "ana": "maintenance"; until 04:42:44 (1 h 30 min)`,
		},
		{
			"#101 hold-closed", `{"to": "hold-closed", "for": "1h", "reason": "maintenance", "author": "ana"}`, breaker.MetricsOnly, start.Add(time.Hour),
			`payments: METRICS_ONLY since 03:12:44 (0 s), by "ana": "maintenance", 0 of 0 calls failed (20 make a rate); last opened 03:12:44, because 3 failures in a row, mostly dial tcp: connection refused; until 04:12:44 (1 h)`,
		},
		{
			"#102 disable", `{"to": "disable", "for": "forever", "reason": "maintenance"}`, breaker.Disabled, time.Time{},
			`payments: DISABLED since 03:12:44 (0 s), by an operator: "maintenance"; last opened 03:12:44, because 3 failures in a row, mostly dial tcp: connection refused`,
		},
		{
			"#103 reset", `{"to": "reset", "reason": "fixed", "author": "ana"}`, breaker.Closed, time.Time{},
			`payments: CLOSED since 03:12:44 (0 s), by "ana": "fixed", 0 of 0 calls failed (20 make a rate); last opened 03:12:44, because 3 failures in a row, mostly dial tcp: connection refused`,
		},
		{
			"#104 the longest time", `{"to": "disable", "for": "720h", "reason": "x"}`, breaker.Disabled, start.Add(720 * time.Hour),
			`payments: DISABLED since 03:12:44 (0 s), by an operator: "x"; last opened 03:12:44, because 3 failures in a row, mostly dial tcp: connection refused; until 2026-03-31 03:12:44 (30 d)`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, writes())
			b := r.tripped("payments")
			w := r.do(http.MethodPost, "/breakers/payments/move", tt.body)
			m := read[admin.Moved](t, w, http.StatusOK)
			equal(t, "line", m.Moved[0].Text, tt.line)
			equal(t, "state", b.State(), tt.want)
			equal(t, "expires", b.Snapshot().Expires, tt.expires)
			equal(t, "for people", r.do(http.MethodPost, "/breakers/payments/move?format=text", tt.body).Body.String(), tt.line+"\n")
		})
	}
	t.Run("#105 a reset forgets the growth of the interval", func(t *testing.T) {
		r := newRig(t, writes())
		b := r.tripped("payments")
		r.do(http.MethodPost, "/breakers/payments/move", `{"to": "reset", "reason": "fixed"}`)
		equal(t, "growth", b.Save().Retrips, 0)
	})
	t.Run("#106 the authenticated author takes the place of the one given", func(t *testing.T) {
		r := newRig(t, writes(), admin.WithAuthor(func(r *http.Request) string { return r.Header.Get("X-User") }))
		b := r.breaker("stock")
		r.do(http.MethodPost, "/breakers/stock/move", order, header("X-User", "bo"))
		equal(t, "author", b.Snapshot().Author, "bo")
		r.do(http.MethodPost, "/breakers/stock/move", order)
		equal(t, "author", b.Snapshot().Author, "ana")
		r.do(http.MethodPost, "/breakers/stock/move", order, header("X-User", strings.Repeat("x", 1000)))
		equal(t, "bounded", len(b.Snapshot().Author), 128)
	})
}

func TestOrdersThatAreRefused(t *testing.T) {
	long := strings.Repeat("x", 257)
	for _, tt := range []struct {
		name, path, body string
		status           int
		field            string
	}{
		{"#110 nothing", "", ``, 400, "body"},
		{"#111 no JSON", "", `to=hold-open`, 400, "body"},
		{"#112 half of it", "", `{"to": "hold-open"`, 400, "body"},
		{"#113 two values", "", order + order, 400, "body"},
		{"#114 a field that does not exist", "", `{"to": "reset", "reason": "x", "until": "1h"}`, 400, "body"},
		{"#115 another type", "", `{"to": 5, "reason": "x"}`, 400, "to"},
		{"#116 a list", "", `[]`, 400, "body"},
		{"#117 no order", "", `{"for": "1h", "reason": "x"}`, 400, "to"},
		{"#118 an unknown order", "", `{"to": "OPEN", "for": "1h", "reason": "x"}`, 400, "to"},
		{"#119 no reason", "", `{"to": "disable", "for": "1h"}`, 400, "reason"},
		{"#120 a reason of spaces", "", `{"to": "disable", "for": "1h", "reason": " \n"}`, 400, "reason"},
		{"#121 a long reason", "", `{"to": "disable", "for": "1h", "reason": "` + long + `"}`, 400, "reason"},
		{"#122 a long author", "", `{"to": "disable", "for": "1h", "reason": "x", "author": "` + long[:129] + `"}`, 400, "author"},
		{"#123 S4: no time", "", `{"to": "disable", "reason": "x"}`, 400, "for"},
		{"#124 no time at all", "", `{"to": "disable", "for": "0s", "reason": "x"}`, 400, "for"},
		{"#125 a time gone by", "", `{"to": "disable", "for": "-1h", "reason": "x"}`, 400, "for"},
		{"#126 too long a time", "", `{"to": "disable", "for": "720h1ns", "reason": "x"}`, 400, "for"},
		{"#127 a time without unit", "", `{"to": "disable", "for": "30", "reason": "x"}`, 400, "for"},
		{"#128 a reset with a time", "", `{"to": "reset", "for": "1h", "reason": "x"}`, 400, "for"},
		{"#129 a reset for ever", "", `{"to": "reset", "for": "forever", "reason": "x"}`, 400, "for"},
		{"#130 a pattern for a single one", "", `{"name": "*", "to": "reset", "reason": "x"}`, 400, "name"},
		{"#131 a trial for a single one", "", `{"dry_run": true, "to": "reset", "reason": "x"}`, 400, "dry_run"},
		{"#132 a body that does not end", "", `{"to": "reset", "reason": "` + strings.Repeat("x", 5000) + `"}`, 413, "body"},
		{"#133 an end that does not end", "", `{"to": "reset", "reason": "x"}` + strings.Repeat(" ", 5000), 413, "body"},
		{"#134 nobody of that name", "/breakers/nobody/move", `{"to": "reset", "reason": "x"}`, 404, "name"},
		{"#135 no pattern", "/breakers/move", `{"to": "reset", "reason": "x"}`, 400, "name"},
		{"#136 a long pattern", "/breakers/move", `{"name": "` + long + `", "to": "reset", "reason": "x"}`, 400, "name"},
		{"#137 nobody matches", "/breakers/move", `{"name": "n*", "to": "reset", "reason": "x"}`, 404, "name"},
		{"#139 the rest of a single one", "", `{"after": "", "to": "reset", "reason": "x"}`, 400, "after"},
		{"#144 not all that is there once is the right one", "", `{"to": "reset", "reason": "x", "After": ""}`, 400, "body"},
		{"#145 a value and half an object", "", `{"to": "reset", "reason": "x"`, 400, "body"},
		{"#146 a value without key", "", `{"to": "reset", "reason": "x", 1: 2}`, 400, "body"},
		{"#147 a list in place of the end", "", `{"to": "reset", "reason": "x"]`, 400, "body"},
		{"#138 the order is checked before the pattern", "/breakers/move", `{"name": "*", "to": "disable", "reason": "x"}`, 400, "for"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, writes())
			b := r.tripped("stock")
			path := tt.path
			if path == "" {
				path = "/breakers/stock/move"
			}
			p := read[problem](t, r.do(http.MethodPost, path, tt.body), tt.status)
			equal(t, "field", p.Field, tt.field)
			if p.Error == "" || (tt.status == 400 && p.Bound == "") {
				t.Errorf("%+v", p)
			}
			equal(t, "state", b.State(), breaker.Open)
			equal(t, "period", b.Snapshot().Period, 2)
			equal(t, "breakers", r.reg.Len(), 1)
		})
	}
}

func TestMoveAll(t *testing.T) {
	r := newRig(t, writes())
	for _, name := range []string{"shop/a", "shop/b", "mail"} {
		r.breaker(name)
	}
	states := func() string {
		var s []string
		for e := range r.reg.Entries() {
			s = append(s, e.Name+" "+e.Breaker.State().String())
		}
		return strings.Join(s, ", ")
	}
	t.Run("#140 a trial moves nothing", func(t *testing.T) {
		m := read[admin.Moved](t, r.do(http.MethodPost, "/breakers/move", `{"name": "shop/*", "dry_run": true, "to": "disable", "for": "1h", "reason": "x"}`), 200)
		equal(t, "names", fmt.Sprint(m.Moved[0].Name, " ", m.Moved[1].Name, len(m.Moved)), "shop/a shop/b2")
		equal(t, "states", states(), "mail CLOSED, shop/a CLOSED, shop/b CLOSED")
	})
	t.Run("#141 a group", func(t *testing.T) {
		m := read[admin.Moved](t, r.do(http.MethodPost, "/breakers/move", `{"name": "shop/*", "to": "disable", "for": "1h", "reason": "x"}`), 200)
		equal(t, "moved", len(m.Moved), 2)
		equal(t, "state in the answer", m.Moved[1].State, breaker.Disabled)
		equal(t, "states", states(), "mail CLOSED, shop/a DISABLED, shop/b DISABLED")
	})
	t.Run("#142 more than may be moved: none is", func(t *testing.T) {
		r := newRig(t, writes())
		for i := range admin.MaxMoves + 1 {
			r.breaker(fmt.Sprintf("b%d", i))
		}
		body := `{"name": "%s", "to": "disable", "for": "1h", "reason": "x"}`
		p := read[problem](t, r.do(http.MethodPost, "/breakers/move", fmt.Sprintf(body, "*")), 400)
		equal(t, "bound", p.Bound, `must match at most 1000 breakers, and matches 1001; with "after": "" the first of them are moved`)
		equal(t, "moved", get[admin.List](r, "/breakers?state=DISABLED").Matched, 0)
		m := read[admin.Moved](t, r.do(http.MethodPost, "/breakers/move", fmt.Sprintf(body, "b*0")), 200)
		equal(t, "moved", len(m.Moved), 101)
		equal(t, "listed", get[admin.List](r, "/breakers?state=DISABLED").Matched, 101)
	})
}

// A group is listed, and then moved one after another. A breaker that expired in between was
// moved when nobody called it any more, and the answer said that it was in force.
func TestABreakerThatHasGoneIsNotMoved(t *testing.T) {
	r := newRig(t, writes())
	var made []*breaker.Breaker
	for _, name := range []string{"a", "b", "c"} {
		made = append(made, r.breaker(name))
	}
	// The source lists what it does not have any more, as the registry may by the time.
	gone := []registry.Entry{{Name: "d", Breaker: made[0]}}
	stale := &staleSource{gone}
	if err := r.reg.Attach("", stale); err != nil {
		t.Fatal(err)
	}
	m := read[admin.Moved](t, r.do(http.MethodPost, "/breakers/move", `{"name": "*", "to": "disable", "for": "1h", "reason": "x"}`), 200)
	equal(t, "moved", len(m.Moved), 3)
	equal(t, "gone", m.Gone, []string{"d"})
	stale.entries = gone
	text := r.do(http.MethodPost, "/breakers/move?format=text", `{"name": "d", "to": "disable", "for": "1h", "reason": "x"}`).Body.String()
	equal(t, "for people", text, "\"d\" is gone\n")

	t.Run("nor while the body of a single order comes", func(t *testing.T) {
		req := httptest.NewRequest(http.MethodPost, "/breakers/b/move", io.MultiReader(reading(func() { r.reg.Remove("b") }), strings.NewReader(order)))
		req.Host = "localhost"
		req.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		r.ServeHTTP(w, req)
		equal(t, "field", read[problem](t, w, http.StatusNotFound).Field, "name")
		equal(t, "state", made[1].State(), breaker.Disabled)
	})
}

// A staleSource has its entries only the first time that it is asked.
type staleSource struct{ entries []registry.Entry }

func (s *staleSource) Entries() iter.Seq[registry.Entry] {
	entries := s.entries
	s.entries = nil
	return slices.Values(entries)
}

// reading is a reader that is empty, and something happens when it is read.
type reading func()

func (f reading) Read([]byte) (int, error) { f(); return 0, io.EOF }

// More than 1,000 breakers could not be moved at once, and nothing told how else.
func TestAGroupOfAnySizeIsMovedByAndBy(t *testing.T) {
	const n = 2*admin.MaxMoves + 5
	r := newRig(t, writes())
	for i := range n {
		r.breaker(fmt.Sprintf("b%05d", i))
	}
	var moved []int
	for after := ""; ; {
		m := read[admin.Moved](t, r.do(http.MethodPost, "/breakers/move", `{"name": "*", "after": "`+after+`", "to": "disable", "for": "1h", "reason": "x"}`), 200)
		moved = append(moved, len(m.Moved))
		equal(t, "in all", get[admin.List](r, "/breakers?state=DISABLED&limit=1").Matched, min(len(moved)*admin.MaxMoves, n))
		if after = m.Next; after == "" {
			break
		}
	}
	equal(t, "moved", moved, []int{1000, 1000, 5})
	text := r.do(http.MethodPost, "/breakers/move?format=text", `{"name": "*", "after": "", "dry_run": true, "to": "reset", "reason": "x"}`).Body.String()
	equal(t, "for people", strings.HasSuffix(text, "\nfor more: \"after\": \"b00999\"\n"), true)
	p := read[problem](t, r.do(http.MethodPost, "/breakers/move", `{"name": "*", "after": "z", "to": "reset", "reason": "x"}`), 404)
	equal(t, "nothing after", p.Field, "name")
}

// A key could be there in another case, and twice, and the last one counted: what a proxy or a
// log took for a reset was a hold.
func TestKeysAreThereOnceAndInTheirCase(t *testing.T) {
	r := newRig(t, writes())
	b := r.breaker("stock")
	for _, body := range []string{
		`{"to": "reset", "reason": "x", "TO": "hold-open", "for": "forever"}`,
		`{"to": "reset", "reason": "x", "to": "hold-open", "for": "forever"}`,
		`{"To": "hold-open", "reason": "x", "for": "forever"}`,
		`{"to": "hold-open", "rea\u017fon": "x", "for": "forever"}`, // a long s
	} {
		p := read[problem](t, r.do(http.MethodPost, "/breakers/stock/move", body), 400)
		equal(t, "field of "+body, p.Field, "body")
		equal(t, "says which: "+p.Error, strings.HasPrefix(p.Error, `there is no field "`) && strings.HasSuffix(p.Error, `", or it is there twice`), true)
	}
	equal(t, "period", b.Snapshot().Period, 1)
	equal(t, "a key with an escape is the same key", r.do(http.MethodPost, "/breakers/stock/move", `{"t\u006f": "reset", "reason": "x"}`).Code, 200)
}

// A body that came a byte at a time, or not at all, held the handler for as long as its sender
// liked.
func TestABodyHasToCome(t *testing.T) {
	r := newRig(t, writes())
	r.breaker("stock")
	w := &patient{ResponseRecorder: httptest.NewRecorder()}
	req := httptest.NewRequest(http.MethodPost, "/breakers/stock/move", w)
	req.Host = "localhost"
	req.Header.Set("Content-Type", "application/json")
	r.ServeHTTP(w, req)
	equal(t, "bound", read[problem](t, w.ResponseRecorder, http.StatusRequestTimeout).Bound, "within 10s")
}

// patient is a connection over which nothing comes until its deadline.
type patient struct {
	*httptest.ResponseRecorder
	deadline time.Time
}

func (p *patient) SetReadDeadline(t time.Time) error { p.deadline = t; return nil }

func (p *patient) Read([]byte) (int, error) {
	if p.deadline.IsZero() {
		return 0, errors.New("there is no deadline")
	}
	return 0, os.ErrDeadlineExceeded
}
