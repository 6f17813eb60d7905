package main

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// What is printed of a JSON document says the same, and commands no terminal.
func FuzzPrintJSON(f *testing.F) {
	for _, seed := range []string{`{"a": [1, "x", null]}`, "\"\u009b\u202e\x7f\U000e0001\"", "\"\xff\"", `"\u001b"`, "\"\x1b\"", "[1]\x1b", "0 \v", `{"ñ": "\ud800"}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, doc string) {
		var want any
		valid := json.Unmarshal([]byte(doc), &want) == nil
		for _, indent := range []bool{false, true} {
			var out bytes.Buffer
			if err := printJSON(&out, []byte(doc), indent); (err == nil) != valid {
				t.Fatalf("%q: error %v, valid %v", doc, err, valid)
			} else if err != nil {
				continue
			}
			text := out.String()
			for _, r := range text {
				if r != '\n' && !strconv.IsPrint(r) {
					t.Fatalf("%q in %q", r, text)
				}
			}
			if !indent && strings.Count(text, "\n") != 1 {
				t.Fatalf("not one line: %q", text)
			}
			var got any
			if err := json.Unmarshal([]byte(text), &got); err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("%q has become %q: %v", doc, text, err)
			}
		}
		for _, r := range plain(doc) {
			if !strconv.IsPrint(r) {
				t.Fatalf("%q in %q", r, plain(doc))
			}
		}
	})
}
