package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/switchgear-go/switchgear/cmd/switchgear/internal/demo"
)

func TestDemoText(t *testing.T) {
	got := invoke(t.Context(), "demo", "--speed", "20", "--act", "3")
	if got.code != exitOK || got.err != "" {
		t.Errorf("exit code %d, stderr %q", got.code, got.err)
	}
	for _, want := range []string{"20 times faster than life", "\nAct 3  Malformed requests\n", "✓ state ", "Everything counted is as expected."} {
		if !strings.Contains(got.out, want) {
			t.Errorf("no %q in:\n%s", want, got.out)
		}
	}
	if strings.ContainsAny(got.out, "\x1b\r") {
		t.Error("control characters, though it is no terminal")
	}
}

func TestDemoJSON(t *testing.T) {
	got := invoke(t.Context(), "demo", "--json", "--speed=20", "--act=5")
	if got.code != exitOK || got.err != "" {
		t.Errorf("exit code %d, stderr %q", got.code, got.err)
	}
	in := json.NewDecoder(strings.NewReader(got.out))
	var d struct {
		Version string
		Speed   int
		Pass    bool
		Acts    []struct {
			Act                int
			Pass               bool
			Expected, Measured map[string]any
		}
	}
	if err := in.Decode(&d); err != nil {
		t.Fatalf("%v in:\n%s", err, got.out)
	}
	if err := in.Decode(&struct{}{}); err != io.EOF {
		t.Errorf("something follows the document: %v", err)
	}
	if d.Version != version() || d.Speed != 20 || !d.Pass || len(d.Acts) != 1 {
		t.Errorf("the document is %+v", d)
	}
	a := d.Acts[0]
	if a.Act != 5 || !a.Pass || a.Expected["guarded_rejected"] != 9.0 || a.Measured["unguarded_real_calls"] != 10.0 {
		t.Errorf("the act is %+v", a)
	}
}

func TestDemoExitCode(t *testing.T) {
	for v, want := range map[demo.Verdict]int{demo.Pass: exitOK, demo.Note: exitOK, demo.Fail: exitFailed} {
		report := &demo.Report{Acts: []*demo.Act{{Checks: []demo.Check{{Verdict: demo.Pass}, {Verdict: v}}}}}
		if got := verdict(report); got != want {
			t.Errorf("a check with the verdict %q: exit code %d, want %d", v, got, want)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestDemoCannotWrite(t *testing.T) {
	var errs bytes.Buffer
	code := run(t.Context(), strings.Fields("demo --json --act 3 --speed 20"), streams{full{}, &errs})
	if code != exitFailed || errs.String() != "switchgear demo: no space left\n" {
		t.Errorf("exit code %d, stderr %q", code, &errs)
	}
}

func TestDemoStopped(t *testing.T) {
	for _, args := range []string{"demo", "demo --json"} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		got := invoke(ctx, strings.Fields(args)...)
		if got.code != exitInterrupted || got.err != "switchgear demo: stopped\n" {
			t.Errorf("%s: exit code %d, stderr %q", args, got.code, got.err)
		}
		if strings.Contains(args, "json") && got.out != "" {
			t.Errorf("%s: half a document: %q", args, got.out)
		}
	}
}
