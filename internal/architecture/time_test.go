package architecture

import (
	"go/ast"
	"strings"
	"testing"
)

// machineTime holds what package time offers for reading the machine's clock
// or waiting for it.
var machineTime = map[string]bool{
	"Now": true, "Since": true, "Until": true, "Sleep": true, "After": true,
	"AfterFunc": true, "NewTimer": true, "NewTicker": true, "Tick": true,
}

const instead = "take a clock.Clock, or the time as an argument"

// timeIsInjected: in the root module only package clock reads the machine's
// clock, so that everything else runs in virtual time. A test may look at the
// clock, as a guard against its own hanging, but never sleeps, save where
// sleeping takes no time: in a file that imports testing/synctest.
func timeIsInjected(r *repository) (bad []string) {
	for _, s := range r.sources {
		if r.moduleOf(s.dir) != "." || s.dir == "clock" {
			continue
		}
		name := importedAs(s.ast, "time")
		if name == "" || importedAs(s.ast, "testing/synctest") != "" {
			continue
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok || !machineTime[sel.Sel.Name] || (s.test && sel.Sel.Name != "Sleep") {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == name {
				bad = append(bad, r.at(sel.Pos(), "time.%s: "+instead, sel.Sel.Name))
			}
			return true
		})
	}
	return bad
}

// importedAs returns the name by which f knows the package, "" if it does not
// import it.
func importedAs(f *ast.File, pkg string) string {
	for _, spec := range f.Imports {
		if importPath(spec) != pkg {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		return pkg[strings.LastIndexByte(pkg, '/')+1:]
	}
	return ""
}

func TestTimeIsInjected(t *testing.T) { holds(t, timeIsInjected) }

func TestTimeIsInjectedNotices(t *testing.T) {
	const now = "import \"time\"\n\nvar start = time.Now()\n"
	notices(t, timeIsInjected, []breach{
		{"all that is allowed", map[string]string{
			"clock/real.go":   "package clock\n\n" + now,
			"bench/go.mod":    "module " + rootPath + "/bench\n",
			"bench/bench.go":  "package bench\n\n" + now,
			"event/x_test.go": "package event\n\n" + now,
			"event/y_test.go": "package event\n\nimport \"testing/synctest\"\nimport \"time\"\n\nfunc f() { time.Sleep(1) }\n",
			"event/event.go":  "package event\n\nimport \"time\"\n\nvar d = time.Second\n",
		}, nil},
		{"the machine's clock", map[string]string{
			"event/event.go":  "package event\n\n" + now,
			"event/x_test.go": "package event\n\nimport t \"time\"\n\nfunc f() { t.Sleep(1) }\n",
		}, []string{
			"event/event.go:5: time.Now: " + instead,
			"event/x_test.go:5: time.Sleep: " + instead,
		}},
	})
}
