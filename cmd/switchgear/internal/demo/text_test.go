package demo

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/switchgear-go/switchgear/cmd/switchgear/internal/term"
)

func TestPlainTextIsPlain(t *testing.T) {
	for speed := 1; speed <= MaxSpeed; speed++ {
		inVirtualTime(t, func(t *testing.T) {
			var out bytes.Buffer
			if _, err := Play(t.Context(), Config{Speed: speed, Screen: plainScreen(&out), network: newPipes().network()}); err != nil {
				t.Fatal(err)
			}
			if strings.ContainsAny(out.String(), "\x1b\r\t") {
				t.Error("control characters in plain text")
			}
			for line := range strings.Lines(out.String()) {
				line = strings.TrimSuffix(line, "\n")
				if n := utf8.RuneCountInString(line); n > 80 {
					t.Errorf("speed %d: %d columns: %s", speed, n, line)
				}
				if strings.TrimRight(line, " ") != line {
					t.Errorf("blanks at the end of %q", line)
				}
			}
		})
	}
}

func TestEachActTellsWhatToLookAt(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		var out bytes.Buffer
		if _, err := Play(t.Context(), Config{Speed: 10, Screen: plainScreen(&out), network: newPipes().network()}); err != nil {
			t.Fatal(err)
		}
		shown := strings.Split(out.String(), "\nAct ")
		if len(shown) != Acts+1 {
			t.Fatalf("%d acts are shown, want %d", len(shown)-1, Acts)
		}
		for i, text := range shown[1:] {
			for _, want := range []string{fmt.Sprintf("%d  %s\n", i+1, acts[i].title), "  Look at ", "measured   expected", "    ✓ "} {
				if !strings.Contains(text, want) {
					t.Errorf("act %d does not show %q:\n%s", i+1, want, text)
				}
			}
		}
		for act, wants := range map[int][]string{
			1: {"●●●●●●●●●●●●●●●●●●●●  6.00 s"},
			2: {
				"●●●○○○○○○○○○○○○○○○○○  900 ms",
				`breaker "stock" is OPEN: 3 failures in a row`,
				`{"sku":"WIDGET-7","quantity":42,"source":"fallback: last known"}`,
			},
			3: {"status 400: SKU must be upper case"},
			4: {
				" 3  closed     open         300 ms   1.200 s   1.200 s  status 503\n",
				" 4  open       open         0.0 µs   1.350 s   1.350 s  refused, 250 ms left\n",
				"        the service recovers\n     6  half_open  closed ",
			},
			5: {"●○○○○○○○○○  1 sent, 9 refused", "●●●●●●●●●●  10 sent, 0 refused"},
			6: {
				"4 of 5 calls seen, too few to judge", "failure rate 43 %, 3 of 7",
				"closed → open", "rule  failure_rate", "4 of 8 calls failed (50 % ≥ 50 %)",
				"one may pass, as a probe", "half_open → open", "= 2 × 400 ms", "half_open → closed",
				"calls made", "calls spared", "time spent waiting", "time spared",
			},
		} {
			for _, want := range wants {
				if !strings.Contains(shown[act], want) {
					t.Errorf("act %d does not show %q:\n%s", act, want, shown[act])
				}
			}
		}
		if want := "\nEverything counted is as expected.\n"; !strings.Contains(out.String(), want) {
			t.Errorf("no word at the end:\n%s", &out)
		}
	})
}

func TestWhatIsOffIsShown(t *testing.T) {
	var out bytes.Buffer
	s := &show{speed: 1, screen: plainScreen(&out)}
	bad := &Act{Number: 4}
	bad.count("n", "refused", 2, 3)
	s.results(bad)
	s.finale(&Report{Acts: []*Act{{Number: 1}, bad}})
	for _, want := range []string{"✗ refused ", " 3   2\n", "Not as expected (✗), in act 4.\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, &out)
		}
	}
}

// On a terminal the same text is painted, and a live line comes and goes.
func TestOnATerminal(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		var out bytes.Buffer
		screen := term.New(&out, term.Mode{Colour: true, Live: true})
		if _, err := Play(t.Context(), Config{Speed: 1, Screen: screen, network: newPipes().network()}); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			"\x1b[1mAct 1  A naive client\x1b[0m\n",
			"\x1b[32m✓\x1b[0m reached the service",
			"● call 2 of 20  3.1 s",
			"a pause before request 2 of 12",
			"calls refused so far",
		} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("the terminal never shows %q", want)
			}
		}
		if last := out.String()[strings.LastIndexByte(out.String(), '\n'):]; last != "\n" {
			t.Errorf("%q is left on the last line", last)
		}
	})
}

func TestProgressLine(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		p := (&show{screen: plainScreen(&bytes.Buffer{})}).progress()
		defer p.stop()
		p.set("call %d", 7)
		time.Sleep(1200 * time.Millisecond)
		if got, want := p.line(), "    ⠹ call 7  1.2 s"; got != want {
			t.Errorf("line() = %q, want %q", got, want)
		}
	})
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want []string
	}{
		{"", 5, []string{""}},
		{"one", 5, []string{"one"}},
		{"one two", 7, []string{"one two"}},
		{"one two", 6, []string{"one", "two"}},
		{"a\n  b", 5, []string{"a b"}},
		{"more·than·fits x", 5, []string{"more·than·fits", "x"}},
		{"ä ö ü", 3, []string{"ä ö", "ü"}},
	} {
		if got := wrap(c.text, c.n); !slices.Equal(got, c.want) {
			t.Errorf("wrap(%q, %d) = %q, want %q", c.text, c.n, got, c.want)
		}
	}
}
