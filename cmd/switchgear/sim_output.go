package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	xterm "golang.org/x/term"

	"github.com/switchgear-go/switchgear/sim/report"
)

// outputs are where a report goes. What cannot be written to is found out before
// anything is simulated.
type outputs struct {
	flags *simFlags
	page  *pageFile // nil: none is wanted
}

func openOutputs(f *simFlags) (*outputs, error) {
	o := &outputs{flags: f}
	if f.csv != "" {
		if err := os.MkdirAll(f.csv, 0o777); err != nil {
			return nil, err
		}
	}
	if f.html != "" {
		page, err := createPage(f.html)
		if err != nil {
			return nil, err
		}
		o.page = page
	}
	return o, nil
}

// drop gives up what has been opened and not written.
func (o *outputs) drop() {
	if o.page != nil {
		o.page.drop()
	}
}

// write writes the report to all of them.
func (o *outputs) write(std streams, r *report.Report) error {
	if err := o.print(std.out, r); err != nil {
		return err
	}
	if o.flags.csv != "" {
		if err := report.CSV(o.flags.csv, r); err != nil {
			return err
		}
		fmt.Fprintf(std.err, "Tables are in %s\n", o.flags.csv)
	}
	if o.page != nil {
		if err := o.page.write(func(w io.Writer) error { return report.HTML(w, r) }); err != nil {
			return err
		}
		fmt.Fprintf(std.err, "The page is %s\n", o.page.path)
	}
	return nil
}

func (o *outputs) print(w io.Writer, r *report.Report) error {
	if o.flags.asJSON {
		return report.JSON(w, r)
	}
	width := o.flags.width
	if width == 0 {
		width = columnsOf(w)
	}
	return report.Text(w, r, width)
}

// columnsOf returns how wide a terminal is, and 0 of anything else.
func columnsOf(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if columns, _, err := xterm.GetSize(int(f.Fd())); err == nil {
			return columns
		}
	}
	return 0
}

// A pageFile is a file that appears when it is complete, and not before.
type pageFile struct {
	path string
	temp *os.File // nil once it is there
}

func createPage(path string) (*pageFile, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: is not a regular file", path) // and would be replaced by one
	}
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		if bad, ok := errors.AsType[*fs.PathError](err); ok { // the name of a file that nobody has asked for
			err = bad.Err
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &pageFile{path, temp}, nil
}

func (p *pageFile) write(fill func(io.Writer) error) error {
	if err := fill(p.temp); err != nil {
		return err
	}
	if err := p.temp.Chmod(0o644); err != nil {
		return err
	}
	if err := p.temp.Close(); err != nil {
		return err
	}
	if err := os.Rename(p.temp.Name(), p.path); err != nil {
		return err
	}
	p.temp = nil
	return nil
}

// drop removes what is not complete.
func (p *pageFile) drop() {
	if p.temp != nil {
		p.temp.Close()
		os.Remove(p.temp.Name())
		p.temp = nil
	}
}

// commandLine returns what was typed, so that a shell would read it again.
func commandLine(c command, args []string) string {
	words := []string{"switchgear", c.name}
	for _, a := range args {
		if a == "" || strings.ContainsFunc(a, func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_=,.:/%+@", r))
		}) {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		words = append(words, a)
	}
	return strings.Join(words, " ")
}
