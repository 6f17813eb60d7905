package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/sim/sweep"
)

func TestCombinations(t *testing.T) {
	if got := combinations(nil); len(got) != 1 || len(got[0]) != 0 {
		t.Errorf("without axes: %v", got)
	}
	axes := []axis{{"a", []string{"1", "2"}}, {"b", []string{"x", "y", "z"}}}
	var got []string
	for _, settings := range combinations(axes) {
		p := sweep.Point{Settings: settings}
		got = append(got, p.String())
	}
	want := "a=1, b=x; a=1, b=y; a=1, b=z; a=2, b=x; a=2, b=y; a=2, b=z"
	if strings.Join(got, "; ") != want || combined(axes) != 6 {
		t.Errorf("got %v (%d), want %v", got, combined(axes), want)
	}
}

// Combinations share what they have in common, and must not write over each other.
func TestCombinationsAreApart(t *testing.T) {
	var axes []axis
	for _, key := range strings.Split("abcdef", "") {
		axes = append(axes, axis{key, []string{"0", "1"}})
	}
	for i, settings := range combinations(axes) {
		got := ""
		for _, s := range settings {
			got += s.Value
		}
		if want := fmt.Sprintf("%06b", i); got != want {
			t.Errorf("combination %d is %s, want %s", i, got, want)
		}
	}
}

func TestCommandLine(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "switchgear sim run"},
		{[]string{"herd", "--sweep", "load.rate=1,2"}, "switchgear sim run herd --sweep load.rate=1,2"},
		{[]string{"my file.yaml", "--set", "services[0].name=it's"}, `switchgear sim run 'my file.yaml' --set 'services[0].name=it'\''s'`},
		{[]string{"", "a\nb", "$x"}, "switchgear sim run '' 'a\nb' '$x'"},
	} {
		if got := commandLine(simRunCommand, c.args); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

func TestProgressLine(t *testing.T) {
	for _, c := range []struct {
		passed      time.Duration
		done, total int64
		want        string
	}{
		{100 * time.Millisecond, 5, 10, ""},
		{time.Second, 0, 10, "░░░░░░░░░░░░░░░░░░░░   0 %  0 of 10 runs"},
		{10 * time.Second, 5, 20, "█████░░░░░░░░░░░░░░░  25 %  5 of 20 runs, about 31 s left"},
		{10 * time.Minute, 5, 20, "█████░░░░░░░░░░░░░░░  25 %  5 of 20 runs, about 31 min left"},
		{10 * time.Hour, 5, 20, "█████░░░░░░░░░░░░░░░  25 %  5 of 20 runs, about 31 h left"},
		{time.Minute, 72000, 72000, "████████████████████ 100 %  72000 of 72000 runs"},
	} {
		var p progress
		p.done.Store(c.done)
		p.total.Store(c.total)
		got := p.line(c.passed)
		if got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestPageFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.html")
	write := func(text string, err error) error {
		p, cannot := createPage(path)
		if cannot != nil {
			t.Fatal(cannot)
		}
		defer p.drop()
		return p.write(func(w io.Writer) error {
			io.WriteString(w, text)
			return err
		})
	}
	read := func() string {
		text, _ := os.ReadFile(path)
		return string(text)
	}
	if err := write("half", fmt.Errorf("no")); err == nil || read() != "" {
		t.Errorf("after half a page there is %q, error %v", read(), err)
	}
	if err := write("one", nil); err != nil || read() != "one" {
		t.Errorf("there is %q, error %v", read(), err)
	}
	if err := write("half", fmt.Errorf("no")); err == nil || read() != "one" {
		t.Errorf("half a page has replaced it: %q", read())
	}
	if err := write("two", nil); err != nil || read() != "two" {
		t.Errorf("there is %q, error %v", read(), err)
	}
	if list, _ := os.ReadDir(filepath.Dir(path)); len(list) != 1 {
		t.Errorf("something is left: %v", list)
	}
}
