package architecture

import (
	"path"
	"strings"
	"testing"
)

// layer is a set of folders that may import the layers below it. A name may
// end in a pattern as path.Match has it; what lies in a named folder belongs
// to the same layer.
type layer struct {
	name    string
	folders []string
}

// layers has the lowest first. Folders are listed before they exist, so that
// a new package finds its place waiting; docs/architecture.md shows the same
// order.
var layers = []layer{
	{"vocabulary", []string{"."}},
	{"internals", []string{"internal/*"}},
	{"foundations", []string{"clock", "event", "window", "evidence"}},
	{"policies", []string{
		"breaker", "retry", "backoff", "budget", "timeout", "bulkhead", "ratelimit", "adaptive",
		"throttle", "hedge", "fallback", "cache", "collapse", "inject",
	}},
	{"composition", []string{"pipeline"}},
	{"management", []string{"registry", "explain", "config"}},
	{"measurement", []string{"internal/metrics"}},
	{"adapters", []string{"sg*"}},
	{"simulation", []string{"sim"}},
	{"programs", []string{"cmd/*", "examples/*"}},
	{"proof", []string{"internal/proof", "internal/browser", "internal/observe", "internal/architecture", "bench"}},
}

// sideways holds the imports allowed inside a layer, and why. Everything else
// in one layer stands side by side and knows nothing of its neighbours.
var sideways = map[[2]string]string{
	{"retry", "backoff"}: "the delays between attempts are a backoff's",
	{"retry", "budget"}:  "a retry draws on a budget",
	{"hedge", "budget"}:  "a hedge draws on the same budget as a retry",
}

// place returns the layer of the folder dir and the named folder that it is
// part of, or -1 if no layer names it. An exact name beats a pattern.
func place(dir string) (rank int, folder string) {
	rank = -1
	for ; ; dir = path.Dir(dir) {
		for i, l := range layers {
			for _, f := range l.folders {
				if f == dir {
					return i, dir
				}
				if ok, err := path.Match(f, dir); err == nil && ok {
					rank, folder = i, dir
				}
			}
		}
		// The root is a package of its own and not the home of the homeless.
		if rank >= 0 || !strings.Contains(dir, "/") {
			return rank, folder
		}
	}
}

// importsRunOneWay: a package imports only layers below its own. External
// tests (package x_test) are free, since an example may show a package with
// the ones above it; they cannot make a cycle.
func importsRunOneWay(r *repository) (bad []string) {
	for _, s := range r.sources {
		if s.external || r.moduleOf(s.dir) == "tools" {
			continue
		}
		from, fromFolder := place(s.dir)
		if from < 0 {
			bad = append(bad, r.at(s.ast.Package, "%s is in no layer: give it a place in layers_test.go", s.dir))
			continue
		}
		for _, spec := range s.ast.Imports {
			dir, ok := folderOf(importPath(spec))
			if !ok {
				continue
			}
			to, toFolder := place(dir)
			_, allowed := sideways[[2]string{fromFolder, toFolder}]
			switch {
			case fromFolder == toFolder || allowed:
			case to < 0:
				bad = append(bad, r.at(spec.Pos(), "%s imports %s, which is in no layer", s.dir, dir))
			case to >= from:
				bad = append(bad, r.at(spec.Pos(), "%s (%s) must not import %s (%s)",
					s.dir, layers[from].name, dir, layers[to].name))
			}
		}
	}
	return bad
}

func TestImportsRunOneWay(t *testing.T) { holds(t, importsRunOneWay) }

func TestImportsRunOneWayNotices(t *testing.T) {
	imports := func(pkg string, folders ...string) string {
		var b strings.Builder
		b.WriteString("package " + pkg + "\n")
		for _, f := range folders {
			b.WriteString("import _ \"" + path.Join(rootPath, f) + "\"\n")
		}
		return b.String()
	}
	notices(t, importsRunOneWay, []breach{
		{"all that is allowed", map[string]string{
			"doc.go":                 imports("switchgear"),
			"event/event.go":         imports("event", ".", "internal/stripe"),
			"breaker/breaker.go":     imports("breaker", ".", "clock", "event", "breaker/internal/slot"),
			"breaker/rate_test.go":   imports("breaker", "window"),
			"retry/retry.go":         imports("retry", "backoff", "budget"),
			"sghttp/transport.go":    imports("sghttp", "breaker", "registry"),
			"sim/sim.go":             imports("sim", "pipeline", "sgslog"),
			"cmd/switchgear/main.go": imports("main", "sim", "cmd/switchgear/internal/demo"),
			"bench/bench_test.go":    imports("bench", "breaker"),
		}, nil},
		{"an external test may look up", map[string]string{
			"example_test.go": imports("switchgear_test", "breaker"),
		}, nil},
		{"the vocabulary imports a foundation", map[string]string{
			"doc.go": imports("switchgear", "event"),
		}, []string{"doc.go:2: . (vocabulary) must not import event (foundations)"}},
		{"a foundation imports a policy", map[string]string{
			"clock/clock.go": imports("clock", "breaker"),
		}, []string{"clock/clock.go:2: clock (foundations) must not import breaker (policies)"}},
		{"so does its internal test", map[string]string{
			"clock/clock_test.go": imports("clock", "breaker"),
		}, []string{"clock/clock_test.go:2: clock (foundations) must not import breaker (policies)"}},
		{"neighbours", map[string]string{
			"window/window.go":   imports("window", "clock"),
			"breaker/breaker.go": imports("breaker", ".", "retry"),
			"budget/budget.go":   imports("budget", "retry"),
		}, []string{
			"breaker/breaker.go:3: breaker (policies) must not import retry (policies)",
			"budget/budget.go:2: budget (policies) must not import retry (policies)",
			"window/window.go:2: window (foundations) must not import clock (foundations)",
		}},
		{"a policy imports an adapter", map[string]string{
			"hedge/hedge.go": imports("hedge", "sghttp"),
		}, []string{"hedge/hedge.go:2: hedge (policies) must not import sghttp (adapters)"}},
		{"a program imports the proofs", map[string]string{
			"cmd/switchgear/main.go": imports("main", "internal/proof"),
		}, []string{"cmd/switchgear/main.go:2: cmd/switchgear (programs) must not import internal/proof (proof)"}},
		{"a package without a place", map[string]string{
			"util/util.go":       imports("util"),
			"breaker/breaker.go": imports("breaker", "util"),
		}, []string{
			"breaker/breaker.go:2: breaker imports util, which is in no layer",
			"util/util.go:1: util is in no layer: give it a place in layers_test.go",
		}},
	})
}
