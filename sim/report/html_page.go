package report

import (
	"cmp"
	"fmt"
	"html/template"
	"strings"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/sim"
	"github.com/switchgear-go/switchgear/sim/sweep"
)

// colours is how many colours there are for runs. Dashes tell apart what colours do
// not, and differ from run to run as well.
const colours = 6

// shownProbes is how many probes of a round are drawn.
const shownProbes = 20

func newPage(r *Report) *page {
	runs, left := r.shown()
	p := &page{
		Policy:      policy(),
		Style:       template.CSS(pageStyle),
		PlotStyle:   template.CSS(plotStyle),
		Script:      template.JS(pageScript),
		PlotScript:  template.JS(plotScript),
		PlotLicense: plotLicense,
		Title:       cmp.Or(strings.TrimSpace(r.Title), "A simulated run"),
		Situation:   situation(runs),
		Teaches:     paragraphs(r.Teaches),
		Command:     r.Command,
		Left:        left,
	}
	if len(runs) > 0 {
		p.addRuns(runs)
		p.Data = newData(runs)
	}
	if r.Table != nil {
		p.Sweep = newSweep(r.Table)
	}
	return p
}

func paragraphs(text string) (all []string) {
	for s := range strings.SplitSeq(strings.ReplaceAll(text, "\r", ""), "\n\n") {
		if s = strings.TrimSpace(s); s != "" {
			all = append(all, s)
		}
	}
	return all
}

func (p *page) addRuns(runs []Run) {
	for i := range runs {
		r := &runs[i]
		p.Doubtful = p.Doubtful || len(r.Warnings) > 0
		one := pageRun{
			Name:   cmp.Or(strings.TrimSpace(r.Name), fmt.Sprintf("run %d", i+1)),
			Colour: i % colours, Dash: (i + i/colours) % colours,
			Seed: r.Result.Seed, Guarded: guarded(&r.Config),
			Warnings: r.Warnings,
		}
		one.Config, one.ConfigLeft = document(one.Name, r.Config)
		one.addTransitions(r)
		one.addRounds(r)
		p.Runs = append(p.Runs, one)
		for j := range r.Result.Windows {
			w := &r.Result.Windows[j]
			p.Windows = append(p.Windows, pageWindow{
				Run: i, Name: w.Name, When: round(w.From) + " – " + round(w.To),
				Requests: count(w.Requests), Reached: count(w.Reached), Share: percent(w.Share()),
				Mean: took(w.Mean), P99: took(w.P99), Flight: tidy(w.InFlight), Peak: count(w.Peak),
			})
		}
		for _, l := range lanes(r) {
			p.Lanes = true
			p.Unknown = p.Unknown || l.until < r.Config.Duration
		}
	}
	for _, g := range groups(runs) {
		out := pageGroup{Name: g.name}
		for _, f := range g.figures {
			row := pageFigure{Name: f.name, About: f.about}
			for i := range runs {
				row.Values = append(row.Values, f.of(&runs[i]))
			}
			out.Figures = append(out.Figures, row)
		}
		p.Groups = append(p.Groups, out)
	}
	if len(runs) > 1 {
		p.Differences, p.MoreDifference = differences(runs)
	}
	p.Faults = describe(runs)
	p.Row = round(runs[0].Result.RowLength)
}

// stateIDs name the states in class names.
var stateIDs = map[breaker.State]string{breaker.Open: "open", breaker.HalfOpen: "half", breaker.ForcedOpen: "open"}

func stateID(s breaker.State) string { return cmp.Or(stateIDs[s], "closed") }

func (out *pageRun) addTransitions(r *Run) {
	list := r.Result.Transitions
	n := min(len(list), MaxTransitions)
	for i := range list[:n] {
		t := &list[i]
		one := pageTransition{
			At: instant(t.At), Whose: whose(&r.Config, t.Place, t.Instance, t.Target),
			From: states[t.From], To: states[t.To], FromID: stateID(t.From), ToID: stateID(t.To),
		}
		if t.Trip != nil {
			one.Why, one.For = t.Trip.Text(), took(t.Trip.Wait)
		}
		out.Whose = out.Whose || one.Whose != ""
		out.Transitions = append(out.Transitions, one)
	}
	out.MoreTransitions = max(r.Result.TransitionsTotal, uint64(len(list))) - uint64(n)
}

var probeKinds = [...]struct{ id, one, many string }{
	probeOK:         {"ok", "good answer", "good answers"},
	probeError:      {"error", "error", "errors"},
	probeTimeout:    {"timeout", "timeout", "timeouts"},
	probeOther:      {"other", "refused elsewhere", "refused elsewhere"},
	probeUnfinished: {"unfinished", "unfinished", "unfinished"},
}

func (out *pageRun) addRounds(r *Run) {
	list := r.Result.Rounds
	n := min(len(list), MaxRounds)
	for i := range list[:n] {
		t := &list[i]
		one := pageRound{
			From: instant(t.From), Took: none, Decision: "not decided", ID: "closed",
			Whose:   whose(&r.Config, t.Place, t.Instance, t.Target),
			Refused: count(t.Refused),
		}
		if t.To > 0 {
			one.Took, one.Decision, one.ID = took(t.To-t.From), states[t.Decision], stateID(t.Decision)
		}
		out.Whose = out.Whose || one.Whose != ""
		one.addProbes(t.Probes)
		out.Rounds = append(out.Rounds, one)
	}
	out.MoreRounds = len(list) - n
}

func (out *pageRound) addProbes(probes []sim.Probe) {
	var counts [len(probeKinds)]int
	for i, p := range probes {
		kind := kindOf(p)
		counts[kind]++
		if i >= shownProbes {
			out.MoreProbes++
			continue
		}
		title := "sent at " + instant(p.At) + ": " + probeKinds[kind].one
		if p.Took >= 0 {
			title += " after " + took(p.Took)
		}
		out.Probes = append(out.Probes, pageProbe{probeKinds[kind].id, title})
	}
	var parts []string
	for kind, n := range counts {
		switch {
		case n == 1:
			parts = append(parts, "1 "+probeKinds[kind].one)
		case n > 1:
			parts = append(parts, count(n)+" "+probeKinds[kind].many)
		}
	}
	out.Summary = cmp.Or(strings.Join(parts, ", "), "none")
}

func newSweep(t *sweep.Table) *pageSweep {
	s := &pageSweep{Seeds: plural(t.Seeds, "seed"), First: t.FirstSeed}
	if left := t.Points*t.Seeds - t.Runs(); left > 0 {
		s.Left = plural(left, "run")
	}
	shapes := make([]shape, len(columns))
	for i := range columns {
		shapes[i] = columns[i].shape(t)
		s.Columns = append(s.Columns, pageColumn{columns[i].name, shapes[i].unit, columns[i].about})
	}
	for _, k := range keys(t) {
		s.Keys = append(s.Keys, strings.SplitAfter(k, "."))
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		var row pageSweepRow
		for _, k := range keys(t) {
			row.Keys = append(row.Keys, keyOf(t, r, k))
		}
		for j := range columns {
			f, v := shapes[j], columns[j].of(r)
			one := pageSpread{Mean: none}
			if v.N > 0 {
				one.Mean = fixed(v.Mean*f.factor, f.places)
				one.Range = fixed(v.P5*f.factor, f.places) + "–" + fixed(v.P95*f.factor, f.places)
			}
			if v.N > 0 && v.N < r.Runs {
				one.In = "in " + count(v.N) + " of " + count(r.Runs)
			}
			row.Values = append(row.Values, one)
		}
		s.Rows = append(s.Rows, row)
	}
	return s
}
