package term

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

const (
	columns = 76 // a live line must never wrap, or it cannot be erased
	echo    = 2  // columns: a terminal shows ^C behind what stands there
	refresh = 100 * time.Millisecond
)

// A Screen writes to one receiver. Its methods are safe for concurrent use.
// Errors of the receiver are not reported: when nobody reads, there is nobody
// to tell.
type Screen struct {
	mode Mode

	mu    sync.Mutex // guards the receiver, so that lines never mix
	w     io.Writer
	drawn int // columns of the live line that is on the terminal now
}

// New returns a screen that writes to w. See [Detect] for the mode.
func New(w io.Writer, mode Mode) *Screen { return &Screen{w: w, mode: mode} }

// Printf writes formatted text, which should end in a newline. A live line makes
// room for it.
func (s *Screen) Printf(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
	fmt.Fprintf(s.w, format, args...)
}

// Watch shows line() as a live line, drawn anew ten times a second, until stop is
// called; stop returns when the line is gone, and may be called again. line is
// called on a goroutine of Watch's own and must return plain text. Without
// [Mode.Live] Watch does nothing and never calls it. There may be one live line
// at a time.
func (s *Screen) Watch(line func() string) (stop func()) {
	if !s.mode.Live {
		return func() {}
	}
	quit := make(chan struct{})
	var drawing sync.WaitGroup
	drawing.Go(func() {
		tick := time.NewTicker(refresh)
		defer tick.Stop()
		for {
			s.draw(line())
			select {
			case <-tick.C:
			case <-quit:
				s.draw("")
				return
			}
		}
	})
	return sync.OnceFunc(func() {
		close(quit)
		drawing.Wait()
	})
}

// draw replaces the live line.
func (s *Screen) draw(line string) {
	if r := []rune(line); len(r) > columns {
		line = string(r[:columns])
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := utf8.RuneCountInString(line); n > 0 {
		// Written over, not erased first, so that it does not flicker.
		fmt.Fprint(s.w, "\r", line, strings.Repeat(" ", max(s.drawn-n, 0)))
		s.drawn = n
		return
	}
	s.erase()
}

// erase takes the live line off the terminal. Blanks do it everywhere, also
// where escape codes are not wanted.
func (s *Screen) erase() {
	if s.drawn > 0 {
		fmt.Fprint(s.w, "\r", strings.Repeat(" ", s.drawn+echo), "\r")
		s.drawn = 0
	}
}
