package main

import (
	"fmt"
	"io"
	"os"
	"time"
)

// progress is a line on a terminal that is written over.
type progress struct {
	w     io.Writer // nil if nobody would see it
	shown time.Duration
}

func showProgress(w io.Writer) *progress {
	if f, ok := w.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			return &progress{w: w}
		}
	}
	return &progress{}
}

const clearLine = "\r\x1b[K"

func (p *progress) update(done, all uint64, took time.Duration) {
	if p.w == nil || took-p.shown < 500*time.Millisecond {
		return
	}
	p.shown = took
	speed := float64(done) / took.Seconds()
	line := fmt.Sprintf("%.0f %% of %.3g operations, %.2f million a second", 100*float64(min(done, all))/float64(all), float64(all), speed/1e6)
	if done > 0 && done < all {
		line += fmt.Sprintf(", about %v to go", time.Duration(float64(all-done)/speed*1e9).Round(time.Second))
	}
	fmt.Fprint(p.w, clearLine+line)
}

// clear removes the line.
func (p *progress) clear() {
	if p.w != nil {
		fmt.Fprint(p.w, clearLine)
	}
}
