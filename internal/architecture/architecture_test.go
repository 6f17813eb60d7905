// Package architecture holds tests, and only tests, about the shape of the
// whole repository: which package may import which, what the root module may
// depend on, and what every package owes its reader.
//
// Each check is a function from a [repository] to a list of violations. The
// repository is any fs.FS, so that the same function runs over the real tree
// and, in a test beside it, over a few made-up files that break the rule. A
// check that could not fail would hold nothing.
//
// The checks read source text and never run the go command. They therefore see
// files of every build constraint, and every module at once.
package architecture

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
)

// check is one rule about the repository. It returns one line for each
// violation, "file:line: what is wrong" where there is a line to name.
type check func(*repository) []string

// loadThis loads the tree that this package is part of, once: the tests of a
// package run in its own folder.
var loadThis = sync.OnceValues(func() (*repository, error) {
	return load(os.DirFS(filepath.Join("..", "..")))
})

// theRepository returns the tree that this package is part of.
func theRepository(t *testing.T) *repository {
	t.Helper()
	r, err := loadThis()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// holds fails the test with every violation of c in the real tree.
func holds(t *testing.T, c check) {
	t.Helper()
	for _, v := range c(theRepository(t)) {
		t.Error(v)
	}
}

// breach is a made-up repository and the violations that it must yield.
type breach struct {
	name  string
	files map[string]string
	want  []string
}

// notices runs c over made-up repositories. Each has the go.mod of the root
// already; a breach may replace it.
func notices(t *testing.T, c check, breaches []breach) {
	t.Helper()
	for _, b := range breaches {
		t.Run(b.name, func(t *testing.T) {
			fsys := fstest.MapFS{"go.mod": {Data: []byte("module " + rootPath + "\n\ngo 1.26\n")}}
			for name, text := range b.files {
				fsys[name] = &fstest.MapFile{Data: []byte(text)}
			}
			r, err := load(fsys)
			if err != nil {
				t.Fatal(err)
			}
			if got := c(r); !slices.Equal(got, b.want) {
				t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(b.want, "\n\t"))
			}
		})
	}
}

func TestLoadFindsThisRepository(t *testing.T) {
	r := theRepository(t)
	for _, dir := range []string{".", "bench", "cmd/switchgear", "internal/proof", "tools"} {
		if _, ok := r.modules[dir]; !ok {
			t.Errorf("no module was found in %s", dir)
		}
	}
	for _, dir := range []string{".", "internal/architecture"} {
		if !slices.ContainsFunc(r.sources, func(s source) bool { return s.dir == dir }) {
			t.Errorf("no Go file was found in %s", dir)
		}
	}
}
