package sgprom_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/sgprom"
)

var update = flag.Bool("update", false, "write the golden file and the tables of docs/metrics.md")

// all is everything that can be published, after some calls.
func all(t *testing.T) []*dto.MetricFamily {
	t.Helper()
	l := latency(t, sgprom.LatencyConfig{Buckets: []time.Duration{time.Millisecond, time.Second}})
	l.Timer("stock").Observe(10*time.Millisecond, switchgear.Success)
	l.Timer("stock").Observe(2*time.Second, switchgear.Failure)
	return gather(t, must(t, everything(t), sgprom.Config{}, sgprom.WithResilience4j(l)), l)
}

func render(t *testing.T, families []*dto.MetricFamily) string {
	t.Helper()
	var b strings.Builder
	for _, f := range families {
		if _, err := expfmt.MetricFamilyToText(&b, f); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// compare compares got with what a file has, or writes it there.
func compare(t *testing.T, path, got, want string, write func() string) {
	t.Helper()
	if got == want {
		return
	}
	if *update {
		if err := os.WriteFile(path, []byte(write()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range g {
		if i >= len(w) || g[i] != w[i] {
			t.Errorf("%s differs from line %d on: got %q; go test -update writes it", path, i+1, g[i])
			return
		}
	}
	t.Errorf("%s has more lines than there should be; go test -update writes it", path)
}

func TestGolden(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const path = "testdata/metrics.txt"
		want, err := os.ReadFile(path)
		if err != nil && !*update {
			t.Fatal(err)
		}
		got := render(t, all(t))
		compare(t, path, got, string(want), func() string { return got })
	})
}

// docs/metrics.md lists exactly what is published: names, types, labels and meaning.
func TestDocumented(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const path = "../docs/metrics.md"
		page, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		families := all(t)
		for _, prefix := range []string{"switchgear_", "resilience4j_"} {
			begin, end := "<!-- "+prefix+": begin -->\n", "<!-- "+prefix+": end -->\n"
			before, rest, ok := strings.Cut(string(page), begin)
			was, after, ok2 := strings.Cut(rest, end)
			if !ok || !ok2 {
				t.Fatalf("%s has no table %s", path, prefix)
			}
			got := table(families, prefix)
			compare(t, path, got, was, func() string {
				page = []byte(before + begin + got + end + after)
				return string(page)
			})
		}
	})
}

func table(families []*dto.MetricFamily, prefix string) string {
	var b strings.Builder
	b.WriteString("| name | type | labels | meaning |\n|---|---|---|---|\n")
	for _, f := range families {
		if !strings.HasPrefix(f.GetName(), prefix) {
			continue
		}
		values := map[string][]string{}
		var labels []string
		for _, m := range f.Metric {
			for _, l := range m.Label {
				name := l.GetName()
				if _, known := values[name]; !known {
					labels = append(labels, name)
				}
				if !slices.Contains(values[name], l.GetValue()) {
					values[name] = append(values[name], l.GetValue())
				}
			}
		}
		for i, name := range labels {
			labels[i] = "`" + name + "`"
			if name != "name" && name != "rule" { // these are open
				slices.Sort(values[name])
				labels[i] += ": " + strings.Join(values[name], ", ")
			}
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n",
			f.GetName(), strings.ToLower(f.GetType().String()), strings.Join(labels, "; "), strings.TrimSuffix(f.GetHelp(), "."))
	}
	return b.String()
}
