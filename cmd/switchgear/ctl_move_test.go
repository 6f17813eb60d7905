package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/sghttp/admin"
)

func TestCtlMovesABreaker(t *testing.T) {
	for verb, want := range map[string]breaker.State{
		"hold-open": breaker.ForcedOpen, "hold-closed": breaker.MetricsOnly, "disable": breaker.Disabled,
	} {
		t.Run(verb, func(t *testing.T) {
			s := newStation(t, admin.Config{AllowWrites: true})
			b := s.trip("payments")
			s.ctl(verb, "payments", "--for", "10m", "--reason", "failing over", "--author", "ana").
				wants(t, exitOK, "held for 10 min  by \"ana\": \"failing over\"", "")
			got := b.Snapshot()
			if got.State != want || got.Author != "ana" || got.Reason != "failing over" || !got.Expires.Equal(ctlStart.Add(10*time.Minute)) {
				t.Errorf("the breaker is %+v", got)
			}
			s.ctl(verb, "payments", "--for", "forever", "--reason", "longer", "--author", "").
				wants(t, exitOK, "1 breaker moved; switchgear ctl reset ends it earlier\n", "")
			if got := b.Snapshot(); got.State != want || got.Author != "" || !got.Expires.IsZero() {
				t.Errorf("the breaker is %+v", got)
			}
			s.ctl("reset", "--reason", "done", "payments").wants(t, exitOK, "\n1 breaker moved\n", "")
			if got := b.Snapshot(); got.State != breaker.Closed || got.Author != whoami() || got.Reason != "done" {
				t.Errorf("the breaker is %+v", got)
			}
		})
	}
}

func TestCtlMovesAGroup(t *testing.T) {
	s := newStation(t, admin.Config{AllowWrites: true})
	eu, us, search := s.breaker("pay/eu"), s.breaker("pay/us"), s.breaker("search")
	s.ctl("hold-open", "pay*", "--for", "1h", "--reason", "x", "--dry-run").
		wants(t, exitOK, "\n2 breakers would be moved; none was\n", "")
	if eu.State() != breaker.Closed {
		t.Error("a dry run moves")
	}
	got := s.ctl("hold-open", "pay*", "--for", "1h", "--reason", "x", "--json")
	var m admin.Moved
	if err := json.Unmarshal([]byte(got.out), &m); err != nil || len(m.Moved) != 2 || m.Moved[1].Name != "pay/us" || got.code != exitOK {
		t.Errorf("%v: %+v", err, got)
	}
	if eu.State() != breaker.ForcedOpen || us.State() != breaker.ForcedOpen || search.State() != breaker.Closed {
		t.Error("the group has not been moved, or more than it")
	}

	// What was done is told, and what was not.
	got = s.ctl("reset", "pay/eu", "serch", "search", "--reason", "done")
	got.wants(t, exitFailed, "1 breaker moved\n", "switchgear ctl reset: there is no breaker serch\nThese are there: search, ")
	if !strings.HasSuffix(got.err, "\nNot done: serch, search\n") || eu.State() != breaker.Closed {
		t.Errorf("got %q", got.err)
	}
	s.ctl("reset", "serch", "--reason", "x", "--json").wants(t, exitFailed, "", "there is no breaker serch\n")
	s.ctl("reset", "x?", "--reason", "x").wants(t, exitFailed, "", "no breaker matches \"x?\"\n")
}

// Every name there can be is one that can be given.
func TestCtlMovesBreakersOfHostileNames(t *testing.T) {
	s := newStation(t, admin.Config{AllowWrites: true})
	for _, name := range []string{"move", "..", ".", "a/b", "a b", "%2F", "-x", "--for", "\x1b[31m\n", "\u202e", "ñ", strings.Repeat("x", 256)} {
		b := s.breaker(name)
		s.ctl("hold-open", "--for", "1h", "--reason", "x", "--", name).wants(t, exitOK, "1 breaker moved", "")
		if b.State() != breaker.ForcedOpen {
			t.Errorf("%q is %v", name, b.State())
		}
		s.ctl("show", "--", name).wants(t, exitOK, "FORCED_OPEN since ", "")
	}
	s.ctl("show", "--", "move", "-x", "--for").wants(t, exitOK, "\n-x\n", "")
	for _, verb := range []string{"list", "health", "events"} {
		for _, more := range []string{"--json=false", "--json"} {
			isHarmless(t, s.ctl(verb, more).out)
		}
	}
}

func isHarmless(t *testing.T, text string) {
	t.Helper()
	for _, r := range text {
		if r == '\n' || r >= ' ' && r < 0x7f || r >= 0xa0 && r != '\u202e' {
			continue
		}
		t.Fatalf("%q in %q", r, text)
	}
}

func TestCtlMoveSendsNothingThatIsIncomplete(t *testing.T) {
	s := newStation(t, admin.Config{AllowWrites: true})
	b := s.breaker("a")
	s.answers(func(http.ResponseWriter, *http.Request) { t.Error("something was sent") })
	long := strings.Repeat("x", 257)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"hold-open"}, "switchgear ctl hold-open: needs a NAME (switchgear ctl list has them); and --for, how long, such as 10m; and --reason, why\nSee: switchgear help ctl hold-open\n"},
		{[]string{"hold-open", "a", "--for", "1h"}, "needs --reason, why\n"},
		{[]string{"hold-open", "a", "--reason", "x"}, "needs --for, how long, such as 10m\n"},
		{[]string{"hold-open", "a", "--reason", " "}, "for flag --reason: must be a text of 1 to 256 bytes"},
		{[]string{"hold-open", "a", "--reason", long}, "must be a text of 1 to 256 bytes"},
		{[]string{"hold-open", "a", "--reason", "\xff"}, "must be a text of 1 to 256 bytes"},
		{[]string{"hold-open", "a", "--author", long}, "must be a text of at most 128 bytes"},
		{[]string{"hold-open", "a", "--for", "0s"}, "for flag --for: must be a time such as 10m or 1h30m, at most 720h, or forever"},
		{[]string{"hold-open", "a", "--for", "721h"}, "at most 720h"},
		{[]string{"hold-open", "a", "--for", "10"}, "must be a time"},
		{[]string{"reset", "a"}, "needs --reason, why\n"},
		{[]string{"reset", "a", "--for", "1h", "--reason", "x"}, "unknown flag --for"},
		{[]string{"disable", "a", "--token", "x"}, "unknown flag --token\n"},
	} {
		s.ctl(c.args...).wants(t, exitUsage, "", c.want)
	}
	if b.State() != breaker.Closed {
		t.Error("it was moved")
	}
}

func TestCtlTellsOfBreakersThatWent(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"moved":[{"name":"pay/eu","state":"FORCED_OPEN"}],"gone":["pay/us"]}`)
	}))
	defer server.Close()
	args := []string{"ctl", "hold-open", "pay*", "--for", "1h", "--reason", "x", "--addr", server.URL}
	got := invoke(t.Context(), args...)
	if got.code != exitFailed || !strings.Contains(got.out, "1 breaker moved") || !strings.Contains(got.err, "gone before their turn, and so not moved: pay/us") {
		t.Errorf("%+v", got)
	}
	if got := invoke(t.Context(), append(args, "--json")...); !strings.Contains(got.out, `"gone"`) || got.code != exitFailed {
		t.Errorf("%+v", got)
	}
}
