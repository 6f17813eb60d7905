package proof

import (
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/switchgear-go/switchgear/breaker"
)

// The instrumented build is the tests of this package, compiled with another breaker:
// that of the product's own source files, but with package schedule in the places of sync
// and sync/atomic, and able to make mistakes (see mistakes). It is made with an overlay
// for the go command, so nothing is written beside the sources. Tests that need it run
// themselves again in it.

// An inspector is an instrumented breaker; see testdata/breaker_inspect.go.txt.
type inspector interface {
	Inspect() (period uint64, broken string)
	Waiting() uint64
}

// instrumented reports whether this is the instrumented build.
func instrumented() bool {
	_, ok := any((*breaker.Breaker)(nil)).(inspector)
	return ok
}

const (
	module       = "github.com/switchgear-go/switchgear"
	schedulePath = module + "/internal/proof/schedule"
	mistakeEnv   = "PROOF_MISTAKE" // tells the instrumented build which mistake to make
)

// instrumentedFiles are replaced, except for those in untouched.
var instrumentedFiles = []string{"breaker/*.go", "event/*.go"}

var untouched = map[string]string{
	"breaker/memo.go": "a cache that all breakers share, of what can be computed again; any answer of it is right",
}

// added are files that the packages get in addition.
var added = map[string]string{
	"breaker/inspect.go": "testdata/breaker_inspect.go.txt",
	"event/inspect.go":   "testdata/event_inspect.go.txt",
}

// An edit replaces a piece of code, which must stand exactly once in a file.
type edit struct{ file, old, new string }

// edits are made in every instrumented build.
var edits = []edit{
	// The cell of a goroutine depends on the address of its stack, and in an
	// exploration on the thread.
	{"breaker/cells.go", "\th ^= h >> 7\n", "\th ^= h >> 7\n\tif n, ok := proof.Thread(); ok { h = uintptr(n) }\n"},
}

// instrument returns the instrumented text of a file.
func instrument(name, text string) (string, error) {
	edits := append(slices.Clone(edits), mistakenEdits()...)
	edits = slices.DeleteFunc(edits, func(e edit) bool { return e.file != name })
	for _, e := range edits {
		if n := strings.Count(text, e.old); n != 1 {
			return "", fmt.Errorf("%s has changed: %d times, and not once, it has\n%s", name, n, e.old)
		}
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ImportsOnly)
	if err != nil {
		return "", err
	}
	for _, spec := range slices.Backward(file.Imports) { // backward: offsets stay right
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return "", err
		}
		if path == "sync" || path == "sync/atomic" {
			at := fset.Position(spec.Pos()).Offset
			text = text[:at] + path[strings.LastIndex(path, "/")+1:] + strconv.Quote(schedulePath) + text[at+len(spec.Path.Value):]
		}
	}
	end := fset.Position(file.Name.End()).Offset
	for _, e := range edits {
		text = strings.Replace(text, e.old, e.new, 1)
	}
	if strings.Contains(text, "proof.") { // on the same line: the numbers of lines stay right
		text = text[:end] + "; import proof " + strconv.Quote(schedulePath) + text[end:]
	}
	return text, nil
}

// writeOverlay writes instrumented files and an overlay for them into a folder, and
// returns the overlay's name.
func writeOverlay(dir string) (string, error) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		return "", err
	}
	var overlay struct{ Replace map[string]string }
	overlay.Replace = map[string]string{}
	add := func(name, text string) error {
		to := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		overlay.Replace[filepath.Join(root, filepath.FromSlash(name))] = to
		return os.WriteFile(to, []byte(text), 0o600)
	}
	for _, pattern := range instrumentedFiles {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			return "", err
		}
		for _, file := range files {
			name := filepath.ToSlash(file[len(root)+1:])
			if strings.HasSuffix(name, "_test.go") || untouched[name] != "" {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				return "", err
			}
			changed, err := instrument(name, string(text))
			if err != nil {
				return "", err
			}
			if err := add(name, changed); err != nil {
				return "", err
			}
		}
	}
	for name, from := range added {
		text, err := os.ReadFile(from)
		if err != nil {
			return "", err
		}
		if err := add(name, string(text)); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "overlay.json")
	return name, os.WriteFile(name, text, 0o600)
}

// buildDir holds what was built; TestMain removes it.
var buildDir string

// built returns the instrumented build, made when it is first wanted.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "proof")
	if err != nil {
		return "", err
	}
	buildDir = dir
	overlay, err := writeOverlay(dir)
	if err != nil {
		return "", err
	}
	program := filepath.Join(dir, "proof.test.exe") // a name that every system runs
	out, err := exec.Command("go", "test", "-c", "-vet=off", "-o", program, "-overlay", overlay, ".").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("the instrumented build: %w\n%s", err, out)
	}
	return program, nil
})

// runInstrumented runs tests in the instrumented build, with a mistake or "", and
// returns what they print.
func runInstrumented(t *testing.T, mistake, tests string, flags ...string) (output string, err error) {
	t.Helper()
	program, err := built()
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-test.run=" + tests, "-test.v", "-test.failfast"}, flags...)
	if testing.Short() {
		args = append(args, "-test.short")
	}
	command := exec.CommandContext(t.Context(), program, args...)
	command.Env = append(os.Environ(), mistakeEnv+"="+mistake)
	out, err := command.CombinedOutput()
	return string(out), err
}

// again runs the test itself in the instrumented build.
func again(t *testing.T, flags ...string) {
	t.Helper()
	out, err := runInstrumented(t, "", "^"+t.Name()+"$", flags...)
	if err != nil {
		t.Fatalf("in the instrumented build: %v\n%s", err, out)
	}
	t.Log("in the instrumented build:\n" + said(out))
}

// said returns what tests have logged, without the frame around it.
func said(output string) string {
	var lines []string
	for line := range strings.Lines(output) {
		if _, text, ok := strings.Cut(line, "_test.go:"); ok && strings.HasPrefix(line, "    ") {
			if _, text, ok = strings.Cut(text, ": "); ok {
				lines = append(lines, text)
			}
		}
	}
	return strings.Join(lines, "")
}
