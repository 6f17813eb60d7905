package architecture

import (
	"fmt"
	"strings"
	"testing"
)

// pureImport reports whether an import path is one of the standard library,
// whose first element never has a dot, or of golang.org/x.
func pureImport(p string) bool {
	host, _, _ := strings.Cut(p, "/")
	return !strings.Contains(host, ".") || strings.HasPrefix(p, "golang.org/x/")
}

// rootIsPure: whoever requires the root module gets nothing else but
// golang.org/x. Tests count too, since their imports are requirements as well.
func rootIsPure(r *repository) (bad []string) {
	for _, req := range r.modules["."]["require"] {
		if !strings.HasPrefix(req[0], "golang.org/x/") {
			bad = append(bad, fmt.Sprintf("go.mod: requires %s", req[0]))
		}
	}
	for _, verb := range []string{"replace", "exclude"} {
		if len(r.modules["."][verb]) > 0 {
			bad = append(bad, fmt.Sprintf("go.mod: a %s holds only here, not for those who require the module", verb))
		}
	}
	for _, s := range r.sources {
		if r.moduleOf(s.dir) != "." {
			continue
		}
		for _, spec := range s.ast.Imports {
			p := importPath(spec)
			if dir, ours := folderOf(p); ours {
				// A nested module's path begins like the root's, and is another
				// module all the same.
				if m := r.moduleOf(dir); m != "." {
					bad = append(bad, r.at(spec.Pos(), "the root module imports %s of the nested module %s", p, m))
				}
			} else if !pureImport(p) {
				bad = append(bad, r.at(spec.Pos(), "the root module imports %s", p))
			}
		}
	}
	return bad
}

func TestRootIsPure(t *testing.T) { holds(t, rootIsPure) }

func TestRootIsPureNotices(t *testing.T) {
	notices(t, rootIsPure, []breach{
		{"all that is allowed", map[string]string{
			"go.mod":            "module " + rootPath + "\n\ngo 1.26\n\nrequire golang.org/x/sync v0.1.0 // indirect\n",
			"clock/clock.go":    "package clock\n\nimport (\n\t\"net/http\"\n\t\"golang.org/x/sync/errgroup\"\n\t\"" + rootPath + "/event\"\n)\n",
			"bench/go.mod":      "module " + rootPath + "/bench\n\nrequire example.com/rival v1.0.0\n",
			"bench/run_test.go": "package bench\n\nimport _ \"example.com/rival\"\n",
		}, nil},
		{"a requirement, also an indirect one", map[string]string{
			"go.mod": "module " + rootPath + "\n\nrequire (\n\tgolang.org/x/sync v0.1.0\n\texample.com/assert v1.0.0 // indirect\n)\n",
		}, []string{"go.mod: requires example.com/assert"}},
		{"a replace", map[string]string{
			"go.mod": "module " + rootPath + "\n\nreplace golang.org/x/sync => ./sync\n",
		}, []string{"go.mod: a replace holds only here, not for those who require the module"}},
		{"a test's import", map[string]string{
			"clock/clock_test.go": "package clock_test\n\nimport \"example.com/assert\"\n",
		}, []string{"clock/clock_test.go:3: the root module imports example.com/assert"}},
		{"a look-alike", map[string]string{
			"clock/clock.go": "package clock\n\nimport _ \"golang.org/xyz\"\n",
		}, []string{"clock/clock.go:3: the root module imports golang.org/xyz"}},
		{"a nested module", map[string]string{
			"sim/go.mod":         "module " + rootPath + "/sim\n",
			"breaker/x_test.go":  "package breaker_test\n\nimport _ \"" + rootPath + "/sim/trace\"\n",
			"sim/trace/trace.go": "package trace\n",
		}, []string{"breaker/x_test.go:3: the root module imports " + rootPath + "/sim/trace of the nested module sim"}},
	})
}
