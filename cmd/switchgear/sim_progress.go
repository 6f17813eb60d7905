package main

import (
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/switchgear-go/switchgear/cmd/switchgear/internal/term"
)

// progress is a live line that says how far a simulation has come. Its counters may be
// set from any goroutine.
type progress struct {
	began       time.Time
	done, total atomic.Int64
	stop        func()
}

// barAfter is how long something may take without a bar.
const barAfter = 500 * time.Millisecond

// startProgress shows the line on std.err, if that is a terminal, until stop is
// called.
func startProgress(std streams, total int) *progress {
	p := &progress{began: time.Now()}
	p.total.Store(int64(total))
	p.stop = term.New(std.err, term.Detect(std.err, os.Getenv)).Watch(func() string { return p.line(time.Since(p.began)) })
	return p
}

// line is what there is to say after a time.
func (p *progress) line(passed time.Duration) string {
	if passed < barAfter {
		return ""
	}
	const cells = 20
	done, total := p.done.Load(), p.total.Load()
	full := int(cells * done / max(total, 1))
	s := fmt.Sprintf("%s%s %3d %%  %d of %d runs", strings.Repeat("█", full), strings.Repeat("░", cells-full), 100*done/max(total, 1), done, total)
	if done > 0 && done < total {
		s += ", " + about(time.Duration(float64(passed)/float64(done)*float64(total-done))) + " left"
	}
	return s
}

// about puts an estimate into one number.
func about(d time.Duration) string {
	switch {
	case d < 90*time.Second:
		return fmt.Sprintf("about %d s", int(d.Seconds())+1)
	case d < 90*time.Minute:
		return fmt.Sprintf("about %d min", int(d.Minutes())+1)
	}
	return fmt.Sprintf("about %d h", int(d.Hours())+1)
}
