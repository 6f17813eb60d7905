package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/sghttp/admin"
)

func TestCtlListTellsWhatIsOpenWhySinceWhenAndWhatIsNext(t *testing.T) {
	s := newStation(t, admin.Config{})
	s.breaker("inventory")
	s.trip("payments")
	held := s.breaker("shipping")
	if err := held.Move(breaker.Move{To: breaker.MetricsOnly, For: 10 * time.Minute, Author: "ana", Reason: "odd; until 11:00 (x)"}); err != nil {
		t.Fatal(err)
	}
	s.clock.Advance(18 * time.Second)
	zone := zone([]admin.Summary{{Since: ctlStart}})
	gap := strings.Repeat(" ", len(zone))
	want := "" +
		"STATE         NAME       SINCE" + zone + "            NEXT                 WHY\n" +
		"OPEN          payments   03:12:44 (18 s)  probe in 12 s        3 failures in a row, mostly dial tcp: connection refused\n" +
		"METRICS_ONLY  shipping   03:12:44 (18 s)  held for 9 min 42 s  by \"ana\": \"odd; until 11:00 (x)\", 0 of 0 calls failed (20 make a rate)\n" +
		"CLOSED        inventory  03:12:44 (18 s)                       0 of 0 calls failed (20 make a rate)\n" +
		"\n3 breakers: 1 OPEN, 1 METRICS_ONLY, 1 CLOSED\n"
	if gap != "" {
		want = strings.Replace(want, "SINCE"+zone+"            ", "SINCE"+zone+strings.Repeat(" ", 12-len(zone)), 1)
	}
	s.ctl("list").wants(t, exitOK, want, "")

	s.clock.Advance(12 * time.Second)
	s.ctl("list", "payments").wants(t, exitOK, "probe at next call  3 failures", "")
	if err := held.Move(breaker.Move{To: breaker.ForcedOpen, Reason: "moving"}); err != nil {
		t.Fatal(err)
	}
	s.ctl("list", "shipping").wants(t, exitOK, "held until reset  by an operator: \"moving\"\n\n1 breaker of 3: 1 FORCED_OPEN\n", "")
	s.clock.Advance(48 * time.Hour)
	s.ctl("list", "shipping").wants(t, exitOK, "2026-03-01 03:13:14 (2 d)", "")
}

func TestCtlListShowsWhatMatches(t *testing.T) {
	s := newStation(t, admin.Config{})
	s.ctl("list").wants(t, exitOK, "There are no breakers: the program has made none so far.\n", "")
	for _, name := range []string{"pay/eu", "pay/us", "search"} {
		s.breaker(name)
	}
	s.trip("pay/us")
	for args, want := range map[string]string{
		"pay*":                          "\n2 breakers of 3: 1 OPEN, 1 CLOSED\n",
		"pay/?u":                        "\n1 breaker of 3: 1 CLOSED\n",
		"pay* search":                   "\n3 breakers: 1 OPEN, 2 CLOSED\n",
		"pay* pay/us":                   "\n2 breakers of 3: 1 OPEN, 1 CLOSED\n",
		"--state open":                  "\n1 breaker of 3: 1 OPEN\n",
		"--state closed,OPEN pay*":      "\n2 breakers of 3: 1 OPEN, 1 CLOSED\n",
		"pay* --state HALF_OPEN":        "None of 3 breakers.\n",
		"--state DISABLED -- pay/us":    "None of 3 breakers.\n",
		"search --no-color -- pay/eu":   "\n2 breakers of 3: 2 CLOSED\n",
		"--json=false search --watch=0": "\n1 breaker of 3: 1 CLOSED\n",
	} {
		s.ctl(append([]string{"list"}, strings.Fields(args)...)...).wants(t, exitOK, want, "")
	}
	s.ctl("list", "serch").wants(t, exitFailed, "", "switchgear ctl list: there is no breaker serch\nThese are there: search, pay/eu, pay/us\n")
	s.ctl("list", "x*").wants(t, exitFailed, "", "switchgear ctl list: no breaker matches \"x*\"\nThese are there: ")
}

func TestCtlListAsJSONIsTheServersOfAllPages(t *testing.T) {
	s := newStation(t, admin.Config{})
	for i := range 2*ctlPage + 1 {
		s.breaker(fmt.Sprintf("b%04d", i))
	}
	got := s.ctl("list", "--json")
	var l admin.List
	if err := json.Unmarshal([]byte(got.out), &l); err != nil || got.code != exitOK || got.err != "" {
		t.Fatalf("%v: %+v", err, got)
	}
	if l.Total != 1001 || l.Matched != 1001 || len(l.Breakers) != 1001 || l.Next != "" || l.Breakers[1000].Name != "b1000" {
		t.Errorf("total %d, matched %d, %d breakers, next %q", l.Total, l.Matched, len(l.Breakers), l.Next)
	}
	if n := strings.Count(s.ctl("list").out, "CLOSED  b"); n != 1001 {
		t.Errorf("%d lines", n)
	}
}

// A server that always has a next page does not keep anybody for ever.
func TestCtlListIsBounded(t *testing.T) {
	s := newStation(t, admin.Config{})
	n := 0
	s.answers(func(w http.ResponseWriter, _ *http.Request) {
		var page admin.List
		page.Total, page.Matched = 1_000_000, 1_000_000
		for range 1000 {
			n++
			page.Breakers = append(page.Breakers, admin.Summary{Name: fmt.Sprintf("%09d", n)})
			page.Next = page.Breakers[len(page.Breakers)-1].Name
		}
		_ = json.NewEncoder(w).Encode(page)
	})
	s.ctl("list").wants(t, exitOK, "10000 breakers of 1000000: 10000 CLOSED\n990000 more are not shown: ask by NAME or --state\n", "")

	s.answers(func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(admin.List{Total: 1, Matched: 1, Breakers: []admin.Summary{{Name: "a"}}, Next: "a"})
	})
	s.ctl("list").wants(t, exitOK, "\n1 breaker: 1 CLOSED\n", "")
}

func TestCtlListWatchGoesOnUntilItIsStopped(t *testing.T) {
	s := newStation(t, admin.Config{})
	s.breaker("payments")
	w := s.watch("list", "--watch", "--every", "100ms")
	w.out.await(t, `every 100ms\n\nSTATE .*\nCLOSED  payments`)
	s.trip("payments")
	w.out.await(t, `OPEN +payments`)
	w.stop("ctl list")

	j := s.watch("list", "--watch", "--every", "100ms", "--json")
	j.out.await(t, `^\{"total":1,"matched":1,"breakers":\[.*\]\}\n\{"total":1,`)
	j.stop("ctl list")
}

func TestCtlListWatchOutlivesAnOutageOfTheHandler(t *testing.T) {
	s := newStation(t, admin.Config{})
	s.breaker("payments")
	w := s.watch("list", "--watch", "--every", "100ms")
	w.out.await(t, `CLOSED  payments`)
	s.answers(answersStatus(http.StatusBadGateway, "no"))
	w.errs.await(t, `switchgear ctl list: .*it answers 502, bad gateway, and not as an admin handler does\n`)
	s.trip("payments")
	s.answers(nil)
	w.out.await(t, `OPEN +payments`)
	s.answers(answersStatus(http.StatusUnauthorized, "no"))
	if got := <-w.code; got != exitFailed {
		t.Errorf("exit code %d, want %d", got, exitFailed)
	}
	w.errs.await(t, `It takes the program's token`)
}

func TestCtlHealth(t *testing.T) {
	s := newStation(t, admin.Config{})
	s.ctl("health").wants(t, exitOK, "UP\n", "")
	s.breaker("search")
	s.ctl("health").wants(t, exitOK, "UP: 1 CLOSED\n", "")
	s.trip("payments")
	s.ctl("health").wants(t, exitFailed, "DEGRADED: 1 OPEN, 1 CLOSED\n\nSTATE  NAME ", "")
	got := s.ctl("health", "--json")
	var h admin.Health
	if err := json.Unmarshal([]byte(got.out), &h); err != nil || got.code != exitFailed || h.Status != admin.Degraded || h.Degraded[0].Name != "payments" {
		t.Errorf("%v: %+v", err, got)
	}
	s.ctl("health", "payments").wants(t, exitUsage, "", `unexpected argument "payments"`)
	for i := range 101 {
		s.trip(fmt.Sprintf("b%03d", i))
	}
	s.ctl("health").wants(t, exitFailed, "\nand 2 more: see switchgear ctl list\n", "")
}
