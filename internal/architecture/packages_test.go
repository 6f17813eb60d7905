package architecture

import (
	"fmt"
	"go/ast"
	"go/doc"
	"maps"
	"slices"
	"testing"
)

// readersAreServed: every package has a package comment, and every package
// that others can import has an example that go test runs (one with an
// Output comment). For a package that consists of tests the comment may stand
// in a test file.
func readersAreServed(r *repository) (bad []string) {
	type pkg struct {
		name               string
		code, doc, example bool
	}
	packages := map[string]*pkg{}
	for _, s := range r.sources {
		p := packages[s.dir]
		if p == nil {
			p = &pkg{}
			packages[s.dir] = p
		}
		if !s.test {
			p.name, p.code = s.ast.Name.Name, true
		}
		if s.test && slices.ContainsFunc(doc.Examples(s.ast), isRun) {
			p.example = true
		}
	}
	for _, s := range r.sources {
		if p := packages[s.dir]; s.test != p.code && hasText(s.ast.Doc) {
			p.doc = true
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		p := packages[dir]
		if !p.doc {
			bad = append(bad, fmt.Sprintf("%s: no package comment", dir))
		}
		if p.code && p.name != "main" && !p.example {
			bad = append(bad, fmt.Sprintf("%s: no example that go test runs", dir))
		}
	}
	return bad
}

func isRun(e *doc.Example) bool { return e.Output != "" || e.EmptyOutput }

func hasText(c *ast.CommentGroup) bool { return c != nil && c.Text() != "" }

func TestReadersAreServed(t *testing.T) { holds(t, readersAreServed) }

func TestReadersAreServedNotices(t *testing.T) {
	const (
		run    = "package x_test\n\nfunc Example() {\n\t// Output:\n}\n"
		notRun = "package x_test\n\nfunc Example() {\n\tprintln()\n}\n"
	)
	notices(t, readersAreServed, []breach{
		{"all that is owed", map[string]string{
			"x/doc.go":                 "// Package x is documented.\npackage x\n",
			"x/more.go":                "package x\n",
			"x/example_test.go":        run,
			"cmd/x/main.go":            "// Command x is documented.\npackage main\n",
			"internal/proof/a_test.go": "// Package proof is nothing but tests.\npackage proof\n",
		}, nil},
		{"no comment", map[string]string{
			"x/x.go":            "package x\n",
			"x/example_test.go": run,
			"cmd/x/main.go":     "//go:build linux\n\npackage main\n",
		}, []string{"cmd/x: no package comment", "x: no package comment"}},
		{"a comment in a test file does not serve the code", map[string]string{
			"x/x.go":      "package x\n",
			"x/x_test.go": "// Package x is documented out of sight.\n" + run,
		}, []string{"x: no package comment"}},
		{"no example, or one that is only compiled", map[string]string{
			"x/x.go":            "// Package x is documented.\npackage x\n",
			"y/y.go":            "// Package y is documented.\npackage y\n",
			"y/example_test.go": notRun,
		}, []string{"x: no example that go test runs", "y: no example that go test runs"}},
	})
}
