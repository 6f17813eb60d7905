package observe

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/switchgear-go/switchgear/internal/metrics"
)

const (
	rulesPath = "deploy/prometheus/switchgear.rules.yml"
	testsPath = "deploy/prometheus/switchgear.rules.test.yml"
	boardPath = "deploy/grafana/switchgear.json"
	bookPath  = "docs/runbook.md"
)

var alertName = regexp.MustCompile(`(?m)^ +- alert: (\w+)$`)

func alerts(t *testing.T) (names []string) {
	t.Helper()
	for _, m := range alertName.FindAllStringSubmatch(read(t, rulesPath), -1) {
		names = append(names, m[1])
	}
	if len(names) == 0 {
		t.Fatal("there are no alerts")
	}
	return names
}

func TestPromtool(t *testing.T) {
	// What promtool reads, go test does not see; a result from the cache would be stale.
	_, _ = read(t, rulesPath), read(t, testsPath)
	for _, args := range [][]string{{"check", "rules", "../../" + rulesPath}, {"test", "rules", "../../" + testsPath}} {
		if out, err := exec.Command(program(t, "promtool"), args...).CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}

// Each alert is tested, once where it fires and where it does not, and has a section in
// the runbook, which it names.
func TestAlertsAreTestedAndExplained(t *testing.T) {
	rules, tests, book := read(t, rulesPath), read(t, testsPath), read(t, bookPath)
	for _, name := range alerts(t) {
		for what, n := range map[string]int{
			"quiet":  len(regexp.MustCompile(`alertname: `+name+`\n +eval_time: \w+\n +exp_alerts: \[\]\n`).FindAllString(tests, -1)),
			"firing": len(regexp.MustCompile(`alertname: `+name+`\n +eval_time: \w+\n +exp_alerts:\n`).FindAllString(tests, -1)),
		} {
			if n == 0 {
				t.Errorf("%s: %s is never %s", testsPath, name, what)
			}
		}
		if !strings.Contains(rules, "/"+bookPath+"#"+strings.ToLower(name)+"\n") {
			t.Errorf("%s: %s does not name its section of the runbook", rulesPath, name)
		}
		if !strings.Contains(book, "\n## "+name+"\n") {
			t.Errorf("%s: no section %s", bookPath, name)
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^## (Switchgear\w+)$`).FindAllStringSubmatch(book, -1) {
		if !strings.Contains(rules, "- alert: "+m[1]+"\n") {
			t.Errorf("%s: there is no alert %s", bookPath, m[1])
		}
	}
}

// Rules, board and runbook ask for nothing that does not exist.
func TestMetricsExist(t *testing.T) {
	known := make(map[string]bool)
	list := metrics.List()
	for i := range list {
		known[list[i].Underscored()] = true
	}
	for _, suffix := range []string{"", "_bucket", "_sum", "_count"} {
		known["switchgear_call_duration_seconds"+suffix] = true
	}
	for _, path := range []string{rulesPath, testsPath, boardPath, bookPath} {
		for _, name := range regexp.MustCompile(`\bswitchgear_\w+`).FindAllString(read(t, path), -1) {
			if !known[name] {
				t.Errorf("%s: there is no metric %s", path, name)
			}
		}
	}
}

// panelQuery is a query of the board.
type panelQuery struct{ panel, expr string }

// queries returns all queries of the board, with its variables set.
func queries(t *testing.T) (list []panelQuery) {
	t.Helper()
	var board struct {
		Panels []struct {
			Title   string
			Type    string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal([]byte(read(t, boardPath)), &board); err != nil {
		t.Fatal(err)
	}
	set := strings.NewReplacer("$job", ".*", "$name", ".*", "$__rate_interval", "4s", "[1h]", "[15s]")
	for _, p := range board.Panels {
		if p.Type != "row" && len(p.Targets) == 0 {
			t.Errorf("panel %q has no query", p.Title)
		}
		for i, target := range p.Targets {
			list = append(list, panelQuery{fmt.Sprintf("%s %c", p.Title, 'A'+i), set.Replace(target.Expr)})
		}
	}
	return list
}
