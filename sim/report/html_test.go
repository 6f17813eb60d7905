package report_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/retry"
	"github.com/switchgear-go/switchgear/sim"
	"github.com/switchgear-go/switchgear/sim/report"
)

func page(t testing.TB, r *report.Report) string {
	t.Helper()
	var b strings.Builder
	if err := report.HTML(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var (
	inline    = regexp.MustCompile(`(?s)<(script|style)([^>]*)>(.*?)</(?:script|style)>`)
	reference = regexp.MustCompile(`(?i)\b(src|href|action|data|poster|srcset)="([^"]*)"`)
	embedded  = regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`)
	header    = regexp.MustCompile(`<meta http-equiv="Content-Security-Policy" content="([^"]*)">`)
)

func TestPageAllowsItsOwnScriptsAndStylesAndNothingElse(t *testing.T) {
	text := page(t, theReference(t))
	m := header.FindStringSubmatch(text)
	if m == nil {
		t.Fatal("no policy")
	}
	policy := html.UnescapeString(m[1])
	directives := map[string]string{}
	for d := range strings.SplitSeq(policy, "; ") {
		name, value, _ := strings.Cut(d, " ")
		directives[name] = value
	}
	if len(directives) != 6 || directives["default-src"] != "'none'" || directives["base-uri"] != "'none'" ||
		directives["form-action"] != "'none'" || directives["img-src"] != "data:" {
		t.Errorf("the policy is %s", policy)
	}
	used := map[string][]string{}
	for _, m := range inline.FindAllStringSubmatch(text, -1) {
		if strings.Contains(m[2], "application/json") {
			continue // data, which nobody runs
		}
		sum := sha256.Sum256([]byte(m[3]))
		used[m[1]+"-src"] = append(used[m[1]+"-src"], "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
	}
	for _, name := range []string{"script-src", "style-src"} {
		if got := strings.Join(used[name], " "); got != directives[name] || len(used[name]) != 2 {
			t.Errorf("%s: the page has %s, the policy %s", name, got, directives[name])
		}
	}
}

func TestPageRefersToNothingOutside(t *testing.T) {
	text := page(t, theReference(t))
	if strings.Index(text, header.FindString(text)) > strings.Index(text, "<link") {
		t.Error("the policy comes too late for what stands before it")
	}
	outside := inline.ReplaceAllString(text, "")
	for _, m := range reference.FindAllStringSubmatch(outside, -1) {
		if !strings.HasPrefix(m[2], "#") && !strings.HasPrefix(m[2], "data:") {
			t.Errorf("%s", m[0])
		}
	}
	if strings.Contains(outside, "http://www.w3.org") && strings.Count(outside, "http") != 2 { // the name of a language, and http-equiv
		t.Errorf("%d times http", strings.Count(outside, "http"))
	}
	for _, m := range inline.FindAllStringSubmatch(text, -1) {
		for _, bad := range []string{"@import", "url(", "fetch(", "XMLHttpRequest", "WebSocket", "import(", "sendBeacon"} {
			if strings.Contains(m[3], bad) {
				t.Errorf("a %s has %s", m[1], bad)
			}
		}
	}
	if on := regexp.MustCompile(`<[a-z]+ [^>]*\b(on[a-z]+|style)=`).FindString(outside); on != "" {
		t.Errorf("%s: the policy forbids it", on)
	}
}

func TestPageHasTheLicenceOfItsCharts(t *testing.T) {
	licence, err := os.ReadFile("assets/uPlot.LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(html.UnescapeString(page(t, theReference(t))), string(licence)) {
		t.Error("it has not")
	}
}

// data is what the page embeds for its script.
type data struct {
	End  float64
	Runs []struct {
		Name                      string
		Row                       float64
		Sent, Mean, P99, InFlight []*float64
		Lanes                     []struct {
			Name     string
			Breakers int
			Until    float64
			Steps    [][]any
		}
	}
	Faults []struct {
		From, To float64
		What     string
	}
}

func dataOf(t testing.TB, text string) (d data) {
	t.Helper()
	m := embedded.FindStringSubmatch(text)
	if m == nil {
		t.Fatal("no data")
	}
	if err := json.Unmarshal([]byte(m[1]), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestPageDrawsWhatTheResultHolds(t *testing.T) {
	retries := sim.ReferenceConfig(false) // more is sent than there are calls
	retries.Client.Call.Retry = &retry.Config{}
	again := &report.Report{Runs: []report.Run{run(t, "retries", retries, 1)}}
	for _, r := range []*report.Report{theReference(t), crowd(t), again} {
		d := dataOf(t, page(t, r))
		near := func(what string, got *float64, want float64) {
			t.Helper()
			if got == nil || !(math.Abs(*got-want) <= 1e-5*want) {
				t.Errorf("%s: %v, want %g", what, got, want)
			}
		}
		for i := range r.Runs {
			run, res := &d.Runs[i], r.Runs[i].Result
			if run.Name != r.Runs[i].Name || len(run.Sent) != len(res.Rows) || run.Row != res.RowLength.Seconds() {
				t.Fatalf("run %d: %s with %d rows of %g s", i, run.Name, len(run.Sent), run.Row)
			}
			for j := range res.Rows {
				row, what := &res.Rows[j], fmt.Sprintf("row %d", j)
				near(what+" sent", run.Sent[j], float64(row.Sent)/res.RowLength.Seconds())
				near(what+" mean", run.Mean[j], row.Mean.Seconds())
				near(what+" p99", run.P99[j], row.P99.Seconds())
				near(what+" in flight", run.InFlight[j], row.InFlight)
			}
		}
	}
}

// TestBandsFollowTheTransitions replays the transitions of each place, and compares.
func TestBandsFollowTheTransitions(t *testing.T) {
	r := crowd(t)
	res := r.Runs[0].Result
	lanes := dataOf(t, page(t, r)).Runs[0].Lanes
	if len(lanes) != 2 || lanes[0].Breakers != 20 || lanes[1].Breakers != 4 {
		t.Fatalf("%d lanes", len(lanes))
	}
	for place, lane := range lanes {
		type breakerID struct{ instance, target int }
		states := map[breakerID]breaker.State{}
		checked := 0
		for i, tr := range res.Transitions {
			if tr.Place != place {
				continue
			}
			states[breakerID{tr.Instance, tr.Target}] = tr.To
			if i+1 < len(res.Transitions) && res.Transitions[i+1].At == tr.At {
				continue
			}
			open, half := 0, 0
			for _, s := range states {
				switch s {
				case breaker.Open:
					open++
				case breaker.HalfOpen:
					half++
				}
			}
			for _, s := range lane.Steps {
				if s[0] == tr.At.Seconds() {
					checked++
					if s[1] != float64(open) || s[2] != float64(half) {
						t.Errorf("place %d at %v: %v open, %v half-open, want %d and %d", place, tr.At, s[1], s[2], open, half)
					}
				}
			}
		}
		if checked < 50 {
			t.Errorf("place %d: only %d steps have been found", place, checked)
		}
	}
}

func TestPageMarksFaultsThatComeAndGo(t *testing.T) {
	faults := dataOf(t, page(t, crowd(t))).Faults
	var got []string
	for _, f := range faults {
		got = append(got, fmt.Sprintf("%s %g–%g", f.What, f.From, f.To))
	}
	want := "B: errors 20–24 B: errors 30–34 B: errors 40–44 B: errors 50–54 B: slow 70–75"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("got %s", s)
	}
}

// endless is a made-up run of which there is too much of everything.
func endless(name string) report.Run {
	s, err := sim.New(sim.ReferenceConfig(true))
	if err != nil {
		panic(err)
	}
	cfg := s.Config()
	cfg.Duration = 5000 * time.Second
	res := &sim.Result{Name: name, RowLength: time.Second, TransitionsTotal: 4_000_000}
	for i := range 5000 {
		row := sim.Row{At: time.Duration(i) * time.Second, Sent: uint64(i), Mean: 1, P99: time.Duration(i)}
		row.Requests = 1
		res.Rows = append(res.Rows, row)
	}
	state := breaker.Closed
	for i := range 10_000 {
		next := breaker.Open
		if state == breaker.Open {
			next = breaker.Closed
		}
		res.Transitions = append(res.Transitions, sim.Transition{At: time.Duration(i) * 100 * time.Millisecond, From: state, To: next})
		state = next
	}
	for i := range 1000 {
		res.Rounds = append(res.Rounds, sim.Round{From: time.Duration(i), Probes: make([]sim.Probe, 100)})
	}
	return report.Run{Name: name, Config: cfg, Result: res}
}

func TestPageIsBounded(t *testing.T) {
	r := &report.Report{}
	for range report.MaxRuns + 3 {
		r.Runs = append(r.Runs, endless("long"))
	}
	text := page(t, r)
	d := dataOf(t, text)
	if len(d.Runs) != report.MaxRuns || !strings.Contains(text, "3 more are left out") {
		t.Errorf("%d runs", len(d.Runs))
	}
	run := &d.Runs[0]
	if len(run.Sent) != 3600 || len(run.P99) != 3600 {
		t.Errorf("%d points", len(run.Sent))
	}
	if last := *run.P99[3599]; math.Abs(last-4999e-9) > 1e-12 {
		t.Errorf("the worst of the last rows is %g", last)
	}
	if n := len(run.Lanes[0].Steps); n != 2000 {
		t.Errorf("%d steps", n)
	}
	if run.Lanes[0].Until != 999.9 {
		t.Errorf("the state is known until %g s", run.Lanes[0].Until)
	}
	for what, want := range map[string]int{
		"And 3999800 more transitions.":      report.MaxRuns,
		"And 900 more rounds.":               report.MaxRuns,
		`<td class="change">`:                report.MaxRuns * (report.MaxTransitions + report.MaxRounds),
		`<i class="probe ok" title="sent at`: report.MaxRuns * report.MaxRounds * 20,
		"there were more transitions than":   1,
	} {
		if got := strings.Count(text, what); got != want {
			t.Errorf("%d times %q, want %d", got, what, want)
		}
	}
	if len(text) > 20<<20 {
		t.Errorf("the page has %d bytes", len(text))
	}
}

func TestPageWithoutRunsHasNoCharts(t *testing.T) {
	text := page(t, &report.Report{Title: "A sweep", Table: table()})
	if strings.Contains(text, "<script") || !strings.Contains(text, `id="sweep"`) {
		t.Error("scripts without charts, or no table")
	}
}

func TestSameReportSamePage(t *testing.T) {
	if a, b := page(t, crowd(t)), page(t, crowd(t)); a != b {
		t.Error("they differ")
	}
}

func TestErrorOfTheWriterIsReported(t *testing.T) {
	r := theReference(t)
	for name, write := range map[string]func() error{
		"Text": func() error { return report.Text(full{}, r, 0) },
		"JSON": func() error { return report.JSON(full{}, r) },
		"HTML": func() error { return report.HTML(full{}, r) },
	} {
		if err := write(); err == nil || !strings.Contains(err.Error(), "full") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, fmt.Errorf("full") }

// hostile makes a report that has s in every place that takes text.
func hostile(t testing.TB, runs []report.Run, s string) *report.Report {
	t.Helper()
	r := &report.Report{Title: s, Teaches: s, Command: s, Table: table()}
	for _, run := range runs {
		run.Name = s
		run.Config.Name = s
		run.Config.Services = append([]sim.Service(nil), run.Config.Services...)
		for i := range run.Config.Services {
			run.Config.Services[i].Name = s
		}
		res := *run.Result
		res.Windows = append([]sim.WindowResult(nil), res.Windows...)
		for i := range res.Windows {
			res.Windows[i].Name = s
		}
		run.Result = &res
		r.Runs = append(r.Runs, run)
	}
	for i := range r.Table.Keys {
		r.Table.Keys[i] = s
	}
	for i := range r.Table.Rows {
		for j := range r.Table.Rows[i].Settings {
			r.Table.Rows[i].Settings[j].Key, r.Table.Rows[i].Settings[j].Value = s, s
		}
	}
	return r
}

var hostileNames = []string{
	`</script><script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `'-alert(1)-'`, `<!--`, `]]>`, `{{.}}`, `${alert(1)}`,
	"`", "\u2028", "\x00\x1b[31m", "\xff\xfe", `javascript:alert(1)`, `&lt;b&gt;`, "</style>", "</pre></title>", "a.b.c", "\n\n\nx\n\ny", "عربي\u202e",
}

var (
	tag       = regexp.MustCompile(`<(/?[a-zA-Z!][a-zA-Z0-9]*)((?:\s+[a-zA-Z-]+(?:="[^"]*")?)*)\s*/?>`)
	attribute = regexp.MustCompile(`([a-zA-Z-]+)(?:="[^"]*")?`)
)

// skeleton lists the tags of a page and the names of their attributes, save those
// whose number depends on where lines and paths may be broken. Scripts and styles
// are left out, but not the data.
func skeleton(text string) string {
	text = strings.NewReplacer("<p>", "", "</p>", "", "<wbr>", "").Replace(text)
	text = inline.ReplaceAllStringFunc(text, func(s string) string {
		if strings.Contains(s[:40], "application/json") {
			return s
		}
		return ""
	})
	var b bytes.Buffer
	for _, m := range tag.FindAllStringSubmatch(text, -1) {
		b.WriteString(m[1])
		for _, a := range attribute.FindAllStringSubmatch(m[2], -1) {
			b.WriteString(" " + a[1])
		}
		b.WriteByte('\n')
	}
	// What is no tag counts as well.
	fmt.Fprintln(&b, strings.Count(text, "<"), "of <")
	return b.String()
}

// A page that holds together stays the same whatever the texts in it are.
type holding struct {
	runs  []report.Run
	usual string // its skeleton with other texts
}

func newHolding(t testing.TB) holding {
	cfg := sim.ReferenceConfig(true)
	cfg.Row = 10 * time.Second
	runs := []report.Run{run(t, "", cfg, 1), run(t, "", cfg, 1)}
	return holding{runs, skeleton(page(t, hostile(t, runs, "x")))}
}

func (h holding) check(t testing.TB, s string) {
	t.Helper()
	s = "x" + s // an empty name has a substitute
	r := hostile(t, h.runs, s)
	text := page(t, r)
	if skeleton(text) != h.usual {
		t.Errorf("%q has changed the page", s)
	}
	if d := dataOf(t, text); d.Runs[0].Name != string([]rune(s)) {
		t.Errorf("%q is %q in the data", s, d.Runs[0].Name)
	}
	textIsPlain(t, r, 60)
}
