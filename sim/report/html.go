package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"strings"
	"sync"
)

// The parts of the page. uPlot 1.6.32 draws the charts; its files are as its authors
// published them.
var (
	//go:embed assets/page.tmpl
	pageText string
	//go:embed assets/page.css
	pageStyle string
	//go:embed assets/page.js
	pageScript string
	//go:embed assets/uPlot.iife.min.js
	plotScript string
	//go:embed assets/uPlot.min.css
	plotStyle string
	//go:embed assets/uPlot.LICENSE
	plotLicense string
)

// pageTemplate is read once: it never changes.
var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Parse(pageText))
})

// HTML writes one page that shows the runs with charts, explains what one sees, and
// lists what the breakers did. It is complete in itself: it loads nothing, from
// nowhere, and its Content-Security-Policy forbids it to. The same report gives the
// same page.
func HTML(w io.Writer, r *Report) error {
	return pageTemplate().Execute(w, newPage(r))
}

// page is what the template shows.
type page struct {
	Policy      string
	Style       template.CSS
	PlotStyle   template.CSS
	Script      template.JS
	PlotScript  template.JS
	PlotLicense string

	Title     string
	Situation string
	Teaches   []string // paragraphs
	Command   string

	Runs []pageRun
	Left int // runs that are not shown

	Groups         []pageGroup
	Windows        []pageWindow
	Differences    []difference
	MoreDifference int
	Faults         []string
	Doubtful       bool // there are warnings
	Lanes          bool
	Unknown        bool // the state is not known up to the end
	Row            string
	Data           *pageData

	Sweep *pageSweep
}

// A pageRun is one run beside its marks in the charts.
type pageRun struct {
	Name            string
	Colour, Dash    int
	Seed            uint64
	Config          string
	ConfigLeft      int
	Warnings        []Warning
	Guarded         bool
	Whose           bool // there are several breakers to tell apart
	Transitions     []pageTransition
	MoreTransitions uint64
	Rounds          []pageRound
	MoreRounds      int
}

type pageGroup struct {
	Name    string
	Figures []pageFigure
}

type pageFigure struct {
	Name, About string
	Values      []string
}

type pageWindow struct {
	Run          int // in Runs
	Name, When   string
	Requests     string
	Reached      string
	Share        string
	Mean, P99    string
	Flight, Peak string
}

type pageTransition struct {
	At, Whose    string
	From, To     string
	FromID, ToID string
	Why, For     string
}

type pageRound struct {
	From, Took, Whose string
	Decision, ID      string
	Probes            []pageProbe
	MoreProbes        int
	Summary           string
	Refused           string
}

type pageProbe struct{ Kind, Title string }

type pageSweep struct {
	Keys    [][]string // paths, in pieces between which they may be broken
	Columns []pageColumn
	Rows    []pageSweepRow
	Seeds   string
	Left    string // runs that were not made, if it was stopped
	First   uint64
}

type pageColumn struct{ Name, Unit, About string }

type pageSweepRow struct {
	Keys   []string
	Values []pageSpread
}

type pageSpread struct{ Mean, Range, In string }

// integrity is the hash by which a policy allows an inline script or style.
func integrity(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// policy forbids everything but these scripts and styles, and images that are part
// of the page, of which there is one: its icon.
var policy = sync.OnceValue(func() string {
	return strings.Join([]string{
		"default-src 'none'",
		"script-src " + integrity(plotScript) + " " + integrity(pageScript),
		"style-src " + integrity(plotStyle) + " " + integrity(pageStyle),
		"img-src data:",
		"base-uri 'none'",
		"form-action 'none'",
	}, "; ")
})
