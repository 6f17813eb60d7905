package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestDispensable(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a_test.go":      "package p_test\nimport \"p\"\nfunc TestA(t *T) { help(); var r rig; r.more(); p.Do() }\n",
		"b_test.go":      "package p_test\nfunc TestB(t *T) {}\nfunc help() { deeper() }\n",
		"c_test.go":      "package p_test\nfunc ExampleC() {}\nfunc deeper() {}\n",
		"d_test.go":      "package p_test\nfunc TestD(t *T) { help := 1; _ = help }\n",
		"e_test.go":      "package p_test\ntype rig struct{ deeper int }\nfunc BenchmarkE(b *B) {}\n",
		"f_test.go":      "package p_test\nfunc (rig) more() {}\nfunc FuzzF(f *F) {}\n",
		"export_test.go": "package p\nvar Hidden = 1\n",
		"g_test.go":      "package p\nfunc TestG(t *T) {}\n",
		"other_test.go":  "//go:build never\n\npackage p_test\nfunc TestOther(t *T) {}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files, err := readTestFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	for test, want := range map[string]string{
		"TestA":       "d g",
		"TestB":       "a d e f g",
		"ExampleC":    "a b d e f g",
		"TestD":       "a b c e f g",
		"BenchmarkE":  "a b c d f g",
		"TestG":       "a b c d e f",
		"TestOther":   "",
		"TestNowhere": "",
	} {
		var got []string
		for _, file := range files.dispensable(test) {
			got = append(got, strings.TrimSuffix(filepath.Base(file), "_test.go"))
		}
		slices.Sort(got)
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%s can do without %q, want %q", test, got, want)
		}
	}

	if err := os.WriteFile(filepath.Join(dir, "h_test.go"), []byte("no Go"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readTestFiles(dir); err == nil {
		t.Error("a file that is no Go: got no error")
	}
}
