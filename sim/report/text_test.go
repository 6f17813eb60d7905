package report_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/switchgear-go/switchgear/sim/report"
	"github.com/switchgear-go/switchgear/sim/sweep"
)

func text(t testing.TB, r *report.Report, width int) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.Text(&b, r, width); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTextIsAsItWas(t *testing.T) {
	for _, c := range []struct {
		file  string
		of    *report.Report
		width int
	}{
		{"reference.txt", theReference(t), 0},
		{"reference-60.txt", theReference(t), 60},
		{"fleet.txt", crowd(t), 0},
	} {
		golden(t, c.file, []byte(text(t, c.of, c.width)))
	}
}

func TestTextFitsAnyWidth(t *testing.T) {
	r, c := theReference(t), crowd(t)
	for _, width := range []int{-1, 0, 1, 60, 61, 79, 80, 99, 132, 200, 400} {
		textIsPlain(t, r, width)
		textIsPlain(t, c, width)
	}
}

// textIsPlain checks that no line is too wide and that nothing commands a terminal.
func textIsPlain(t testing.TB, r *report.Report, width int) {
	t.Helper()
	most := width
	if width == 0 {
		most = 100
	}
	most = max(most, 60)
	for line := range strings.Lines(text(t, r, width)) {
		line = strings.TrimSuffix(line, "\n")
		if n := utf8.RuneCountInString(line); n > most {
			t.Errorf("a line has %d characters of %d: %s", n, most, line)
		}
		if i := strings.IndexFunc(line, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }); i >= 0 {
			t.Errorf("%q has a control character", line)
		}
	}
}

func TestTextOfManyRunsShowsTheFirst(t *testing.T) {
	r := &report.Report{Title: "Many"}
	for range 15 {
		r.Runs = append(r.Runs, endless("long"))
	}
	got := text(t, r, 100)
	if !strings.Contains(got, "Here are the first 12 runs; 3 more are left out.") {
		t.Error("it does not say how many there are")
	}
	if !strings.Contains(got, "and 3,999,992 more") {
		t.Error("it does not say how many transitions there are")
	}
	if !strings.Contains(got, "?????") {
		t.Error("it does not say that the state is not known")
	}
}

func TestTextOfNothing(t *testing.T) {
	if got := text(t, &report.Report{Title: "Nothing", Runs: []report.Run{{Name: "not run"}}}, 0); got != "Nothing\n" {
		t.Errorf("%q", got)
	}
}

func TestASweepThatWasStoppedSaysSo(t *testing.T) {
	of := func(points int) (string, string) {
		r := theReference(t)
		r.Table = &sweep.Table{Keys: []string{"wait"}, Points: points, Seeds: 10, FirstSeed: 1, Rows: []sweep.Row{
			{Settings: []sweep.Setting{{Key: "wait", Value: "1s"}}, Runs: 10},
			{Settings: []sweep.Setting{{Key: "wait", Value: "2s"}}, Runs: 7},
		}}
		var page bytes.Buffer
		if err := report.HTML(&page, r); err != nil {
			t.Fatal(err)
		}
		return text(t, r, 0), page.String()
	}
	lines, page := of(3)
	for what, in := range map[string]string{"It was stopped: 13 runs are not in it.": lines, "stopped; 13 runs are not": page} {
		if !strings.Contains(in, what) {
			t.Errorf("does not say %q", what)
		}
	}
	lines, page = of(0) // made by somebody who does not say how many there were to be
	if strings.Contains(lines, "stopped") || strings.Contains(page, "The sweep was stopped") {
		t.Error("says that it was stopped")
	}
}
