package admin_test

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/explain"
	"github.com/switchgear-go/switchgear/pipeline"
	"github.com/switchgear-go/switchgear/registry"
	"github.com/switchgear-go/switchgear/sghttp/admin"
	"github.com/switchgear-go/switchgear/timeout"
)

const why = "payments: OPEN since 03:12:44 (15 s), because 3 failures in a row, mostly dial tcp: connection refused; next probe in 12 s"

func names(l admin.List) []string {
	var n []string
	for _, s := range l.Breakers {
		n = append(n, s.Name)
	}
	return n
}

func TestList(t *testing.T) {
	r := newRig(t, admin.Config{})
	r.breaker("stock")
	r.tripped("payments")
	_ = r.breaker("mail").Move(breaker.Move{To: breaker.ForcedOpen, Author: "ana", Reason: "drill", For: time.Hour})
	if _, err := r.reg.Pipeline("orders", pipeline.Config{Breaker: &breaker.Config{}}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.reg.Pipeline("no breaker", pipeline.Config{Total: &timeout.Config{Limit: time.Second}}); err != nil {
		t.Fatal(err)
	}
	r.clock.Advance(15 * time.Second)

	for _, tt := range []struct {
		name, query string
		want        string
		matched     int
		next        string
	}{
		{"#60 all, by name", "", "mail orders payments stock", 4, ""},
		{"#61 by state", "?state=OPEN", "payments", 1, ""},
		{"#62 by several, in small letters", "?state=open,forced_open", "mail payments", 2, ""},
		{"#63 by pattern", "?name=*s*", "orders payments stock", 3, ""},
		{"#64 by both", "?name=*s*&state=CLOSED", "orders stock", 2, ""},
		{"#65 none", "?name=x*", "", 0, ""},
		{"#66 the first page", "?limit=3", "mail orders payments", 4, "payments"},
		{"#67 the next", "?limit=3&after=payments", "stock", 4, ""},
		{"#68 after a name that is gone", "?after=n", "orders payments stock", 4, ""},
		{"#69 a page that is just full", "?limit=4", "mail orders payments stock", 4, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := get[admin.List](r, "/breakers"+tt.query)
			equal(t, "names", strings.Join(names(l), " "), tt.want)
			equal(t, "matched", l.Matched, tt.matched)
			equal(t, "total", l.Total, 4)
			equal(t, "next", l.Next, tt.next)
		})
	}
	t.Run("#70 what a summary tells", func(t *testing.T) {
		s := get[admin.List](r, "/breakers?name=payments").Breakers[0]
		equal(t, "text", s.Text, why)
		equal(t, "state", s.State, breaker.Open)
		equal(t, "since", s.Since, start)
		equal(t, "next probe", s.NextProbe, start.Add(27*time.Second))
		m := get[admin.List](r, "/breakers?name=mail").Breakers[0]
		equal(t, "author", m.Author, "ana")
		equal(t, "reason", m.Reason, "drill")
		equal(t, "expires", m.Expires, start.Add(time.Hour))
	})
	t.Run("#71 lines", func(t *testing.T) {
		equal(t, "text", r.lines("/breakers?state=OPEN"), why+"\n1 of 4 breakers\n")
		equal(t, "by parameter", r.do(http.MethodGet, "/breakers?state=OPEN&format=text", "").Body.String(), why+"\n1 of 4 breakers\n")
		get[admin.List](r, "/breakers", header("Accept", "text/plain, application/json"))
		get[admin.List](r, "/breakers?format=json", header("Accept", "text/plain"))
		equal(t, "more", strings.HasSuffix(r.lines("/breakers?limit=1"), "4 of 4 breakers, of which these are 1; for more: ?after=mail&limit=1\n"), true)
	})
	t.Run("#72 wrong questions", func(t *testing.T) {
		for query, field := range map[string]string{
			"?limit=0": "limit", "?limit=1001": "limit", "?limit=x": "limit", "?limit=-1": "limit",
			"?state=SHUT": "state", "?state=,": "state", "?name=" + strings.Repeat("x", 257): "name",
		} {
			p := read[problem](t, r.do(http.MethodGet, "/breakers"+query, ""), http.StatusBadRequest)
			equal(t, query, p.Field, field)
			if p.Bound == "" || p.Error == "" {
				t.Errorf("%s: %+v", query, p)
			}
		}
		equal(t, "for people", r.lines("/breakers?limit=0"), "error: limit must be from 1 to 1000\n")
	})
	t.Run("#73 methods", func(t *testing.T) {
		for _, tt := range []struct{ method, path, allow string }{
			{"POST", "/breakers", "GET, HEAD"},
			{"DELETE", "/breakers/stock", "GET, HEAD"},
			{"POST", "/events", "GET, HEAD"},
			{"PUT", "/breakers/move", "GET, HEAD"},
			{"GET", "/breakers/stock/move", "POST"},
		} {
			w := r.do(tt.method, tt.path, "")
			read[problem](t, w, http.StatusMethodNotAllowed)
			equal(t, tt.method+" "+tt.path, w.Header().Get("Allow"), tt.allow)
		}
		equal(t, "HEAD", r.do(http.MethodHead, "/breakers", "").Code, 200)
		for _, path := range []string{"/", "/x", "/breakers/", "/breakers/a/b", "/events/x"} {
			read[problem](t, r.do(http.MethodGet, path, ""), http.StatusNotFound)
		}
	})
	t.Run("#74 below a prefix", func(t *testing.T) {
		req := httptest.NewRequest(http.MethodGet, "/admin/breakers/pay%6Dents", nil)
		req.Host = "localhost"
		w := httptest.NewRecorder()
		http.StripPrefix("/admin", r).ServeHTTP(w, req)
		equal(t, "name", read[admin.Details](t, w, 200).Name, "payments")
	})
}

func TestTenThousandBreakersArePagedOnce(t *testing.T) {
	const n = 10_000
	r := newRig(t, admin.Config{})
	var want []string
	for i := range n {
		want = append(want, fmt.Sprintf("b/%05d", i))
		r.breaker(want[i])
	}
	for _, limit := range []int{1000, 999} {
		var got []string
		for after := ""; ; {
			l := get[admin.List](r, fmt.Sprintf("/breakers?limit=%d&after=%s", limit, url.QueryEscape(after)))
			equal(t, "matched", l.Matched, n)
			if len(l.Breakers) > limit {
				t.Fatalf("%d on a page of %d", len(l.Breakers), limit)
			}
			got = append(got, names(l)...)
			if after = l.Next; after == "" {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("limit %d: %d names", limit, len(got))
		}
	}
	h := get[admin.Health](r, "/health")
	equal(t, "health", h.States, map[string]int{"CLOSED": n})
}

func TestShow(t *testing.T) {
	ledger, err := explain.NewLedger(explain.LedgerConfig{FailedCall: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, clock: clock.NewVirtual(start)}
	flaps, err := explain.NewFlapDetector(explain.FlapConfig{PerHour: 1}, explain.WithClock(r.clock))
	if err != nil {
		t.Fatal(err)
	}
	defer flaps.Close()
	r.reg = registry.Must(registry.New(registry.Config{}, registry.WithClock(r.clock), registry.WithListener(ledger), registry.WithListener(flaps)))
	r.serve(admin.Config{}, admin.WithLedger(ledger), admin.WithFlapDetector(flaps))
	b := r.tripped("payments")
	r.clock.Advance(27 * time.Second)
	_ = b.Do(context.Background(), func(context.Context) error { return nil })
	r.tripped("payments")
	r.clock.Advance(15 * time.Second)

	t.Run("#80 everything about one breaker", func(t *testing.T) {
		d := get[admin.Details](r, "/breakers/payments")
		equal(t, "name", d.Name, "payments")
		equal(t, "text", d.Text, strings.Replace(why, "03:12:44", "03:13:11", 1))
		equal(t, "state", d.Now.To, "OPEN")
		equal(t, "rule", d.Now.Trip.Rule, breaker.RuleConsecutive)
		equal(t, "sample", d.Now.Trip.Errors[0].Sample, errDown.Error())
		equal(t, "retry after", d.RetryAfter, 12*time.Second)
		equal(t, "failed", d.Counters.Failed, 6)
		equal(t, "flapping", *d.Flapping, true)
		equal(t, "trips", d.Book.Trips, 2)
		equal(t, "good probes", d.Book.ProbesGood, 1)
		settings := map[string]string{}
		for _, s := range d.Configuration {
			settings[s.Path] = s.Value
		}
		for path, want := range map[string]string{
			"Open.Wait": "27s", "Open.Jitter": "off", "ConsecutiveFailures": "3", "FailureCount": "off", "FailureRate": "50 %",
			"Evidence": "off", "HalfOpen.Verdict": "rate", "HalfOpen.MaxWait": "off", "Open.Automatic": "false", "SlowCall.Duration": "off",
		} {
			equal(t, path, settings[path], want)
		}
	})
	t.Run("#81 for people", func(t *testing.T) {
		text := r.lines("/breakers/payments")
		for _, want := range []string{
			strings.Replace(why, "03:12:44", "03:13:11", 1) + "\nIt flaps.\n", "\ncounters\n", "  trips       2\n", "\nledger\n",
			"  good probes                        1 of 1\n", "\nconfiguration\n", "  Open.Wait            27s\n",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
	})
	t.Run("#82 without ledger and detector they are absent", func(t *testing.T) {
		r := newRig(t, admin.Config{})
		r.breaker("stock")
		d := get[admin.Details](r, "/breakers/stock")
		equal(t, "flapping", d.Flapping, nil)
		equal(t, "book", d.Book, nil)
		equal(t, "retry after", d.RetryAfter, 0)
	})
	t.Run("#83 an unknown name is not found, and not made", func(t *testing.T) {
		read[problem](t, r.do(http.MethodGet, "/breakers/nobody", ""), http.StatusNotFound)
		equal(t, "breakers", r.reg.Len(), 1)
	})
	t.Run("#84 any name can be asked for", func(t *testing.T) {
		r := newRig(t, writes())
		for _, name := range []string{"a/b", "move", "..", ".", "a b", "%", "a%2Fb", "?x=y", "#", "ä\n", "a//b", "/", "<img src=x>\"'&"} {
			b := r.breaker(name)
			path := "/breakers/" + strings.ReplaceAll(url.PathEscape(name), ".", "%2E")
			d := get[admin.Details](r, path)
			equal(t, "name", d.Name, name)
			w := r.do(http.MethodPost, path+"/move", order)
			equal(t, "move of "+name, w.Code, 200)
			equal(t, "state of "+name, b.State(), breaker.ForcedOpen)
		}
	})
	t.Run("#86 and behind a ServeMux", func(t *testing.T) {
		r := newRig(t, admin.Config{})
		mux := http.NewServeMux()
		mux.Handle("/admin/", http.StripPrefix("/admin", r))
		for _, name := range []string{"a/b", ".", "..", "move", "a//b"} {
			r.breaker(name)
			req := httptest.NewRequest(http.MethodGet, "/admin/breakers/"+strings.ReplaceAll(url.PathEscape(name), ".", "%2E"), nil)
			req.Host = "localhost"
			w := httptest.NewRecorder()
			mux.ServeHTTP(w, req)
			equal(t, "name", read[admin.Details](t, w, 200).Name, name)
		}
	})
	t.Run("#85 K66: names and reasons are no markup, and no more than a line", func(t *testing.T) {
		r := newRig(t, writes())
		name := "<img src=x onerror=alert(1)>\"'&\n\x1b[2J"
		r.breaker(name)
		w := r.do(http.MethodPost, "/breakers/move", `{"name":"*","to":"hold-open","for":"forever","reason":"<script>\n","author":"\u001b"}`)
		equal(t, "status", w.Code, 200)
		r.settle()
		for _, path := range []string{"/breakers", "/events", "/health"} {
			body := r.do(http.MethodGet, path, "").Body.String()
			if strings.ContainsAny(body, "<>\x1b") {
				t.Errorf("%s: %s", path, body)
			}
			text := r.lines(path)
			if strings.Contains(text, "\x1b") || strings.Contains(text, "'&\n") || !strings.Contains(text, `'&\n\x1b[2J`) {
				t.Errorf("%s: %q", path, text)
			}
		}
	})
}

// The ledger's rows had nanoseconds, beside others that were rounded.
func TestTimesForPeopleAreRounded(t *testing.T) {
	ledger, err := explain.NewLedger(explain.LedgerConfig{})
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, clock: clock.NewVirtual(start)}
	r.reg = registry.Must(registry.New(registry.Config{}, registry.WithClock(r.clock), registry.WithListener(ledger)))
	r.serve(admin.Config{}, admin.WithLedger(ledger))
	b := r.tripped("payments")
	r.clock.Advance(27*time.Second + 991592408)
	p, err := b.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r.clock.Advance(1234567890)
	p.Success()
	text := r.lines("/breakers/payments")
	if !strings.Contains(text, "  open                               28s\n  half-open                          1.235s\n") {
		t.Error(text)
	}
}

// Ledger and detector know a breaker by its own name. Of two clients of one host each was shown
// with what both had done, and a breaker that had been made again with the past of the old one.
func TestNoBreakerIsShownWithAnothersBook(t *testing.T) {
	ledger, err := explain.NewLedger(explain.LedgerConfig{})
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, clock: clock.NewVirtual(start)}
	flaps, err := explain.NewFlapDetector(explain.FlapConfig{PerHour: 1}, explain.WithClock(r.clock))
	if err != nil {
		t.Fatal(err)
	}
	defer flaps.Close()
	listen := []registry.Option{registry.WithClock(r.clock), registry.WithListener(ledger), registry.WithListener(flaps)}
	r.reg = registry.Must(registry.New(registry.Config{}, listen...))
	r.serve(writes(), admin.WithLedger(ledger), admin.WithFlapDetector(flaps))
	flap := func(r *rig, name string) {
		t.Helper()
		for range 2 {
			b := r.tripped(name)
			r.clock.Advance(time.Minute)
			if err := b.Do(t.Context(), func(context.Context) error { return nil }); err != nil {
				t.Fatal(err)
			}
		}
	}
	shown := func(path string) (flapping, book string) {
		t.Helper()
		d := get[admin.Details](r, "/breakers/"+path)
		flapping, book = "none", "none"
		if d.Flapping != nil {
			flapping = fmt.Sprint(*d.Flapping)
		}
		if d.Book != nil {
			book = fmt.Sprint(d.Book.Trips)
		}
		return flapping, book
	}
	check := func(what, path, flapping, book string) {
		t.Helper()
		f, b := shown(path)
		equal(t, what+": flapping", f, flapping)
		equal(t, what+": book", b, book)
	}
	flap(r, "api")
	check("one of the name", "api", "true", "2")
	equal(t, "in the list", get[admin.List](r, "/breakers").Breakers[0].Flapping, true)

	other := &rig{t: t, clock: r.clock, reg: registry.Must(registry.New(registry.Config{}, listen...))}
	other.breaker("api")
	if err := r.reg.Attach("client", other.reg); err != nil {
		t.Fatal(err)
	}
	check("two of the name", "api", "none", "none")
	check("the other", "client%2Fapi", "none", "none")
	for _, s := range get[admin.List](r, "/breakers").Breakers {
		equal(t, "in the list", s.Flapping, false)
	}
	r.reg.Detach("client")
	e, _ := r.reg.Lookup("api")
	if err := r.reg.Attach("again", fixed{e}); err != nil {
		t.Fatal(err)
	}
	check("the same one twice", "api", "true", "2")
	r.reg.Detach("again")

	r.reg.Remove("api")
	r.breaker("api")
	check("made again", "api", "false", "none")
	r.tripped("api")
	check("with a past of its own in the other's book", "api", "true", "none")

	again := func(name string) {
		t.Helper()
		r.reg.Remove(name)
		r.breaker(name)
	}
	r.tripped("tripped")
	_, book := shown("tripped")
	equal(t, "the first", book, "1")
	again("tripped")
	r.tripped("tripped") // in the same state as the first
	check("more trips than it has had", "tripped", "true", "none")

	_ = r.breaker("moved").Reset("ana", "drill")
	check("the first", "moved", "false", "0")
	again("moved")
	check("a transition, and it has had none", "moved", "false", "none")

	_ = r.breaker("late").Reset("ana", "drill")
	ledger.OnEvent(event.Event{Source: "breaker", Name: "late", Kind: event.Transition, From: "CLOSED", To: "DISABLED", Seq: 2, Detail: &breaker.Change{}})
	check("another state", "late", "false", "none")
}

// fixed is a source that always has the same.
type fixed []registry.Entry

func (f fixed) Entries() iter.Seq[registry.Entry] { return slices.Values(f) }

func TestHealth(t *testing.T) {
	r := newRig(t, admin.Config{})
	equal(t, "#90 no breakers", get[admin.Health](r, "/health").Status, admin.Up)
	b := r.breaker("stock")
	_ = r.breaker("mail").Move(breaker.Move{To: breaker.Disabled, Reason: "drill"})
	_ = r.breaker("sms").Move(breaker.Move{To: breaker.MetricsOnly, Reason: "drill"})
	h := get[admin.Health](r, "/health?strict=true")
	equal(t, "#91 all admit", h.Status, admin.Up)
	equal(t, "#91 states", h.States, map[string]int{"CLOSED": 1, "DISABLED": 1, "METRICS_ONLY": 1})
	for _, to := range []breaker.State{breaker.Open, breaker.HalfOpen, breaker.ForcedOpen} {
		_ = b.Move(breaker.Move{To: to, Reason: "drill"})
		h := get[admin.Health](r, "/health")
		equal(t, "#92 "+to.String(), h.Status, admin.Degraded)
		equal(t, "#92 names", h.Degraded[0].Name, "stock")
		equal(t, "#93 strict", read[admin.Health](t, r.do(http.MethodGet, "/health?strict=true", ""), 503).Status, admin.Degraded)
	}
	equal(t, "#94 for people", r.lines("/health"), "DEGRADED\nstock: FORCED_OPEN since 03:12:44 (0 s), by an operator: \"drill\"\n")
	read[problem](t, r.do(http.MethodGet, "/health?strict=perhaps", ""), http.StatusBadRequest)
	for i := range 150 {
		r.tripped(fmt.Sprint(i))
	}
	h = get[admin.Health](r, "/health")
	equal(t, "#95 bounded", len(h.Degraded), 100)
	equal(t, "#95 counted", h.States["OPEN"], 150)
	equal(t, "#95 for people", strings.HasSuffix(r.lines("/health"), "and 51 more\n"), true)
}

func TestAttachedBreakersHaveTheirEntryName(t *testing.T) {
	r := newRig(t, writes())
	other := registry.Must(registry.New(registry.Config{}))
	b, _ := other.Breaker("api", breaker.Config{})
	if err := r.reg.Attach("client", other); err != nil {
		t.Fatal(err)
	}
	d := get[admin.Details](r, "/breakers/client%2Fapi")
	equal(t, "name", d.Now.Name, "client/api")
	equal(t, "line", strings.HasPrefix(d.Text, "client/api: CLOSED"), true)
	equal(t, "move", r.do(http.MethodPost, "/breakers/client%2Fapi/move", order).Code, 200)
	equal(t, "state", b.State(), breaker.ForcedOpen)
}
