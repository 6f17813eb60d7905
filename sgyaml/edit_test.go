package sgyaml

import (
	"strings"
	"testing"
	"time"
)

func TestSetReplacesOneValue(t *testing.T) {
	const text = "int: 1\ninner: {wait: 1s}\nlist: [{wait: 1s}, {wait: 2s}]\npointer: null\n"
	base := sample{Int: 1, Inner: inner{Wait: time.Second}, List: []inner{{Wait: time.Second}, {Wait: 2 * time.Second}}}
	for _, tt := range []struct {
		path, value string
		change      func(*sample)
	}{
		{"int", "2", func(s *sample) { s.Int = 2 }},
		{"int", "off", func(s *sample) { s.Int = off }},
		{"inner.wait", "2s", func(s *sample) { s.Inner.Wait = 2 * time.Second }},
		{"inner", "{}", func(s *sample) { s.Inner = inner{} }},
		{"inner.probe.halfOpen", "3", func(s *sample) { s.Inner.Probe.HalfOpen = 3 }},
		{"list[1].wait", "3s", func(s *sample) { s.List = []inner{{Wait: time.Second}, {Wait: 3 * time.Second}} }},
		{"list[0].probe.halfOpen", "3", func(s *sample) {
			s.List = []inner{{time.Second, deeper{3}}, {Wait: 2 * time.Second}}
		}},
		{"pointer", "{}", func(s *sample) { s.Pointer = &inner{} }},
		{"again.again.int", "1", func(s *sample) { s.Again = &sample{Again: &sample{Int: 1}} }},
		{"times", "[1s, 2s]", func(s *sample) { s.Times = []time.Duration{time.Second, 2 * time.Second} }},
		{"codes[503]", "green", func(s *sample) { s.Codes = map[int]colour{503: green} }},
		{"text", "'a: b'", func(s *sample) { s.Text = "a: b" }},
	} {
		d := parsed(t, text)
		c, err := d.Set(tt.path, tt.value)
		if err != nil {
			t.Errorf("%s: %v", tt.path, err)
			continue
		}
		want, got, before := base, sample{}, sample{}
		tt.change(&want)
		if err := c.Decode(&got); err != nil || !same(got, want) {
			t.Errorf("%s=%s:\ngot  %+v, %v\nwant %+v", tt.path, tt.value, got, err, want)
		}
		if err := d.Decode(&before); err != nil || !same(before, base) {
			t.Errorf("%s: the document was changed: %+v, %v", tt.path, before, err)
		}
	}
}

func TestWhatIsNullCanBeSetAgain(t *testing.T) {
	d := parsed(t, "pointer: null\n")
	for _, set := range [][2]string{{"pointer", "{}"}, {"pointer.wait", "1s"}} {
		var err error
		if d, err = d.Set(set[0], set[1]); err != nil {
			t.Fatal(err)
		}
	}
	var got sample
	if err := d.Decode(&got); err != nil || !same(got, sample{Pointer: &inner{Wait: time.Second}}) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestSetValuesHaveNoPlace(t *testing.T) {
	d := parsed(t, "inner: {wait: 1s}\nint: x\n")
	c, err := d.Set("inner", "{wait: 1, probe: {halfOpen: 1}, weight: 1}")
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "problems", listed(t, c.Decode(&sample{})), ""+
		"inner.wait: 1: must have a unit, as in 1s or 1ms\n"+
		"inner.weight: there is no such key; there are wait, probe\n"+
		"2:6: int: x: must be a whole number, such as 20")
}

func TestReplacedValuesKeepTheirPlace(t *testing.T) {
	d := parsed(t, "raw: {other: {wait: 1}}\n")
	value, ok := d.At("raw.other")
	if !ok {
		t.Fatal("not found")
	}
	c, err := d.Replace("inner", value)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "problems", listed(t, c.Decode(&sample{})), "1:21: inner.wait: 1: must have a unit, as in 1s or 1ms")
}

func TestWhatCannotBeSet(t *testing.T) {
	d := parsed(t, "int: 1\nlist: [{}]\ninner: {}\npointer: null\nagain: {pointer: ~}\n")
	for _, tt := range []struct{ path, value, want string }{
		{"list[1].wait", "1s", "list[1].wait: list has 1 entries, and none with the number 1, counted from 0"},
		{"list.wait", "1s", "list.wait: list is a list"},
		{"int.x", "1", "int.x: int is a single value"},
		{"int[0]", "1", "int[0]: int is a single value"},
		{"pointer.wait", "1s", "pointer.wait: pointer is null, and there is nothing in it to set: set it to {} before"},
		{"again.pointer.probe.halfOpen", "1", "again.pointer.probe.halfOpen: again.pointer is null, and there is nothing in it to set: set it to {} before"},
		{"a..b", "1", "a..b: must be a path such as services[0].faults[1].to"},
		{"a[", "1", "a[: must be a path such as services[0].faults[1].to"},
		{"int", "", "int: the document is empty"},
		{"int", "{", "int: {: while parsing a flow node: did not find expected node content"},
		{"int", "1\n---\n2", "int: 1\\n---\\n2: only one document is allowed in a file: a second one begins here"},
		{strings.Repeat("a.", 60) + "b", "1", "would be more than 50 deep"},
	} {
		_, err := d.Set(tt.path, tt.value)
		got := listed(t, err)
		if len(tt.path) > 80 {
			_, got, _ = strings.Cut(got, "…: ")
		}
		equal(t, tt.path+"="+tt.value, got, tt.want)
	}

	small := Limits{Values: 4}
	d, err := small.Parse("f", []byte("int: 1\ntimes: 1s"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.Set("times", "[1s]")
	equal(t, "as many as allowed", listed(t, err), "")
	_, err = d.Set("times", "[1s, 2s]")
	equal(t, "one more", listed(t, err), "times: would make more than 4 values")
	if d, err = d.Set("times", "[1s]"); err != nil {
		t.Fatal(err)
	}
	_, err = d.Set("times[0]", "[]")
	equal(t, "another in its place", listed(t, err), "")
	_, err = d.Set("times[0]", "[1s]")
	equal(t, "one more in a list", listed(t, err), "times[0]: would make more than 4 values")
}
