package architecture

import (
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// modfile is a go.mod or go.work as far as the checks need it: the arguments
// of every directive, by its verb, with blocks flattened and comments dropped.
// (The real parser is in golang.org/x/mod; the root module can do without it.)
type modfile map[string][][]string

func parseModfile(body string) modfile {
	m := modfile{}
	block := ""
	for line := range strings.Lines(body) {
		line, _, _ = strings.Cut(line, "//")
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case words[0] == ")":
			block = ""
		case block != "":
			m[block] = append(m[block], words)
		case len(words) == 2 && words[1] == "(":
			block = words[0]
		default:
			m[words[0]] = append(m[words[0]], words[1:])
		}
	}
	return m
}

// first returns the first argument of the first directive with this verb.
func (m modfile) first(verb string) string {
	if len(m[verb]) == 0 || len(m[verb][0]) == 0 {
		return ""
	}
	return m[verb][0][0]
}

// outsideWork holds the modules that go.work must not list: what the linters
// need must never decide which versions the product is built with.
var outsideWork = []string{"tools"}

// modulesAreTied: each module is named by its folder and states the Go version
// of the root, go.work lists all but outsideWork, and each nested one of those
// builds against the root beside it, also with GOWORK=off.
func modulesAreTied(r *repository) (bad []string) {
	var used []string
	for _, use := range r.work["use"] {
		used = append(used, path.Clean(use[0]))
	}
	for _, dir := range slices.Sorted(maps.Keys(r.modules)) {
		m, file := r.modules[dir], path.Join(dir, "go.mod")
		if got, want := m.first("module"), path.Join(rootPath, dir); got != want {
			bad = append(bad, fmt.Sprintf("%s: the module is named %s, not %s", file, got, want))
		}
		// A dependency may insist on the spelling 1.26.0; that is the same release.
		if v := strings.TrimSuffix(m.first("go"), ".0"); v != "1.26" {
			bad = append(bad, fmt.Sprintf("%s: go %s, not 1.26", file, v))
		}
		inWork := slices.Contains(used, dir)
		if slices.Contains(outsideWork, dir) {
			if inWork {
				bad = append(bad, fmt.Sprintf("go.work: %s must stay outside", dir))
			}
			continue
		}
		if !inWork {
			bad = append(bad, fmt.Sprintf("go.work: %s is missing", dir))
		}
		if dir != "." && !m.replacesRoot(dir) {
			bad = append(bad, fmt.Sprintf("%s: no replace of %s by the root folder", file, rootPath))
		}
	}
	return bad
}

// replacesRoot reports whether m, in the folder dir, replaces the root module
// by the root folder.
func (m modfile) replacesRoot(dir string) bool {
	return slices.ContainsFunc(m["replace"], func(words []string) bool {
		return len(words) == 3 && words[0] == rootPath && words[1] == "=>" &&
			path.Join(dir, filepath.ToSlash(words[2])) == "."
	})
}

func TestModulesAreTied(t *testing.T) { holds(t, modulesAreTied) }

func TestModulesAreTiedNotices(t *testing.T) {
	const tied = "module " + rootPath + "/x\n\ngo 1.26\n\nreplace " + rootPath + " => ../\n"
	notices(t, modulesAreTied, []breach{
		{"nothing wrong", map[string]string{
			"go.work":      "go 1.26\n\nuse (\n\t.\n\t./x // nested\n)\n",
			"x/go.mod":     tied,
			"tools/go.mod": "module " + rootPath + "/tools\n\ngo 1.26.0\n",
		}, nil},
		{"a module that go.work does not list", map[string]string{
			"go.work":  "use .",
			"x/go.mod": tied,
		}, []string{"go.work: x is missing"}},
		{"the linters inside go.work", map[string]string{
			"go.work":      "use .\nuse ./tools",
			"tools/go.mod": "module " + rootPath + "/tools\n\ngo 1.26\n",
		}, []string{"go.work: tools must stay outside"}},
		{"another name, another Go, no replace", map[string]string{
			"go.work":  "use .\nuse ./x",
			"x/go.mod": "module example.com/x\n\ngo 1.25\n\nreplace " + rootPath + " => ./y\n",
		}, []string{
			"x/go.mod: the module is named example.com/x, not " + rootPath + "/x",
			"x/go.mod: go 1.25, not 1.26",
			"x/go.mod: no replace of " + rootPath + " by the root folder",
		}},
	})
}
