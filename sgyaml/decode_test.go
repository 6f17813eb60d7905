package sgyaml

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
)

const off = switchgear.Off

func TestTheTypeDecides(t *testing.T) {
	seven := 7
	for _, tt := range []struct {
		text string
		want sample
	}{
		{"{}", sample{}},
		{"duration: 1.5s", sample{Duration: 1500 * time.Millisecond}},
		{"duration: '2m30s'", sample{Duration: 150 * time.Second}},
		{"duration: 0", sample{}},
		{"duration: off", sample{Duration: off}},
		{"percent: 50", sample{Percent: 50}},
		{"percent: 12.5%", sample{Percent: 12.5}},
		{"percent: off", sample{Percent: off}},
		{"int: -20", sample{Int: -20}},
		{"int: 010", sample{Int: 10}},
		{"int: off", sample{Int: off}},
		{"int: Off", sample{Int: off}},
		{"small: -128", sample{Small: -128}},
		{"big: off", sample{Big: off}},
		{"big: 9223372036854775807", sample{Big: math.MaxInt64}},
		{"seed: 18446744073709551615", sample{Seed: math.MaxUint64}},
		{"float: 1e-9", sample{Float: 1e-9}},
		{"float: .inf", sample{Float: math.Inf(1)}},
		{"float: -.inf", sample{Float: math.Inf(-1)}},
		{"float: off", sample{Float: off}},
		{"single: 0.1", sample{Single: 0.1}},
		{"flag: true", sample{Flag: true}},
		{"text: no", sample{Text: "no"}},
		{"text: 010", sample{Text: "010"}},
		{"text: ''", sample{Text: ""}},
		{"text: 'null'", sample{Text: "null"}},
		{"text: |\n  two\n  lines\n", sample{Text: "two\nlines\n"}},
		{"colour: green", sample{Colour: green}},
		{"named: x", sample{Named: "x"}},
		{"inner: {wait: 1s, probe: {halfOpen: 3}}", sample{Inner: inner{time.Second, deeper{3}}}},
		{"pointer: {}", sample{Pointer: &inner{}}},
		{"pointer: null", sample{}},
		{"pointer: ~", sample{}},
		{"number: 7", sample{Number: &seven}},
		{"list: [{wait: 1s}, {}]", sample{List: []inner{{Wait: time.Second}, {}}}},
		{"list: []", sample{List: []inner{}}},
		{"times: [1s, off]", sample{Times: []time.Duration{time.Second, off}}},
		{"rows: [[1], []]", sample{Rows: [][]int{{1}, {}}}},
		{"colours: [green, red]", sample{Colours: []colour{green, red}}},
		{"codes: {503: green}", sample{Codes: map[int]colour{503: green}}},
		{"names: {a.b: {wait: 1s}}", sample{Names: map[string]inner{"a.b": {Wait: time.Second}}}},
		{"ttl: 1s", sample{TTL: time.Second}},
		{"maxRTT: 1s", sample{MaxRTT: time.Second}},
		{"again: {again: {int: 1}}", sample{Again: &sample{Again: &sample{Int: 1}}}},
		{"inner: &x {wait: 1s}\npointer: *x", sample{Inner: inner{Wait: time.Second}, Pointer: &inner{Wait: time.Second}}},
		{"\ufeffint: 1", sample{Int: 1}},
		{"int: 1\r\nflag: true\r\n", sample{Int: 1, Flag: true}},
	} {
		got := sample{Int: 99}
		err := Unmarshal("f", []byte(tt.text), &got)
		if err != nil || !same(got, tt.want) {
			t.Errorf("%s:\ngot  %+v, %v\nwant %+v", tt.text, got, err, tt.want)
		}
	}
}

func TestProblemsOfValues(t *testing.T) {
	const allKeys = "duration, percent, int"
	for _, tt := range []struct{ text, want string }{
		{"duration: 5", "1:11: duration: 5: must have a unit, as in 5s or 5ms"},
		{"duration: '-0.5'", "1:11: duration: -0.5: must have a unit, as in -0.5s or -0.5ms"},
		{"duration: soon", "1:11: duration: soon: must be a duration, such as 1.5s, 200ms or 2m30s"},
		{"duration: inf", "1:11: duration: inf: must be a duration, such as 1.5s, 200ms or 2m30s"},
		{"duration: -2.147483648s", `1:11: duration: -2.147483648s: must be the word "off" if that is what is meant`},
		{"duration: [1s]", "1:11: duration: a list: must be a single value"},
		{"percent: half", "1:10: percent: half: is not a percentage such as 50 or 50%"},
		{"int: 1.5", "1:6: int: 1.5: must be a whole number, such as 20"},
		{"int: 0x10", "1:6: int: 0x10: must be a whole number, such as 20"},
		{"int: 1e3", "1:6: int: 1e3: must be a whole number, such as 20"},
		{"int: -2147483648", `1:6: int: -2147483648: must be the word "off" if that is what is meant`},
		{"small: 128", "1:8: small: 128: must be a whole number, such as 20"},
		{"small: off", "1:8: small: off: must be a whole number, such as 20"},
		{"seed: -1", "1:7: seed: -1: must be a whole number, from 0 to 18446744073709551615"},
		{"tiny: 256", "1:7: tiny: 256: must be a whole number, from 0 to 255"},
		{"seed: off", "1:7: seed: off: must be a whole number, from 0 to 18446744073709551615"},
		{"float: much", "1:8: float: much: must be a number, such as 0.5"},
		{"float: .nan", "1:8: float: .nan: must be a number, such as 0.5"},
		{"float: NaN", "1:8: float: NaN: must be a number, such as 0.5"},
		{"float: 1e999", "1:8: float: 1e999: must be a number, such as 0.5"},
		{"float: -2147483648", `1:8: float: -2147483648: must be the word "off" if that is what is meant`},
		{"flag: yes", "1:7: flag: yes: must be true or false"},
		{"colour: blue", "1:9: colour: blue: is no colour; there are red, green"},
		{"colour: {}", "1:9: colour: a mapping: must be a single value"},
		{"text:", "1:6: text: has no value: {} is one with all defaults, null is none at all"},
		{"text: null", "1:7: text: null: must be a single value"},
		{"int: ~", "1:6: int: ~: must be a single value"},
		{"inner: 5", "1:8: inner: 5: must be a mapping"},
		{"inner: null", "1:8: inner: null: must be a mapping"},
		{"pointer:\nint: 1", "1:9: pointer: has no value: {} is one with all defaults, null is none at all"},
		{"list: {wait: 1s}", "1:7: list: a mapping: must be a list"},
		{"list: [{wait: 1}, 7]", "1:15: list[0].wait: 1: must have a unit, as in 1s or 1ms\n1:19: list[1]: 7: must be a mapping"},
		{"codes: {x: red}", "1:9: codes.x: x: must be a whole number, such as 20"},
		{"codes: {503: blue}", "1:14: codes[503]: blue: is no colour; there are red, green"},
		{"codes: {7: red, +7: green}", "1:17: codes[+7]: +7: is the same key as another one"},
		{"codes: [red]", "1:8: codes: a list: must be a mapping"},
		{"int: 1\nint: 2", "2:1: int: is given twice, first in line 1"},
		{"{int: 1, 'int': 2}", "1:10: int: is given twice, first in line 1"},
		{"int: !!str 1", "1:6: int: !!str: tags are not allowed: the key says what a value is"},
		{"!!map {}", "1:1: !!map: tags are not allowed: the key says what a value is"},
		{"a: &x {}\n<<: *x", "1:1: a: there is no such key; there are " + allKeys + "…\n2:1: [<<]: merge keys are not allowed"},
		{"? [a]\n: 1", "1:3: a key must be a plain name"},
		{"'': 1", "1:1: a key must have from 1 to 200 bytes"},
		{"inner: &x {wait: *x}", "1:18: inner.wait: *x: must not stand for a thing that it is part of, or for a key"},
		{"&x int: 1\nbig: *x", "1:1: int: a key must be a plain name\n2:6: big: *x: must not stand for a thing that it is part of, or for a key"},
		{"duratoin: 1s", "1:1: duratoin: there is no such key; did you mean duration?"},
		{"max_rtt: 1s", "1:1: max_rtt: there is no such key; did you mean maxRTT?"},
		{"TTL: 1s", "1:1: TTL: there is no such key; did you mean ttl?"},
		{"inner: {probe: {Half-Open: 1}}", "1:17: inner.probe.Half-Open: there is no such key; did you mean inner.probe.halfOpen?"},
		{"halfOpen: 1", "1:1: halfOpen: there is no such key here; did you mean inner.probe.halfOpen?"},
		{"func: 1", "1:1: func: there is no such key; there are " + allKeys + "…"},
		{"hidden: 1", "1:1: hidden: there is no such key; there are " + allKeys + "…"},
		{"inner: {zebra: 1}", "1:9: inner.zebra: there is no such key; there are wait, probe"},
		{"- 1", "1:1: a list: must be a mapping"},
		{"5", "1:1: 5: must be a mapping"},
		{strings.Repeat("x", 300) + ": 1", "1:1: [" + strings.Repeat("x", 80) + "…]: a key must have from 1 to 200 bytes"},
		{"int: " + strings.Repeat("é", 300), "1:6: int: " + strings.Repeat("é", 40) + "…: must be a whole number, such as 20"},
	} {
		v := sample{Int: 99}
		got := listed(t, Unmarshal("f", []byte(tt.text), &v))
		want, cut := tt.want, strings.Contains(tt.want, allKeys+"…")
		if cut { // the rest of the list does not matter
			i := strings.Index(got, allKeys)
			j := strings.Index(got[max(i, 0):]+"\n", "\n")
			if i >= 0 {
				got = got[:i] + allKeys + "…" + got[i+j:]
			}
		}
		if got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.text, got, want)
		}
		if v.Int != 99 {
			t.Errorf("%s: the value was changed", tt.text)
		}
	}
}

func TestListsOfProblemsEnd(t *testing.T) {
	var v sample
	err := Unmarshal("f", []byte("times: ["+strings.Repeat("x,", 250)+"]"), &v)
	bad, ok := errors.AsType[*Error](err)
	if !ok {
		t.Fatal(err)
	}
	equal(t, "problems", len(bad.Problems), MaxProblems)
	equal(t, "more", bad.More, 150)
	if !strings.HasSuffix(bad.Error(), "\nand 150 more") {
		t.Error(bad.Error())
	}
}

func TestWhatCannotBeDecodedInto(t *testing.T) {
	d := parsed(t, "{}")
	var none *sample
	for _, v := range []any{nil, sample{}, none, new(any), new(func()), new(chan int)} {
		if err := d.Decode(v); err == nil {
			t.Errorf("%T: no error", v)
		}
	}
}

// Types that have themselves as a part.
type (
	ring      struct{ Next *otherRing }
	otherRing struct{ Next *ring }
	nest      []nest
	around    struct{ Rings []ring }
)

func TestTypesWithoutAnEnd(t *testing.T) {
	var r ring
	equal(t, "an unknown key", listed(t, Unmarshal("f", []byte("next: {next: {value: 1}}"), &r)),
		"1:15: next.next.value: there is no such key; there are next")
	equal(t, "an unknown key around it", listed(t, Unmarshal("f", []byte("value: 1"), new(around))),
		"1:1: value: there is no such key; there are rings")
	if err := Unmarshal("f", []byte("next: {next: {next: {}}}"), &r); err != nil || r.Next.Next.Next == nil {
		t.Errorf("%+v, %v", r, err)
	}
	if err := Unmarshal("f", []byte("[]"), new(nest)); err == nil {
		t.Error("a list of itself was read")
	}
}

func TestRawValuesAreDecodedLater(t *testing.T) {
	var v sample
	if err := Unmarshal("f", []byte("raw:\n  int: x\n  int: 1\n"), &v); err != nil {
		t.Fatal("nobody has asked yet:", err)
	}
	equal(t, "position", v.Raw.Position(), Position{"f", 2, 3})
	equal(t, "problems", listed(t, v.Raw.Decode(&v)), "2:8: int: x: must be a whole number, such as 20\n3:3: int: is given twice, first in line 2")
}

func TestLoadReportsBoundsWithTheRest(t *testing.T) {
	d := parsed(t, "int: 5\nduration: 1\nbig: 7\ninner: {wait: 1s, weight: 2}\n")
	v := sample{Text: "before"}
	err := d.Load(&v, func() error {
		if v.Int != 5 || v.Duration != 0 || v.Inner.Wait != time.Second {
			t.Errorf("to be validated: %+v", v)
		}
		return &switchgear.ConfigError{Problems: []switchgear.Problem{
			{Path: "Int", Value: 5, Bound: "must be 6, or Off"},
			{Path: "Duration", Value: time.Duration(0), Bound: "is the consequence of what could not be read"},
			{Path: "Float", Value: 0.0, Bound: "may be the consequence of anything"},
			{Path: "Inner.Wait", Value: time.Second, Bound: "must be more"},
		}}
	})
	equal(t, "problems", listed(t, err), "1:6: int: 5: must be 6, or off\n"+
		"2:11: duration: 1: must have a unit, as in 1s or 1ms\n"+
		"4:15: inner.wait: 1s: must be more\n"+
		"4:19: inner.weight: there is no such key; there are wait, probe")
	equal(t, "the value is as before", v.Text, "before")

	d = parsed(t, "int: 5")
	if err := d.Load(&v, func() error { return nil }); err != nil || v.Int != 5 || v.Text != "" {
		t.Errorf("%+v, %v", v, err)
	}
	other := errors.New("of another kind")
	v.Int = 1
	if err := d.Load(&v, func() error { return other }); err != other || v.Int != 1 {
		t.Errorf("%+v, %v", v, err)
	}
}
