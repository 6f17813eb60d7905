package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/sghttp/admin"
)

func TestCtlEventsTellsWhatHappened(t *testing.T) {
	s := newStation(t, admin.Config{})
	s.ctl("events").wants(t, exitOK, "", "")
	s.trip("payments")
	if err := s.breaker("search").Reset("ana", "to see"); err != nil {
		t.Fatal(err)
	}
	s.reg.Listener().OnEvent(event.Event{Time: ctlStart, Source: "ratelimit", Name: "a", Kind: event.Warning, Reason: "\x1b[31m"})
	s.heard(3)
	got := s.ctl("events")
	want := "" +
		"2026-03-01 03:12:44  payments: CLOSED → OPEN after 3 failures in a row, mostly dial tcp: connection refused; next probe in 30 s\n" +
		"2026-03-01 03:12:44  search: CLOSED renewed by \"ana\": \"to see\", after 0 s\n" +
		"2026-03-01 03:12:44  ratelimit \"a\" #0 warning: \"\\x1b[31m\"\n"
	if got.out != want || got.code != exitOK || got.err != "" {
		t.Errorf("got %d %s\n%s\nwant\n%s", got.code, got.err, got.out, want)
	}
	s.ctl("events", "--last", "1").wants(t, exitOK, "2026-03-01 03:12:44  ratelimit", "")
	if got := s.ctl("events", "--last", "1").out; strings.Count(got, "\n") != 1 {
		t.Errorf("got %s", got)
	}

	got = s.ctl("events", "--json")
	var e admin.Events
	if err := json.Unmarshal([]byte(got.out), &e); err != nil || len(e.Events) != 3 || e.Events[0].Name != "payments" {
		t.Fatalf("%v: %+v", err, got)
	}
	got = s.ctl("events", "--since", e.Events[0].ID)
	if got.out != strings.SplitN(want, "\n", 2)[1] {
		t.Errorf("got %s", got.out)
	}
	s.ctl("events", "--since", "x").wants(t, exitFailed, "", ": since must be the id of an event\n")
	s.ctl("events", "--since", "x-1").wants(t, exitOK, "(some events are no longer remembered, or the program was started again)\n2026", "")
}

func TestCtlEventsSinceReadsAllPages(t *testing.T) {
	s := newStation(t, admin.Config{Recent: 5000})
	b := s.breaker("a")
	for i := range 2001 {
		if err := b.Reset("", fmt.Sprintf("no. %d", i)); err != nil {
			t.Fatal(err)
		}
		if i%500 == 0 { // a listener may fall behind by so many
			s.heard(min(i+1, 1000))
		}
	}
	s.heard(1000)
	var first admin.Events
	if err := json.Unmarshal([]byte(s.ctl("events", "--json", "--last", "1000").out), &first); err != nil {
		t.Fatal(err)
	}
	epoch, _, _ := strings.Cut(first.Last, "-")
	got := s.ctl("events", "--since", epoch+"-1")
	if n := strings.Count(got.out, "\n"); n < 1900 || !strings.Contains(got.out, "no. 2000") {
		t.Errorf("%d events", n)
	}
}

func TestCtlEventsWatchGoesOnWithWhatHappens(t *testing.T) {
	s := newStation(t, admin.Config{})
	s.trip("old")
	s.heard(1)
	w := s.watch("events", "--watch")
	w.out.await(t, `old: CLOSED → OPEN`)
	s.trip("new")
	w.out.await(t, `(?s)old: CLOSED.*\n.*  new: CLOSED → OPEN`)
	w.stop("ctl events")

	s.streams.Store(0)
	j := s.watch("events", "--watch", "--json", "--last", "0")
	s.streaming()
	s.trip("later")
	line := j.out.await(t, `^(\{"id":.*\})\n`)[1]
	var it admin.Item
	if err := json.Unmarshal([]byte(line), &it); err != nil || it.Name != "later" {
		t.Errorf("%v: %s", err, line)
	}
	j.stop("ctl events")
}

// Nothing is lost or told twice when the connection breaks, however often.
func TestCtlEventsWatchConnectsAgainAfterTheLastEvent(t *testing.T) {
	s := newStation(t, admin.Config{})
	w := s.watch("events", "--watch")
	s.streaming()
	for i := range 3 {
		s.trip(fmt.Sprintf("before%d", i))
		w.out.await(t, fmt.Sprintf(`before%d: CLOSED → OPEN`, i))
		s.answers(answersStatus(http.StatusServiceUnavailable, `{"error": "as many streams as may be are open"}`))
		s.server.CloseClientConnections()
		w.errs.await(t, `switchgear ctl events: (the stream broke: .*|the server has ended the stream)\nThe next attempt is in 100ms\n`)
		w.errs.await(t, `: as many streams as may be are open\nThe next attempt is in 200ms\n`)
		s.trip(fmt.Sprintf("between%d", i))
		s.answers(nil)
		w.out.await(t, fmt.Sprintf(`between%d: CLOSED → OPEN`, i))
	}
	w.stop("ctl events")
	w.out.mu.Lock()
	defer w.out.mu.Unlock()
	if n := strings.Count(w.out.text.String(), "\n"); n != 6 {
		t.Errorf("%d lines, want 6:\n%s", n, &w.out.text)
	}
}

func TestCtlEventsWatchTellsOfAProgramThatWasStartedAgain(t *testing.T) {
	s := newStation(t, admin.Config{})
	s.trip("before")
	s.heard(1)
	w := s.watch("events", "--watch")
	s.streaming()
	w.out.await(t, `before: CLOSED → OPEN`)
	s.clock.Advance(1) // so that identifiers are others
	s.restart(admin.Config{})
	s.server.CloseClientConnections()
	w.out.await(t, `\n\(some events are no longer remembered, or the program was started again\)\n`)
	w.stop("ctl events")
}

func TestCtlEventsWatchEndsWhenItIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"a token":  {answersStatus(http.StatusUnauthorized, ""), "It takes the program's token"},
		"a page":   {answersStatus(http.StatusOK, "<html>"), "/events/stream is no stream of events\n"},
		"a flood":  {sse(strings.Repeat("x", mostMessage+1)), "a message of the stream is longer than 1048576 bytes"},
		"a pile":   {sse(strings.Repeat("data: "+strings.Repeat("x", 1000)+"\n", 1100)), "a message of the stream is longer than 1048576 bytes"},
		"no event": {sse("data: {\"time\": 1}\n\n"), "an event is not understood: "},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStation(t, admin.Config{})
			s.answers(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/events" {
					s.admin.Load().ServeHTTP(w, r)
					return
				}
				c.answer(w, r)
			})
			s.ctl("events", "--watch").wants(t, exitFailed, "", c.want)
		})
	}
}

// sse is a handler that writes something as a stream.
func sse(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, text)
	}
}

func TestCtlStreamIsReadAsTheStandardSays(t *testing.T) {
	s := newStation(t, admin.Config{})
	var asked []string
	s.answers(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Header.Get("Last-Event-ID"))
		switch len(asked) {
		case 1:
			sse(": a comment\n\nid: 7\n\nevent: gap\r\ndata: {\"missed\":\r\ndata: 3}\r\n\r\n"+
				"id: 8\nevent: of-tomorrow\ndata: x\n\nid:9\ndata:{\"text\":\"one\"}\nunknown: x\nnothing\n\nretry: x\nretry: 1\nid: 10\ndata: {\"text\": \"never ended\"}\n")(w, r)
		default:
			answersStatus(http.StatusNotFound, "")(w, r)
		}
	})
	c := &ctlClient{base: s.server.URL, http: s.server.Client()}
	var got []message
	var lost []string
	err := c.follow(t.Context(), "6", func(m message) error {
		got = append(got, m)
		return nil
	}, func(err error, wait time.Duration) { lost = append(lost, fmt.Sprint(err, " ", wait)) })
	if err == nil || !strings.Contains(err.Error(), "it answers 404") {
		t.Errorf("it ended with %v", err)
	}
	if said := fmt.Sprintf("%q", got); said != `[{"" "gap" "{\"missed\":\n3}"} {"8" "of-tomorrow" "x"} {"9" "" "{\"text\":\"one\"}"}]` {
		t.Errorf("got %s", said)
	}
	if fmt.Sprint(asked) != "[6 9]" || fmt.Sprint(lost) != "[the server has ended the stream 100ms]" {
		t.Errorf("asked after %v, lost %v", asked, lost)
	}
}
