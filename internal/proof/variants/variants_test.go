package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestVariants makes all the mistakes, or with -short some of each kind.
func TestVariants(t *testing.T) {
	some := variants()
	if testing.Short() {
		some = spread(some, 10)
	}
	newBench(root(t)).tryAll(t.Context(), some, func(v *variant, r result) {
		t.Run(v.name, func(t *testing.T) {
			switch {
			case r.err != nil:
				t.Error(r.err)
			case len(r.tests) == 0:
				t.Errorf("%s: not noticed by %s", v.file, v.by)
			default:
				t.Logf("%.1f s, by %s", r.took.Seconds(), strings.Join(r.tests, ", "))
			}
		})
	})
}

// TestRightCodePasses is what a catch rests on: without any mistake the tests pass.
func TestRightCodePasses(t *testing.T) {
	if err := newBench(root(t)).checkRight(t.Context(), variants()); err != nil {
		t.Error(err)
	}
}

// spread returns n of the variants, at equal distances.
func spread(all []variant, n int) (some []variant) {
	for i := range n {
		some = append(some, all[(2*i+1)*len(all)/(2*n)])
	}
	return some
}

func root(t *testing.T) string {
	t.Helper()
	dir, err := findRoot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestTable checks what the table says of itself.
func TestTable(t *testing.T) {
	all := variants()
	if len(all) < 45 {
		t.Errorf("%d variants, want at least 45", len(all))
	}
	known := numbers(t)
	names, edits, dirs := map[string]bool{}, map[[3]string]string{}, map[string]bool{}
	for _, v := range all {
		dirs[v.dir()] = true
		if names[v.name] {
			t.Errorf("%s: the name stands there twice", v.name)
		}
		names[v.name] = true
		edit := [3]string{v.file, v.old, v.new}
		if other, ok := edits[edit]; ok {
			t.Errorf("%s: the same as %s", v.name, other)
		}
		edits[edit] = v.name
		cited, _, _ := strings.Cut(v.name, ": ")
		for number := range strings.SplitSeq(cited, ", ") {
			if number, _, _ = strings.Cut(number, "."); !known[number] {
				t.Errorf("%s: %q is neither a rule nor a known fault that is tested", v.name, number)
			}
		}
	}
	for _, dir := range []string{"breaker", "window", "event", "evidence", "clock"} {
		if !dirs[dir] {
			t.Errorf("there is no mistake in package %s", dir)
		}
	}
}

// numbers returns the rules of the specification and the known faults that tests of the
// product name.
func numbers(t *testing.T) map[string]bool {
	t.Helper()
	known := map[string]bool{}
	collect := func(file, pattern string) {
		t.Helper()
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(text), -1) {
			known[m[1]] = true
		}
	}
	dir := root(t)
	collect(filepath.Join(dir, "docs", "spec", "state-machine.md"), `(?m)^### ([A-Z]\d+)\.`)
	collect(filepath.Join(dir, "breaker", "faults_test.go"), `"(K\d\d) `)
	collect(filepath.Join(dir, "window", "window_regression_test.go"), `func Test(K\d\d)`)
	return known
}

// harmless is a change that no test can notice.
var harmless = variant{
	name: "a comment says it in other words",
	file: "breaker/rules.go",
	old:  "// reached reports whether part/whole is at least a threshold",
	new:  "// reached tells whether part/whole is no less than a threshold",
	by:   "TestFaults/K06",
}

// change returns harmless, changed.
func change(f func(*variant)) variant {
	v := harmless
	f(&v)
	return v
}

func TestSurvivorIsReported(t *testing.T) {
	caught := change(func(v *variant) {
		v.name, v.old, v.new = "K06", "part*100_00 >= threshold*whole", "part*100_00 > threshold*whole"
	})
	var out strings.Builder
	err := run(t.Context(), &out, []variant{harmless, caught}, true, nil)
	if err == nil || err.Error() != "1 of 2 variants were not caught" {
		t.Errorf("error: got %v", err)
	}
	for _, want := range []string{
		"SURVIVED  a comment says it in other words  TestFaults/K06\n",
		"caught    K06                               TestFaults\n",
		"    - part*100_00 >= threshold*whole\n    + part*100_00 > threshold*whole\n",
		"    by TestFaults/K06 trip comparison uses > instead of >=\n",
		"state: got CLOSED, want OPEN\n",
		"1 caught, 1 survived, 0 could not be judged\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("output lacks %q:\n%s", want, out.String())
		}
	}
}

// TestErrors: what is wrong with a variant is told, and is never taken for a catch.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		what string
		v    variant
		want string
	}{
		{"the text is gone", change(func(v *variant) { v.old = "no such text" }), "breaker/rules.go has changed: the text to be replaced stands there 0 times"},
		{"the text stands there more than once", change(func(v *variant) { v.old = "return" }), "times, and must once:\nreturn"},
		{"there is no text", change(func(v *variant) { v.old = "" }), "it replaces nothing"},
		{"it changes nothing", change(func(v *variant) { v.new = v.old }), "it replaces nothing"},
		{"there is no such file", change(func(v *variant) { v.file = "breaker/gone.go" }), "gone.go"},
		{"it does not build", change(func(v *variant) { v.new = "this is no Go\n" + v.old }), "it does not build:\n"},
		{"there is no such test", change(func(v *variant) { v.by = "TestNothing" }), `there is no test "TestNothing"`},
		{"there is no such subtest", change(func(v *variant) { v.by = "TestFaults/Q99" }), `there is no test "TestFaults/Q99"`},
	} {
		t.Run(c.what, func(t *testing.T) {
			r := newBench(root(t)).try(t.Context(), &c.v)
			if r.err == nil || !strings.Contains(r.err.Error(), c.want) {
				t.Errorf("got error %v, want one with %q", r.err, c.want)
			}
			if len(r.tests) > 0 {
				t.Errorf("caught by %v", r.tests)
			}
		})
	}
	t.Run("the test it names does not exist", func(t *testing.T) {
		v := change(func(v *variant) { v.by = "TestFaults/Q99" })
		if err := newBench(root(t)).checkRight(t.Context(), []variant{v}); err == nil || !strings.Contains(err.Error(), `package breaker has no test "TestFaults/Q99"`) {
			t.Errorf("got error %v", err)
		}
	})
	t.Run("no more time", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if r := newBench(root(t)).try(ctx, &harmless); r.err == nil {
			t.Error("got no error")
		}
	})
}

func TestSelected(t *testing.T) {
	all := []variant{{name: "T1, K06: one"}, {name: "T2: two"}, {name: "T3: one"}}
	for _, c := range []struct{ words, want string }{
		{"", "T1, K06: one|T2: two|T3: one"},
		{"K06", "T1, K06: one"},
		{"T3 T2", "T2: two|T3: one"},
		{"one T1", "T1, K06: one|T3: one"},
		{"T1 T4", `no variant has "T4" in its name`},
	} {
		some, err := selected(all, strings.Fields(c.words))
		var names []string
		for _, v := range some {
			names = append(names, v.name)
		}
		got := strings.Join(names, "|")
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q: got %s, want %s", c.words, got, c.want)
		}
	}
}

func TestPattern(t *testing.T) {
	v := variant{by: "TestFaults/K06 trip (>"}
	if got, want := v.pattern(), `^TestFaults$/^K06_trip_\(>`; got != want {
		t.Errorf("pattern: got %s, want %s", got, want)
	}
	for test, want := range map[string]bool{
		"TestFaults/K06_trip_(>_for_>=)":     true,
		"TestFaults/K06_trip_(>_for_>=)/sub": true,
		"TestFaults/K07":                     false,
		"TestFaults":                         false,
		"TestFaultsUnderLoad/K06_trip_(>":    false,
	} {
		if got := v.isJudgedBy([]string{"TestOther/K06_trip_(>", test}); got != want {
			t.Errorf("%s: got %v", test, got)
		}
	}
}

func TestParse(t *testing.T) {
	parsed := func(lines ...string) *report {
		t.Helper()
		r, err := parse(strings.NewReader(strings.Join(lines, "\n")))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	t.Run("passed", func(t *testing.T) {
		r := parsed(`{"Action":"start"}`, `{"Action":"run","Test":"TestA"}`, `{"Action":"pass","Test":"TestA"}`, `{"Action":"pass"}`)
		if !r.ok || !r.built || !r.ended || !slices.Equal(r.passed, []string{"TestA"}) || r.failed != nil {
			t.Errorf("got %+v", r)
		}
	})
	t.Run("failed: the innermost tests have something to say", func(t *testing.T) {
		r := parsed(
			`{"Action":"output","Test":"TestA/x","Output":"=== RUN   TestA/x\n"}`,
			`{"Action":"output","Test":"TestA/x","Output":"    a_test.go:7: wrong\n"}`,
			`{"Action":"fail","Test":"TestA/x"}`, `{"Action":"fail","Test":"TestA"}`,
			`{"Action":"fail","Test":"TestAB"}`, `{"Action":"fail"}`)
		if r.ok || !r.built || !r.ended || !slices.Equal(r.innermost(), []string{"TestA/x", "TestAB"}) {
			t.Errorf("got %+v", r)
		}
		if got := r.complaint(); got != "a_test.go:7: wrong" {
			t.Errorf("complaint: got %q", got)
		}
	})
	t.Run("not built", func(t *testing.T) {
		r := parsed(`{"ImportPath":"p","Action":"build-output","Output":"p.go:1: wrong\n"}`,
			`{"ImportPath":"p","Action":"build-fail"}`, `{"Action":"fail","FailedBuild":"p"}`)
		if r.ok || r.built || r.output != "p.go:1: wrong\n" {
			t.Errorf("got %+v", r)
		}
	})
	t.Run("not ended", func(t *testing.T) {
		r := parsed(`{"Action":"output","Test":"TestA","Output":"panic: test timed out after 10s\n"}`,
			`{"Action":"fail","Test":"TestA"}`, `{"Action":"fail"}`)
		if r.ok || r.ended {
			t.Errorf("got %+v", r)
		}
	})
	t.Run("no events", func(t *testing.T) {
		if _, err := parse(strings.NewReader("no such tool")); err == nil {
			t.Error("got no error")
		}
	})
}

func TestSpread(t *testing.T) {
	all := variants()
	some := spread(all, 10)
	seen, dirs := map[string]bool{}, map[string]bool{}
	for _, v := range some {
		seen[v.name], dirs[v.dir()] = true, true
	}
	if len(seen) != 10 || len(dirs) < 3 {
		t.Errorf("%d different variants in %d packages, want 10 in at least 3", len(seen), len(dirs))
	}
}
