package demo

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A machine that stands still in the middle of an act, while time goes on. Here it
// is the terminal that blocks.
var standstills = []struct {
	name  string
	act   int
	line  string // after which it stands still
	pause time.Duration
}{
	{"act 4 misses the wait of the breaker", 4, `^ +4  open `, 2600 * time.Millisecond},
	{"act 6 misses the first wait", 6, `closed → open`, 5 * time.Second},
	{"act 6 misses the second wait", 6, `half_open → open`, 10 * time.Second},
}

func TestStalledActIsPlayedAgain(t *testing.T) {
	for _, c := range standstills {
		t.Run(c.name, func(t *testing.T) {
			inVirtualTime(t, func(t *testing.T) {
				out := &stalls{line: regexp.MustCompile(c.line), pause: c.pause, times: 1}
				report, err := Play(t.Context(), Config{
					Speed: 1, Act: c.act, Screen: plainScreen(out), network: newPipes().network(),
				})
				if err != nil {
					t.Fatal(err)
				}
				complain(t, report)
				if got := strings.Count(out.String(), "once more"); got != 1 {
					t.Errorf("the screen tells of %d repetitions, want 1:\n%s", got, out)
				}
			})
		})
	}
}

func TestActThatAlwaysStallsIsAnError(t *testing.T) {
	for _, c := range standstills {
		t.Run(c.name, func(t *testing.T) {
			inVirtualTime(t, func(t *testing.T) {
				out := &stalls{line: regexp.MustCompile(c.line), pause: c.pause, times: 100}
				_, err := Play(t.Context(), Config{
					Speed: 1, Act: c.act, Screen: plainScreen(out), network: newPipes().network(),
				})
				if !errors.Is(err, errStalled) {
					t.Errorf("err = %v, want %v", err, errStalled)
				}
				if got := strings.Count(out.String(), "once more"); got != plays-1 {
					t.Errorf("played again %d times, want %d", got, plays-1)
				}
			})
		})
	}
}

// A pause that spoils no count makes a time late, and no more.
func TestLateIsANote(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		out := &stalls{line: regexp.MustCompile(`^ +7  closed `), pause: time.Second, times: 1}
		report, err := Play(t.Context(), Config{
			Speed: 1, Act: 4, Screen: plainScreen(out), network: newPipes().network(),
		})
		if err != nil {
			t.Fatal(err)
		}
		complain(t, report, Note)
		if got := report.Acts[0].check(t, "end_times_s").Verdict; got != Note || !report.Pass() {
			t.Errorf("the late requests are a %q, and pass = %v; want a note, and true", got, report.Pass())
		}
		if text := out.String(); !strings.Contains(text, "~ end of each request") || !strings.Contains(text, "Marked ~") {
			t.Errorf("the note is not shown:\n%s", text)
		}
	})
}
