package browser

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/switchgear-go/switchgear/sim"
	"github.com/switchgear-go/switchgear/sim/report"
	"github.com/switchgear-go/switchgear/sim/sweep"
)

func run(t *testing.T, name string, cfg sim.Config) report.Run {
	t.Helper()
	s, err := sim.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	res, err := s.Run(t.Context(), sim.ReferenceSeed)
	if err != nil {
		t.Fatal(err)
	}
	return report.Run{Name: name, Config: s.Config(), Result: res}
}

// outage is a report of the reference experiment, with a table.
func outage(t *testing.T) *report.Report {
	quick := sim.ReferenceConfig(true)
	quick.Client.Call.Breaker.Open.Wait = time.Second
	spread := func(m float64) sweep.Spread { return sweep.Spread{Mean: m, P5: m * 0.9, P95: m * 1.1, N: 200} }
	table := &sweep.Table{Keys: []string{"client.call.breaker.open.wait", "client.call.breaker.window.calls"}, FirstSeed: 1, Seeds: 200}
	for i, wait := range []string{"1s", "5s", "10s"} {
		f := float64(i + 1)
		table.Rows = append(table.Rows, sweep.Row{
			Settings: []sweep.Setting{{Key: table.Keys[0], Value: wait}, {Key: table.Keys[1], Value: "20"}},
			Runs:     200, TripDelay: spread(2.17 * f), Reached: spread(121 * f), Share: spread(12 * f), Mean: spread(0.24 * f),
			P99: spread(2), Rounds: spread(3 * f), RecoveryLag: spread(1.4 * f), FalseTrips: spread(0), GoodRefused: spread(62 * f),
		})
	}
	return &report.Report{
		Title: "Twenty seconds without an answer",
		Teaches: "What a circuit breaker changes when a dependency stops answering. Without it, every call waits for its timeout.\n\n" +
			"With it, most calls are refused at once, and a few find out when the dependency is back. How often it asks decides how soon it notices, and how much the sick dependency gets to see.",
		Command: "switchgear sim run outage --seed 42 --html outage.html",
		Runs: []report.Run{
			run(t, "no breaker", sim.ReferenceConfig(false)),
			run(t, "breaker, waits 5 s", sim.ReferenceConfig(true)),
			run(t, "breaker, waits 1 s", quick),
		},
		Table: table,
	}
}

func html(t *testing.T, r *report.Report) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := report.HTML(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const (
	// colours counts the colours of the pixels of the canvas of each chart.
	colours = `(() => {
	// Read from copies: canvases that are read again and again would be slow.
	const copy = (c) => {
		const o = document.createElement("canvas");
		o.width = c.width;
		o.height = c.height;
		const g = o.getContext("2d", {willReadFrequently: true});
		g.drawImage(c, 0, 0);
		return g;
	};
	return [...document.querySelectorAll(".plot canvas")].map((c) => {
		const d = copy(c).getImageData(0, 0, c.width, c.height).data, n = {};
		for (let i = 0; i < d.length; i += 4) if (d[i+3] === 255) {
			const k = "rgb(" + d[i] + ", " + d[i+1] + ", " + d[i+2] + ")";
			n[k] = (n[k] || 0) + 1;
		}
		return n;
	}); })()`
	// lines are the colours of the runs.
	lines = `[...document.querySelectorAll("#runs .key")].map((k) => getComputedStyle(k).stroke)`
	// readouts are the values above each chart.
	readouts = `[...document.querySelectorAll(".readout")].map((r) => [...r.querySelectorAll("b")].map((b) => b.textContent))`
	// overflow names what is wider than the window, up to what scrolls by itself.
	overflow = `[...document.querySelectorAll("body *")].filter((e) => !e.closest(".scroll, pre, .unseen, svg, .u-wrap") &&
		e.getBoundingClientRect().right > document.documentElement.clientWidth + 1).map((e) => e.tagName + "." + e.className)
		.concat(document.documentElement.scrollWidth > document.documentElement.clientWidth ? ["the page"] : [])`
	ground = `getComputedStyle(document.body).backgroundColor`
)

// drawn checks that each chart shows each run in the run's colour.
func drawn(t *testing.T, ctx context.Context, runs ...bool) {
	t.Helper()
	want := ask[[]string](t, ctx, lines)
	canvases := ask[[]map[string]int](t, ctx, colours)
	if len(canvases) != 4 || len(want) != len(runs) {
		t.Fatalf("%d charts of %d runs", len(canvases), len(want))
	}
	for i, pixels := range canvases {
		for j, colour := range want {
			// A line that lies below another one still shows in its gaps, and elsewhere.
			if n := pixels[colour]; (n >= 100) != runs[j] || !runs[j] && n > 0 {
				t.Errorf("chart %d has %d pixels of run %d's %s; shown: %v", i, n, j, colour, runs[j])
			}
		}
	}
}

// pointAt moves the pointer over a chart, to an instant.
func pointAt(chart int, at, end float64) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		var box struct{ X, Y, W, H float64 }
		script := fmt.Sprintf(`(() => { const o = document.querySelectorAll(".plot .u-over")[%d]; o.scrollIntoView({block: "center"});
			const r = o.getBoundingClientRect(); return {X: r.left, Y: r.top, W: r.width, H: r.height}; })()`, chart)
		if err := chromedp.Evaluate(script, &box).Do(ctx); err != nil {
			return err
		}
		return input.DispatchMouseEvent(input.MouseMoved, box.X+box.W*at/end, box.Y+box.H/2).Do(ctx)
	})
}

func TestPageOfAnOutage(t *testing.T) {
	browser := start(t)
	r := outage(t)
	content := html(t, r)

	t.Run("it draws every run in every chart, and is quiet", func(t *testing.T) {
		tb := open(t, browser, content, 1280, 900)
		drawn(t, tb.ctx, true, true, true)
		if n := ask[int](t, tb.ctx, `document.querySelectorAll(".lane path.at-open").length`); n != 2 {
			t.Errorf("%d bands of states, want 2", n)
		}
		tb.picture(t, "light.png")
		tb.quiet(t)
	})

	t.Run("the values under the pointer are those of the run", func(t *testing.T) {
		tb := open(t, browser, content, 1280, 900)
		// In the middle of second 20, in the third chart: what was sent.
		do(t, tb.ctx, pointAt(2, 20.5, 60), nextFrame)
		got := ask[[][]string](t, tb.ctx, readouts)
		for i := range r.Runs {
			if want := fmt.Sprintf("%d/s", r.Runs[i].Result.Rows[20].Sent); got[2][i] != want {
				t.Errorf("run %d: %s is sent, want %s", i, got[2][i], want)
			}
		}
		for chart, values := range got {
			for i, v := range values {
				if v == "—" {
					t.Errorf("chart %d has no value of run %d: the pointer is in all charts or in none", chart, i)
				}
			}
		}
		now := ask[[]string](t, tb.ctx, `[...document.querySelectorAll(".lane .now")].map((n) => n.textContent)`)
		if !strings.HasPrefix(now[0], "open since 17.2 s: 10 of 20 calls failed") {
			t.Errorf("state at 20.5 s: %q", now[0])
		}
		var png []byte
		do(t, tb.ctx, chromedp.CaptureScreenshot(&png))
		keep(t, "hover.png", png)
		tb.quiet(t)
	})

	t.Run("a run can be hidden", func(t *testing.T) {
		tb := open(t, browser, content, 1280, 900)
		do(t, tb.ctx, chromedp.Click(`#runs button[data-run="1"]`), nextFrame)
		drawn(t, tb.ctx, true, false, true)
		do(t, tb.ctx, chromedp.Click(`#runs button[data-run="1"]`), nextFrame)
		drawn(t, tb.ctx, true, true, true)
		tb.quiet(t)
	})

	t.Run("dragging enlarges all charts alike", func(t *testing.T) {
		tb := open(t, browser, content, 1280, 900)
		do(t, tb.ctx, pointAt(0, 15, 60))
		press := func(kind input.MouseType, at float64) chromedp.Action {
			return chromedp.ActionFunc(func(ctx context.Context) error {
				var x, y float64
				script := `(() => { const r = document.querySelector(".plot .u-over").getBoundingClientRect(); return r.%s; })()`
				if err := chromedp.Evaluate(fmt.Sprintf(script, fmt.Sprintf("left + r.width * %g / 60", at)), &x).Do(ctx); err != nil {
					return err
				}
				if err := chromedp.Evaluate(fmt.Sprintf(script, "top + r.height / 2"), &y).Do(ctx); err != nil {
					return err
				}
				return input.DispatchMouseEvent(kind, x, y).WithButton(input.Left).WithButtons(1).WithClickCount(1).Do(ctx)
			})
		}
		do(t, tb.ctx, press(input.MousePressed, 15), press(input.MouseMoved, 20), press(input.MouseMoved, 36), press(input.MouseReleased, 36), nextFrame)
		view := ask[string](t, tb.ctx, `document.querySelector(".lane svg.states").getAttribute("viewBox")`)
		var from, width float64
		if _, err := fmt.Sscanf(view, "%g 0 %g 100", &from, &width); err != nil || from < 14.5 || from > 15.5 || width < 20 || width > 22 {
			t.Errorf("the bands show %s", view)
		}
		var png []byte
		do(t, tb.ctx, chromedp.CaptureScreenshot(&png))
		keep(t, "enlarged.png", png)
		tb.quiet(t)
	})

	t.Run("in the dark it is dark, and drawn in other colours", func(t *testing.T) {
		tb := open(t, browser, content, 1280, 900)
		before, light := ask[string](t, tb.ctx, ground), ask[[]string](t, tb.ctx, lines)
		tb.scheme(t, "dark")
		if after := ask[string](t, tb.ctx, ground); before == after {
			t.Errorf("the ground is %s in light and dark", after)
		}
		for i, c := range ask[[]string](t, tb.ctx, lines) {
			if c == light[i] {
				t.Errorf("run %d is %s in light and dark", i, c)
			}
		}
		drawn(t, tb.ctx, true, true, true)
		tb.picture(t, "dark.png")
		tb.quiet(t)
	})

	t.Run("nothing is cut off on a small screen", func(t *testing.T) {
		tb := open(t, browser, content, 360, 740)
		for _, what := range ask[[]string](t, tb.ctx, overflow) {
			t.Errorf("%s is too wide", what)
		}
		drawn(t, tb.ctx, true, true, true)
		tb.picture(t, "narrow.png")
		tb.quiet(t)
	})

	t.Run("the charts follow the size of the window", func(t *testing.T) {
		tb := open(t, browser, content, 1280, 900)
		do(t, tb.ctx, emulation.SetDeviceMetricsOverride(700, 900, 1, false), nextFrame, nextFrame)
		for _, what := range ask[[]string](t, tb.ctx, overflow) {
			t.Errorf("%s is too wide", what)
		}
		tb.quiet(t)
	})

	t.Run("nothing is cut off on paper", func(t *testing.T) {
		tb := open(t, browser, content, 1280, 900)
		tb.scheme(t, "dark") // of the screen; paper is white all the same
		var pdf []byte
		do(t, tb.ctx, chromedp.ActionFunc(func(ctx context.Context) (err error) {
			pdf, _, err = page.PrintToPDF().WithPreferCSSPageSize(true).WithPaperWidth(8.27).WithPaperHeight(11.69).Do(ctx)
			return err
		}))
		keep(t, "print.pdf", pdf)
		// The same layout on a screen as wide as the paper, to measure it.
		do(t, tb.ctx,
			emulation.SetDeviceMetricsOverride(688, 1000, 1, false),
			emulation.SetEmulatedMedia().WithMedia("print").WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "light"}}),
			chromedp.Evaluate(`dispatchEvent(new Event("beforeprint"))`, nil), nextFrame)
		wide := `[...document.querySelectorAll("body *")].filter((e) => !e.closest(".unseen") && e.getBoundingClientRect().right > 689).map((e) => e.tagName + "." + e.getAttribute("class") + " " + e.getBoundingClientRect().right)`
		for _, what := range ask[[]string](t, tb.ctx, wide) {
			t.Errorf("%s is too wide", what)
		}
		if n := ask[int](t, tb.ctx, `document.querySelectorAll("details:not([open])").length`); n != 0 {
			t.Errorf("%d parts are folded away on paper", n)
		}
		tb.picture(t, "print.png")
		do(t, tb.ctx, chromedp.Evaluate(`dispatchEvent(new Event("afterprint"))`, nil))
		tb.quiet(t)
	})
}

// TestHostileNamesStayText has names that would break out of any place that a page
// has, were they not escaped there.
func TestHostileNamesStayText(t *testing.T) {
	browser := start(t)
	const name = `</script><script>window.broken=1</script>"'><img src=x onerror="window.broken=2"><!-- {{.}} ${window.broken=3} ` + "\u2028"
	cfg := sim.ReferenceConfig(true)
	cfg.Name, cfg.Services[0].Name, cfg.Windows[1].Name = name, name, name
	r := &report.Report{Title: name, Teaches: name, Command: name, Runs: []report.Run{run(t, name, cfg), run(t, name, cfg)}}
	r.Table = &sweep.Table{Keys: []string{name}, Rows: []sweep.Row{{Settings: []sweep.Setting{{Key: name, Value: name}}}}}
	tb := open(t, browser, html(t, r), 1280, 900)
	do(t, tb.ctx, pointAt(0, 20, 60), nextFrame)
	if ask[bool](t, tb.ctx, `"broken" in window || document.images.length > 0`) {
		t.Error("a name has become part of the page")
	}
	if got := ask[string](t, tb.ctx, `document.querySelector("h1").textContent`); got != strings.TrimSpace(name) {
		t.Errorf("the title is %q", got)
	}
	tb.quiet(t)
}

// TestNoScriptRunsButItsOwn asks the browser to run what a page with a hole in its
// escaping would have.
func TestNoScriptRunsButItsOwn(t *testing.T) {
	browser := start(t)
	tb := open(t, browser, html(t, outage(t)), 1280, 900)
	do(t, tb.ctx, chromedp.Evaluate(`(() => {
		const s = document.createElement("script");
		s.textContent = "window.broken = 1";
		document.body.append(s);
		const i = new Image();
		i.src = "/fetched.png";
		document.body.append(i);
	})()`, nil), nextFrame)
	if ask[bool](t, tb.ctx, `"broken" in window`) {
		t.Error("a script ran that is not the page's own")
	}
}

// TestPageOfAFleet has many breakers, a chain, and a fault that flaps.
func TestPageOfAFleet(t *testing.T) {
	browser := start(t)
	r := &report.Report{Title: "A fleet and a chain", Runs: fleet(t)}
	tb := open(t, browser, html(t, r), 1280, 900)
	do(t, tb.ctx, pointAt(0, 22, 90), nextFrame)
	tb.picture(t, "fleet.png")
	tb.quiet(t)
}
