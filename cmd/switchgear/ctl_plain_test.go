package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/cmd/switchgear/internal/term"
	"github.com/switchgear-go/switchgear/sghttp/admin"
)

func TestPlain(t *testing.T) {
	for given, want := range map[string]string{
		"":                         "",
		"a ≥ ñ → 世":                "a ≥ ñ → 世",
		"\x1b[31m\n\r\t\x00\x7f":   `\x1b[31m\n\r\t\x00\x7f`,
		"\u009b\u202e\u2028\ufeff": `\u009b\u202e\u2028\ufeff`,
		"\xff\xc3a\ufffd":          `\xff\xc3a` + "\ufffd",
		`"quoted" \ back`:          `"quoted" \ back`,
	} {
		if got := plain(given); got != want {
			t.Errorf("plain(%q) = %q, want %q", given, got, want)
		}
	}
}

func TestNamed(t *testing.T) {
	for given, want := range map[string]string{
		"": `""`, "a-b_c./1:8@x": "a-b_c./1:8@x", "a b": `"a b"`, "ñ": `"ñ"`, "a*": `"a*"`, "\x1b": `"\x1b"`,
	} {
		if got := named(given); got != want {
			t.Errorf("named(%q) = %s, want %s", given, got, want)
		}
	}
}

func TestHowLong(t *testing.T) {
	for given, want := range map[time.Duration]string{
		-time.Second: "0 s", 0: "0 s", 400 * time.Millisecond: "0 s", 500 * time.Millisecond: "1 s",
		59 * time.Second: "59 s", 59*time.Second + 600*time.Millisecond: "1 min", 125 * time.Second: "2 min 5 s",
		time.Hour: "1 h", 3*time.Hour + 59*time.Second: "3 h", 26*time.Hour + 5*time.Minute: "1 d 2 h", 720 * time.Hour: "30 d",
	} {
		if got := howLong(given); got != want {
			t.Errorf("howLong(%v) = %q, want %q", given, got, want)
		}
	}
}

// A line that is not as expected is shown as it is.
func TestWhyFallsBackToTheWholeLine(t *testing.T) {
	for text, want := range map[string]string{
		"a: OPEN since 03:12:44 (2 min), because x (y)":                    "x (y)",
		`"a: OPEN since 1 (2), b": OPEN since 03:12:44 (2 min), because x`: "x",
		"a:8080: OPEN since 03:12:44 (2 min)":                              "",
		"a: is OPEN":                                                       "a: is OPEN",
		"a: OPEN since yesterday":                                          "a: OPEN since yesterday",
		"\x1b":                                                             `\x1b`,
		"":                                                                 "",
	} {
		if got := why(admin.Summary{State: breaker.Open, Text: text}); got != want {
			t.Errorf("of %q: %q, want %q", text, got, want)
		}
	}
	s := admin.Summary{State: breaker.Closed, Text: "a: CLOSED since 1 (2), 0 of 3 calls failed", Flapping: true}
	if got := why(s); got != "flaps; 0 of 3 calls failed" {
		t.Errorf("got %q", got)
	}
}

// A name of any length moves its own line and no other.
func TestTableIsAlignedAndPainted(t *testing.T) {
	long := admin.Summary{Name: "a-name-that-is-longer-than-any-column-of-a-table-should-be", Since: ctlStart, Text: "x"}
	short := admin.Summary{Name: "ñ", State: breaker.Open, Since: ctlStart, Text: "y"}
	zone := zone([]admin.Summary{short})
	got := tableOf([]admin.Summary{long, short}, ctlStart, term.New(&bytes.Buffer{}, term.Mode{Colour: true}))
	want := "\x1b[2mSTATE\x1b[0m   \x1b[2mNAME\x1b[0m  \x1b[2mSINCE" + zone + "\x1b[0m           \x1b[2mNEXT\x1b[0m  \x1b[2mWHY\x1b[0m\n" +
		"\x1b[31mOPEN\x1b[0m    \"ñ\"   03:12:44 (0 s)        y\n" +
		"\x1b[32mCLOSED\x1b[0m  " + long.Name + "  03:12:44 (0 s)        x\n"
	if zone == "" && got != want {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}

func TestZoneIsNamedWhereItIsAnother(t *testing.T) {
	_, ours := ctlStart.Local().Zone()
	for offset, want := range map[int]string{ours: "", ours + 3600: " (" + ctlStart.In(time.FixedZone("", ours+3600)).Format("Z07:00") + ")"} {
		s := admin.Summary{Since: ctlStart.In(time.FixedZone("", offset))}
		if got := zone([]admin.Summary{s}); got != want && !(want == " (Z)" && got == " (UTC)") {
			t.Errorf("offset %d: %q, want %q", offset, got, want)
		}
	}
}
