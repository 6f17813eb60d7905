package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/switchgear-go/switchgear/sim"
)

func TestSimReference(t *testing.T) {
	o := invoke(context.Background(), "sim", "reference")
	if o.code != exitOK || o.err != "" {
		t.Fatalf("exit code %d, complaint %q", o.code, o.err)
	}
	for _, want := range []string{"published", "measured", "values agree"} {
		if !strings.Contains(o.out, want) {
			t.Errorf("no %q in\n%s", want, o.out)
		}
	}
	all := invoke(context.Background(), "sim", "reference", "--details")
	if strings.Count(all.out, "\n") < 1_000 {
		t.Errorf("details: only %d lines", strings.Count(all.out, "\n"))
	}

	o = invoke(context.Background(), "sim", "reference", "--json")
	var c sim.Comparison
	if err := json.Unmarshal([]byte(o.out), &struct {
		Reported *[]sim.Check `json:"reported"`
		Details  *[]sim.Check `json:"details"`
	}{&c.Reported, &c.Details}); err != nil {
		t.Fatal(err)
	}
	if o.code != exitOK || len(c.Reported) < 10 || len(c.Details) < 1_000 {
		t.Errorf("exit code %d, %d published values, %d details", o.code, len(c.Reported), len(c.Details))
	}
}

func TestSimReferenceShowsDifferences(t *testing.T) {
	var out strings.Builder
	err := printReference(&out, &sim.Comparison{
		Reported: []sim.Check{{What: "calls", Published: "7", Measured: "7", OK: true}},
		Details:  []sim.Check{{What: "sum", Published: "1", Measured: "2"}, {What: "row", Published: "3", Measured: "3", OK: true}},
	}, false)
	text := out.String()
	if err != nil {
		t.Error(err)
	}
	if !strings.Contains(text, "DIFFERS") || !strings.Contains(text, "1 of 3 values differ") || strings.Contains(text, "row") {
		t.Errorf("got\n%s", text)
	}
}

func TestSimReferenceThatCannotBeWritten(t *testing.T) {
	for _, args := range [][]string{{}, {"--details"}, {"--json"}} {
		var errs strings.Builder
		code := run(t.Context(), append([]string{"sim", "reference"}, args...), streams{full{}, &errs})
		if code != exitFailed || errs.String() != "switchgear sim reference: no space left\n" {
			t.Errorf("%v: exit code %d, stderr %q", args, code, &errs)
		}
	}
}
