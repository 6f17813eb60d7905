package sgyaml

import (
	"fmt"
	"strings"
	"testing"
)

func TestWhatCannotBeRead(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"nothing", "", "1:1: the document is empty"},
		{"comments only", "# nothing\n", "1:1: the document is empty"},
		{"two documents", "a: 1\n---\nb: 2\n", "2:1: only one document is allowed in a file: a second one begins here"},
		{"what is behind the first", "a: 1\n---\nb: [\n", "4:1: while parsing a flow node: did not find expected node content"},
		{"an open bracket", "a: [1,\nb: 2", "3:1: while parsing a flow sequence: did not find expected ',' or ']'"},
		{"a tab", "a:\n\tb: 1", "2:1: while scanning for the next token: found character that cannot start any token"},
		{"indentation", "a: 1\n b: 2\n", "2:3: mapping values are not allowed in this context"},
		{"an unknown alias", "a: *b", "1:4: unknown anchor 'b' referenced"},
		{"a control character", "a: 1\nb: \"é\x01\"", "2:6: byte 0x01: must be UTF-8 text"},
		{"no UTF-8", "a: \xff", "1:4: byte 0xff: must be UTF-8 text"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse("f", []byte(tt.text))
			equal(t, "problems", listed(t, err), tt.want)
		})
	}
}

func TestLimits(t *testing.T) {
	const bytes = "must be at most 100"
	small := Limits{Bytes: 100, Depth: 3, Values: 10}
	bomb := "a: &a [x,x]\n"
	for c := 'b'; c < 'z'; c++ {
		bomb += fmt.Sprintf("%c: &%c [*%c,*%c,*%c,*%c]\n", c, c, c-1, c-1, c-1, c-1)
	}
	for _, tt := range []struct {
		name, text, want string
		limits           Limits
	}{
		{"as many bytes as allowed", strings.Repeat("#", 98) + "\na", "", small},
		{"one more", strings.Repeat("#", 99) + "\na", "1:1: 101 bytes: " + bytes, small},
		{"as deep as allowed", "a: [b]", "", small},
		{"one deeper", "a: [[b]]", "1:6: must be at most 3 deep", small},
		{"one deeper by an alias", "a: &a [b]\nc: [*a]", "1:1: must be at most 3 deep, with aliases written out", small},
		{"as many values as allowed", "[1, 2, 3, 4, 5, 6, 7, 8, 9]", "", small},
		{"one more", "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]", "1:1: must be at most 10 values, with aliases written out", small},
		{"one more by aliases", "a: &a [1, 2]\nb: [*a, *a]", "1:1: must be at most 10 values, with aliases written out", small},
		{"by default", strings.Repeat("[", 49) + strings.Repeat("]", 49), "", Limits{}},
		{"deeper", strings.Repeat("[", 51) + strings.Repeat("]", 51), "1:51: must be at most 50 deep", Limits{}},
		{"far deeper", strings.Repeat("[", 1<<20), "1:10001: while increasing flow level: exceeded max depth of 10000", Limits{}},
		{"longer", strings.Repeat("#", 1<<20) + "\n", "1:1: 1048577 bytes: must be at most 1048576", Limits{}},
		{"a billion laughs", bomb, "9:4: must be at most 200000 values, with aliases written out", Limits{}},
		{"many values", strings.Repeat("- 1\n", 199_999), "", Limits{}},
		{"too many values", strings.Repeat("- 1\n", 200_000), "1:1: must be at most 200000 values, with aliases written out", Limits{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := tt.limits.Parse("f", []byte(tt.text))
			equal(t, "problems", listed(t, err), tt.want)
		})
	}
}

func TestAt(t *testing.T) {
	d := parsed(t, "services:\n  - faults: [{to: 1s}]\ncodes: {503: red, a.b: green}\n")
	for _, tt := range []struct {
		path string
		want Position
	}{
		{"", Position{"f", 1, 1}},
		{"services", Position{"f", 2, 3}},
		{"services[0].faults[0].to", Position{"f", 2, 19}},
		{"codes[503]", Position{"f", 3, 14}},
		{"codes[a.b]", Position{"f", 3, 24}},
		{"codes.503", Position{"f", 3, 14}},
	} {
		v, ok := d.At(tt.path)
		if !ok {
			t.Errorf("%s: not found", tt.path)
			continue
		}
		equal(t, tt.path, v.Position(), tt.want)
	}
	for _, path := range []string{"service", "services[1]", "services[-1]", "services[x]", "services.0", "codes[503].x", ".", "a..b", "services[0", "services[]", "services[0]faults"} {
		if _, ok := d.At(path); ok {
			t.Errorf("%s: found", path)
		}
	}
}

func TestPathsAreReadAsTheyAreWritten(t *testing.T) {
	for _, steps := range [][]step{
		nil,
		{{name: "a"}},
		{{name: "a"}, {name: "b-c_d"}},
		{{name: "a"}, indexStep(0), {name: "b"}, indexStep(12), indexStep(3)},
		{keyStep("503"), keyStep("a.b"), keyStep("ü"), keyStep("x y")},
	} {
		path := formatPath(steps)
		got, err := parsePath(path)
		if err != nil || !same(got, steps) {
			t.Errorf("%s: %v, %v; want %v", path, got, err, steps)
		}
	}
	if _, err := parsePath(strings.Repeat("[0]", maxSteps+1)); err == nil {
		t.Error("paths have no bound")
	}
}

func TestKeys(t *testing.T) {
	for name, want := range map[string]string{
		"Wait": "wait", "HalfOpen": "halfOpen", "TTL": "ttl", "AIMD": "aimd", "K": "k", "MaxRTT": "maxRTT",
		"HTTPServer": "httpServer", "Gradient2": "gradient2", "TTL2": "ttl2", "Über": "über", "X1Y": "x1Y", "": "", "IDs": "iDs",
	} {
		equal(t, name, keyOf(name), want)
	}
}

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0}, {"abc", "abd", 1}, {"abc", "acb", 1},
		{"abc", "ab", 1}, {"abc", "xabc", 1}, {"kitten", "sitting", 3}, {"ca", "abc", 3}, {"é", "e", 1},
	} {
		equal(t, tt.a+"/"+tt.b, distance(tt.a, tt.b), tt.want)
		equal(t, tt.b+"/"+tt.a, distance(tt.b, tt.a), tt.want)
	}
}
