package sgyaml

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
)

func TestLocate(t *testing.T) {
	d := parsed(t, "services:\n  - faults:\n      - {to: 5s}\n      - to: 1s\nttl: 1s\ncodes: {503: red}\n")
	var list []switchgear.Problem
	for _, p := range []string{
		"TTL", "Services[0].Faults[1].To", "Services[0].Faults[1].From", "Services[0].Pool.Workers", "Services[7].Name",
		"HalfOpen.Probes", "Codes[503]", "", "no path: at all", "Missing.TTL",
	} {
		list = append(list, switchgear.Problem{Path: p, Value: time.Minute, Bound: "must be less, or Off"})
	}
	err := d.Locate(fmt.Errorf("made worse: %w", &switchgear.ConfigError{Policy: "x", Problems: list}))
	equal(t, "problems", listed(t, err), ""+
		"1:1: halfOpen.probes: 1m: must be less, or off\n"+
		"1:1: 1m: must be less, or off\n"+
		"1:1: no path: at all: 1m: must be less, or off\n"+
		"1:1: missing.ttl: 1m: must be less, or off\n"+
		"2:3: services[7].name: 1m: must be less, or off\n"+
		"2:5: services[0].pool.workers: 1m: must be less, or off\n"+
		"4:9: services[0].faults[1].from: 1m: must be less, or off\n"+
		"4:13: services[0].faults[1].to: 1m: must be less, or off\n"+
		"5:6: ttl: 1m: must be less, or off\n"+
		"6:14: codes[503]: 1m: must be less, or off")

	other := errors.New("of another kind")
	if d.Locate(other) != other || d.Locate(nil) != nil {
		t.Error("other errors are changed")
	}
}

func TestValuesAreSpelledAsInDocuments(t *testing.T) {
	for _, tt := range []struct {
		value any
		want  string
	}{
		{time.Duration(0), "0s"}, {90 * time.Second, "1m30s"}, {time.Minute, "1m"}, {720 * time.Hour, "720h"},
		{time.Hour + time.Second, "1h0m1s"}, {-10 * time.Minute, "-10m"}, {time.Duration(off), "off"}, {10 * time.Second, "10s"},
		{switchgear.Percent(12.5), "12.5%"}, {switchgear.Percent(off), "off"}, {off, "off"}, {20, "20"}, {0.5, "0.5"}, {"x", "x"},
	} {
		equal(t, fmt.Sprint(tt.value), valueText(tt.value), tt.want)
	}
}

func TestProblemsWithoutAPlaceHaveNone(t *testing.T) {
	equal(t, "text", Problem{Path: "a.b", Value: "1", Bound: "must be 2"}.String(), "a.b: 1: must be 2")
	equal(t, "text", Problem{Position: Position{"f", 1, 2}, Bound: "must be 2"}.String(), "f:1:2: must be 2")
}

func TestNothingInAProblemCommandsATerminal(t *testing.T) {
	p := Problem{Position: Position{"a\x1b[31m\xff.yaml", 1, 2}, Path: "b\nc", Value: "\a\u202e", Bound: "d\r\u009be \"ü\" \\"}
	equal(t, "text", p.String(), `a\x1b[31m\xff.yaml:1:2: b\nc: \a\u202e: d\r\u009be "ü" \`)
	d := parsed(t, `{codes: {"a\e[31m\nb": red}, duration: "x\e]0;pwn\a\ny"}`)
	equal(t, "problems", listed(t, d.Decode(&sample{})), ""+
		`1:10: codes[a\x1b[31m\nb]: a\x1b[31m\nb: must be a whole number, such as 20`+"\n"+
		`1:40: duration: x\x1b]0;pwn\a\ny: must be a duration, such as 1.5s, 200ms or 2m30s`)
}
