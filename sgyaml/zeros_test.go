package sgyaml

import (
	"testing"
	"time"
)

func TestZerosThatHaveBecomeDefaultsAreFound(t *testing.T) {
	d := parsed(t, `
duration: 0s
percent: 0%
int: 0
float: 0.0
seed: 0
flag: false
text: "0"
colour: red
inner: {wait: 0ms, probe: {halfOpen: 0}}
pointer: {wait: 0s}
list: [{wait: 0s}, {wait: 1s}, {wait: 0s}]
times: [0s, 0s]
`)
	settled := sample{
		Duration: time.Minute, Percent: 50, Int: off, Float: 0.5, Seed: 7, Flag: true, Text: "x", Colour: green,
		Inner: inner{Wait: time.Second}, Pointer: &inner{Wait: 2 * time.Second},
		List: []inner{{Wait: time.Second}, {Wait: time.Second}}, Times: []time.Duration{0, 1},
	}
	const end = ": leave it out, or write off where that is allowed"
	equal(t, "found", listed(t, d.Zeros(&settled)), ""+
		"2:11: duration: 0s: zero means the default here, 1m"+end+"\n"+
		"3:10: percent: 0%: zero means the default here, 50%"+end+"\n"+
		"4:6: int: 0: zero means the default here, off"+end+"\n"+
		"5:8: float: 0.0: zero means the default here, 0.5"+end+"\n"+
		"6:7: seed: 0: zero means the default here, 7"+end+"\n"+
		"10:15: inner.wait: 0ms: zero means the default here, 1s"+end+"\n"+
		"11:17: pointer.wait: 0s: zero means the default here, 2s"+end+"\n"+
		"12:15: list[0].wait: 0s: zero means the default here, 1s"+end+"\n"+
		"13:13: times[1]: 0s: zero means the default here, 1ns"+end)
	if err := d.Zeros(sample{}); err != nil {
		t.Errorf("zeros that have stayed are found: %v", err)
	}
	if err := parsed(t, "int: 1\nduration: x\nlist: 0\ninner: 0\ntext: {}").Zeros(&settled); err != nil {
		t.Errorf("what is no zero is found: %v", err)
	}
}
