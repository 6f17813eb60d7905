package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	xterm "golang.org/x/term"
)

// repeat prints what show returns, once or, with --watch, again and again. What cannot
// be shown now may be so later, once it could be shown at all: who watches an outage
// does not want to be left alone by it.
func (f *ctlFlags) repeat(ctx context.Context, name string, std streams, show func(context.Context) (string, error)) int {
	shown := false
	_, mode := f.screen(std)
	for {
		text, err := show(ctx)
		if err != nil && (!f.watch || !shown || !passes(err)) || ctx.Err() != nil {
			return failed(ctx, std, name, errors.Join(ctx.Err(), err))
		}
		switch {
		case !f.watch:
			if _, err := io.WriteString(std.out, text); err != nil {
				return failed(ctx, std, name, err)
			}
			return exitOK
		case err != nil && (f.asJSON || !mode.Colour):
			fmt.Fprintf(std.err, "switchgear %s: %v\n", name, err)
		default:
			if err != nil {
				text = err.Error() + "\n"
			}
			if err := f.frame(std.out, text, shown, mode.Colour && !f.asJSON); err != nil {
				return failed(ctx, std, name, err)
			}
		}
		shown = true
		if err := pause(ctx, f.every); err != nil {
			return failed(ctx, std, name, err)
		}
	}
}

// passes reports whether it may be that the same request succeeds later.
func passes(err error) bool {
	r, ok := errors.AsType[*refusal](err)
	return !ok || r.passes()
}

// frame prints one picture. A terminal that understands escape codes, which is one that
// paints, shows it in the place of the one before.
func (f *ctlFlags) frame(w io.Writer, text string, again, replace bool) error {
	if f.asJSON {
		_, err := io.WriteString(w, text)
		return err
	}
	heading := time.Now().Format(time.TimeOnly) + ", every " + f.every.String()
	switch {
	case replace:
		const home, clear = "\x1b[H", "\x1b[J"
		text = home + clear + fit(heading+"; Ctrl-C ends it\n\n"+text, w)
	case again:
		text = "\n" + heading + "\n\n" + text
	default:
		text = heading + "\n\n" + text
	}
	_, err := io.WriteString(w, text)
	return err
}

// fit leaves out the lines that a terminal has no room for.
func fit(text string, w io.Writer) string {
	file, ok := w.(*os.File)
	if !ok {
		return text
	}
	_, rows, err := xterm.GetSize(int(file.Fd()))
	lines := strings.SplitAfter(text, "\n")
	if err != nil || rows < 5 || len(lines) < rows {
		return text
	}
	return strings.Join(lines[:rows-2], "") + fmt.Sprintf("… %d lines more\n", len(lines)-rows+1)
}

// pause waits, or returns why not.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
