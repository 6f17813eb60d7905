package sgyaml

import (
	"math"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
)

func TestMarshal(t *testing.T) {
	seven := 7
	for _, tt := range []struct {
		name string
		v    any
		want string
	}{
		{"zero is left out", sample{}, "{}\n"},
		{"a pointer is what it points to", &sample{Int: 1}, "int: 1\n"},
		{"off", sample{Duration: off, Percent: off, Int: off, Big: off, Float: off}, "duration: off\npercent: off\nint: off\nbig: off\nfloat: off\n"},
		{"durations", sample{Duration: 2 * time.Minute, TTL: 1500 * time.Millisecond}, "duration: 2m\nttl: 1.5s\n"},
		{"numbers", sample{Percent: 12.5, Seed: math.MaxUint64, Float: 1e-9, Single: 0.1, Number: &seven}, "percent: 12.5%\nseed: 18446744073709551615\nfloat: 1e-09\nsingle: 0.1\nnumber: 7\n"},
		{"infinity", sample{Float: math.Inf(1)}, "float: .inf\n"},
		{"names and texts", sample{Colour: green, Text: "null", Named: "a: b", Flag: true}, "flag: true\ntext: 'null'\ncolour: green\nnamed: 'a: b'\n"},
		{"defaults", sample{Pointer: &inner{}}, "pointer: {}\n"},
		{"structs", sample{Inner: inner{Wait: time.Second, Probe: deeper{3}}}, "inner:\n  wait: 1s\n  probe:\n    halfOpen: 3\n"},
		{"lists", sample{List: []inner{{Wait: time.Second}, {}}, Times: []time.Duration{0, off}}, "list:\n- wait: 1s\n- {}\ntimes: [0s, off]\n"},
		{"maps are sorted", sample{Codes: map[int]colour{503: green, 404: red}}, "codes:\n  404: red\n  503: green\n"},
		{"what has no place is left out", sample{Func: func() {}, Any: 1, hidden: 1, Raw: &Document{}}, "{}\n"},
		{"a list", []int{1, 2}, "[1, 2]\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Marshal(tt.v)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "document", string(got), tt.want)
		})
	}
}

func TestWhatCannotBeWritten(t *testing.T) {
	endless := &sample{}
	endless.Again = endless
	for _, tt := range []struct {
		name string
		v    any
		want string
	}{
		{"no name", sample{List: nil, Codes: map[int]colour{1: 9}}, "sgyaml: there is no colour 9, in 1, in codes"},
		{"another's name", breaker.HalfOpenConfig{Verdict: 7}, `sgyaml: "rate" would not be read back as the same breaker.Verdict, in verdict`},
		{"NaN", sample{Float: math.NaN()}, "sgyaml: NaN cannot be written, in float"},
		{"no UTF-8", sample{Inner: inner{}, Text: "\xff"}, `sgyaml: "\xff" is not plain text, in text`},
		{"nothing", nil, "sgyaml: nothing to write"},
		{"no pointer", (*sample)(nil), "sgyaml: nothing to write"},
		{"a function", func() {}, "sgyaml: nothing to write"},
	} {
		_, err := Marshal(tt.v)
		if err == nil {
			t.Errorf("%s: no error", tt.name)
			continue
		}
		equal(t, tt.name, err.Error(), tt.want)
	}
	if _, err := Marshal(endless); err == nil {
		t.Error("a circle was written")
	}
}
