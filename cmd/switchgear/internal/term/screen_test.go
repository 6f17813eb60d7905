package term

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestPlainScreen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		s := New(&out, Mode{})
		stop := s.Watch(func() string {
			t.Error("line called for a screen without live lines")
			return ""
		})
		time.Sleep(time.Second)
		s.Printf("%s %d\n", s.Paint(Bad, "lost"), 3)
		stop()
		stop()
		if got := out.String(); got != "lost 3\n" {
			t.Errorf("got %q, want plain text", got)
		}
	})
}

func TestPaint(t *testing.T) {
	s := New(&bytes.Buffer{}, Mode{Colour: true})
	for _, c := range []struct {
		style      Style
		text, want string
	}{
		{Good, "ok", "\x1b[32mok\x1b[0m"},
		{Plain, "ok", "ok"},
		{Good, "", ""},
	} {
		if got := s.Paint(c.style, c.text); got != c.want {
			t.Errorf("Paint(%q, %q) = %q, want %q", c.style, c.text, got, c.want)
		}
	}
}

// shown returns what a terminal shows after it has received text: a carriage
// return goes back to the start of the line, later characters cover earlier ones.
func shown(text string) []string {
	lines := [][]rune{nil}
	at := 0
	for _, r := range text {
		line := &lines[len(lines)-1]
		switch {
		case r == '\r':
			at = 0
		case r == '\n':
			lines, at = append(lines, nil), 0
		default:
			if at == len(*line) {
				*line = append(*line, 0)
			}
			(*line)[at] = r
			at++
		}
	}
	var out []string
	for _, l := range lines {
		out = append(out, strings.TrimRight(string(l), " "))
	}
	return out
}

func TestLiveLine(t *testing.T) {
	type look struct {
		after time.Duration
		want  string
	}
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		s := New(&out, Mode{Live: true})
		written := func() string {
			s.mu.Lock()
			defer s.mu.Unlock()
			return out.String()
		}
		begin := time.Now()
		stop := s.Watch(func() string {
			// It gets shorter, so that leftovers would be seen.
			return strings.Repeat("x", 5-int(time.Since(begin)/refresh))
		})
		for _, l := range []look{{0, "xxxxx"}, {refresh, "xxxx"}, {3 * refresh, "xx"}} {
			time.Sleep(l.after - time.Since(begin))
			synctest.Wait()
			if got := strings.Join(shown(written()), "|"); got != l.want {
				t.Errorf("after %v the terminal shows %q, want %q", l.after, got, l.want)
			}
		}
		s.Printf("a line\n")
		time.Sleep(refresh)
		synctest.Wait()
		if got := strings.Join(shown(written()), "|"); got != "a line|x" {
			t.Errorf("after a print the terminal shows %q, want the line, and the live line below", got)
		}
		stop()
		stop()
		if got := strings.Join(shown(written()), "|"); got != "a line|" {
			t.Errorf("after stop the terminal shows %q, want only what was printed", got)
		}
		if !strings.HasSuffix(written(), "\rx\r   \r") {
			t.Errorf("stop blanks %q, want the x, and the ^C that a terminal may have put behind it", written())
		}
		if strings.Contains(written(), "\x1b") {
			t.Errorf("escape codes on a screen without colours: %q", written())
		}
	}) // and the bubble ends only if the goroutine did
}

func TestLiveLineNeverWraps(t *testing.T) {
	var out bytes.Buffer
	New(&out, Mode{Live: true}).draw(strings.Repeat("·", 200))
	if got := len([]rune(shown(out.String())[0])); got != columns {
		t.Errorf("the live line has %d columns, want %d", got, columns)
	}
}
