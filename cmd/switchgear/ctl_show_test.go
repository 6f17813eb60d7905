package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/explain"
	"github.com/switchgear-go/switchgear/sghttp/admin"
)

func TestCtlShowTellsAllAboutABreaker(t *testing.T) {
	s := newStation(t, admin.Config{})
	b := s.breaker("payments")
	_ = b.Do(context.Background(), func(context.Context) error { return nil })
	_ = b.Do(context.Background(), func(context.Context) error { return switchgear.MarkIgnored(errCtlDown) })
	s.trip("payments")
	_ = b.Do(context.Background(), func(context.Context) error { return nil })
	s.clock.Advance(12 * time.Second)
	zone := zone([]admin.Summary{{Since: ctlStart}})
	want := "payments\n" +
		"  state        OPEN since 03:12:44 (12 s)" + zone + "\n" +
		"  why          3 failures in a row, mostly dial tcp: connection refused\n" +
		"  next         probe in 18 s\n" +
		"  errors       3 × error: dial tcp: connection refused\n" +
		"  calls        1 successful, 3 failed, 0 slow, 1 refused\n" +
		"               1 ignored, 0 released, 0 late\n" +
		"  trips        1, and 0 probes\n" +
		"  last failed  03:12:44 (12 s)\n"
	if got := s.ctl("show", "payments"); got.out != want || got.code != exitOK || got.err != "" {
		t.Errorf("got %d %s%s\nwant %s", got.code, got.err, got.out, want)
	}
	s.ctl("show", "payments", "--config").wants(t, exitOK, want+"  config       version 1\n    Window.", "")
	s.ctl("show", "payments", "--config").wants(t, exitOK, "    Open.Wait ", "")

	got := s.ctl("show", "payments", "--json")
	var d admin.Details
	if err := json.Unmarshal([]byte(got.out), &d); err != nil || d.Name != "payments" || d.Now.Trip.Errors[0].Count != 3 || got.code != exitOK {
		t.Errorf("%v: %+v", err, got)
	}

	s.clock.Advance(18 * time.Second)
	_ = b.Do(context.Background(), func(context.Context) error { return nil })
	s.ctl("show", "payments").wants(t, exitOK, "; last opened 03:12:44, because 3 failures in a row", "")
	s.ctl("show", "payments").wants(t, exitOK, "  window       0 calls, 0 failed, 0 slow\n", "")
}

func TestCtlShowHasTheLedger(t *testing.T) {
	s := newStation(t, admin.Config{})
	ledger, err := explain.NewLedger(explain.LedgerConfig{FailedCall: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer s.reg.Listen(ledger)()
	h, err := admin.New(s.reg, admin.Config{}, admin.WithClock(s.clock), admin.WithLedger(ledger))
	if err != nil {
		t.Fatal(err)
	}
	s.admin.Swap(h).Close()
	b := s.trip("payments")
	if got := s.ctl("show", "payments"); strings.Contains(got.out, "until now") {
		t.Errorf("a ledger without an entry:\n%s", got.out)
	}
	for range 4 {
		_ = b.Do(context.Background(), func(context.Context) error { return nil })
	}
	s.clock.Advance(30 * time.Second)
	_ = b.Do(context.Background(), func(context.Context) error { return nil })
	s.heard(3)
	for range 10_000_000 { // the ledger is another listener
		if book, ok := ledger.Book("payments"); ok && book.ProbesJudged > 0 {
			break
		}
	}
	s.ctl("show", "payments").wants(t, exitOK, ""+
		"  until now    open for 30 s in all, 1 of 1 probes good, 4 calls refused\n"+
		"               about 4 of 4 refused would have been good (1 to 4)\n"+
		"               about 0 s of waiting spared\n", "")
}

func TestCtlShowTakesSeveralAndPatterns(t *testing.T) {
	s := newStation(t, admin.Config{})
	for _, name := range []string{"pay/eu", "pay/us", "search"} {
		s.breaker(name)
	}
	got := s.ctl("show", "search", "pay*", "pay/us")
	var names []string
	for line := range strings.Lines(got.out) {
		if line[0] != ' ' && line != "\n" {
			names = append(names, strings.TrimSpace(line))
		}
	}
	if strings.Join(names, " ") != "search pay/eu pay/us" || got.code != exitOK {
		t.Errorf("got %q of %+v", names, got)
	}
	in := json.NewDecoder(strings.NewReader(s.ctl("show", "pay*", "--json").out))
	for _, want := range []string{"pay/eu", "pay/us"} {
		var d admin.Details
		if err := in.Decode(&d); err != nil || d.Name != want {
			t.Errorf("%v: %s, want %s", err, d.Name, want)
		}
	}
	s.ctl("show", "search", "pay").wants(t, exitFailed, "", "switchgear ctl show: there is no breaker pay\nThese are there: pay/eu, pay/us, search\n")
	for i := range ctlShown {
		s.breaker("b" + string(rune('A'+i)))
	}
	s.ctl("show", "*").wants(t, exitFailed, "", "103 breakers match: at most 100 can be shown\n")

	w := s.watch("show", "search", "--watch", "--every", "100ms")
	w.out.await(t, `search\n  state        CLOSED`)
	s.trip("search")
	w.out.await(t, `search\n  state        OPEN`)
	w.stop("ctl show")
}
