package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// A report is what came of one go test command for one package.
type report struct {
	ok     bool     // the package's tests passed
	built  bool     // they could be built
	ended  bool     // they came to an end in time
	passed []string // tests, by their full names
	failed []string
	output string // of the tests, or of the compiler
}

// goTest runs the tests of the package in a folder of the root module that match the
// pattern. An overlay of "" is none. The error says why there is no report.
func goTest(ctx context.Context, root, dir, pattern, overlay string, limit time.Duration) (*report, error) {
	args := []string{"test", "-json", "-short", "-count=1", "-vet=off", "-timeout=" + limit.String(), "-run=" + pattern}
	if overlay != "" {
		args = append(args, "-overlay="+overlay)
	}
	stdout, stderr, err := goCommand(ctx, root, append(args, "./"+dir)...)
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		return nil, err
	}
	r, err := parse(bytes.NewReader(stdout))
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("%w\n%s", err, stderr)
	case !r.ok && r.built && len(r.failed) == 0:
		return nil, fmt.Errorf("go test failed, but no test did:\n%s%s", r.output, stderr)
	}
	return r, nil
}

// goCommand runs a go command in a folder, on the module there and without the
// workspace. It needs no network: the root module requires nothing.
func goCommand(ctx context.Context, dir string, args ...string) (stdout, stderr []byte, err error) {
	command := exec.CommandContext(ctx, "go", args...)
	command.Dir = dir
	command.Env = append(command.Environ(), "GOWORK=off", "GOPROXY=off")
	// Interrupted, go test also ends the test that it runs.
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = 10 * time.Second
	var out, bad bytes.Buffer
	command.Stdout, command.Stderr = &out, &bad
	err = command.Run()
	return out.Bytes(), bad.Bytes(), err
}

// parse reads the events that go test -json prints for one package.
func parse(events io.Reader) (*report, error) {
	r := &report{built: true, ended: true}
	var output strings.Builder
	var running []string
	for d := json.NewDecoder(events); ; {
		var e struct{ Action, Test, Output, FailedBuild string }
		if err := d.Decode(&e); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("output of go test: %w", err)
		}
		switch e.Action {
		case "output", "build-output":
			output.WriteString(e.Output)
			if strings.HasPrefix(e.Output, "panic: test timed out after ") {
				r.ended = false
			}
		case "run":
			running = append(running, e.Test)
		case "pass", "fail", "skip":
			running = slices.DeleteFunc(running, func(test string) bool { return test == e.Test })
			switch {
			case e.Test == "":
				r.ok = e.Action == "pass"
				r.built = e.FailedBuild == ""
			case e.Action == "pass":
				r.passed = append(r.passed, e.Test)
			case e.Action == "fail":
				r.failed = append(r.failed, e.Test)
			}
		}
	}
	if !r.ok { // the program ended without a word about these
		r.failed = append(r.failed, running...)
	}
	r.output = output.String()
	return r, nil
}

// innermost returns the failed tests of which no subtest has failed: those that have
// something to say.
func (r *report) innermost() []string {
	return slices.DeleteFunc(slices.Clone(r.failed), func(test string) bool {
		return slices.ContainsFunc(r.failed, func(other string) bool { return strings.HasPrefix(other, test+"/") })
	})
}

// complaint returns the first line that a test has logged.
func (r *report) complaint() string {
	for line := range strings.Lines(r.output) {
		if strings.Contains(line, "_test.go:") || strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}
