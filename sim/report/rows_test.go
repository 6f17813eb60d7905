package report

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/sim"
)

// simulated is one run of a configuration.
func simulated(t *testing.T, cfg sim.Config) Run {
	t.Helper()
	s, err := sim.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	res, err := s.Run(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	return Run{Name: "one", Config: s.Config(), Result: res}
}

// A call every 100 ms, in rows that the end of the run cuts off.
func TestTheLastRowIsAsLongAsItIs(t *testing.T) {
	for _, c := range []struct{ duration, row, last time.Duration }{
		{10 * time.Second, 4 * time.Second, 2 * time.Second},
		{10 * time.Second, 60 * time.Second, 10 * time.Second},
		{10 * time.Second, 5 * time.Second, 5 * time.Second},
	} {
		run := simulated(t, sim.Config{Duration: c.duration, Row: c.row, Load: sim.Load{Kind: sim.Constant, Rate: 10}})
		rows := run.Result.Rows
		if got := rowLength(&run, &rows[len(rows)-1]); got != c.last {
			t.Errorf("rows of %v in %v: the last is %v long, want %v", c.row, c.duration, got, c.last)
		}
		for i, v := range newDataRun(&run).Sent {
			if math.Abs(float64(v)-10) > 0.3 {
				t.Errorf("rows of %v in %v: %v calls a second in row %d, want 10", c.row, c.duration, v, i)
			}
		}
		for i, v := range sample(&run, rate, c.duration, 20, false) {
			if math.Abs(v-10) > 0.3 {
				t.Errorf("rows of %v in %v: %v calls a second in column %d, want 10", c.row, c.duration, v, i)
			}
		}
		records := rowRecords(&Report{Runs: []Run{run}})
		if got := records[len(records)-1][2]; got != seconds(c.last) {
			t.Errorf("rows of %v in %v: length_s is %s", c.row, c.duration, got)
		}
	}
}

func TestChartsOfThirtyDaysReachTheEnd(t *testing.T) {
	const days = 30 * 24 * time.Hour
	run := simulated(t, sim.Config{Duration: days, Load: sim.Load{Kind: sim.Constant, Rate: 0.01}})
	sent := newDataRun(&run).Sent
	for i, v := range sent {
		if math.Abs(float64(v)-0.01) > 0.002 {
			t.Fatalf("%v calls a second in column %d of %d", v, i, len(sent))
		}
	}
	if got := part(days, maxPoints, maxPoints); got != days {
		t.Errorf("all parts are %v", got)
	}
	p := &printer{width: 100}
	lines := p.axis([]Run{run}, days, 90)
	if got, want := strings.Fields(lines[len(lines)-1]), "0 d 5 d 10 d 15 d 20 d 25 d"; strings.Join(got, " ") != want {
		t.Errorf("the axis has %v", got)
	}
	if got := mark(6*time.Hour, 12*time.Hour) + mark(12*time.Hour, days) + mark(time.Minute, time.Hour); got != "6 h0.5 d60 s" {
		t.Errorf("marks are %s", got)
	}
}

func TestTheFaultIsCalledByItsWindow(t *testing.T) {
	named := func(names ...string) string {
		var runs []Run
		for _, name := range names {
			cfg := sim.ReferenceConfig(true)
			cfg.Windows = []sim.Window{{Name: "calm", To: 15 * time.Second}, {Name: name, From: 15 * time.Second, To: 35 * time.Second}}
			runs = append(runs, simulated(t, cfg))
		}
		return groups(runs)[1].name
	}
	for got, want := range map[string]string{
		named("peak"):         "In the window peak (15 s to 35 s)",
		named("fault"):        "In the fault (15 s to 35 s)",
		named("peak", "peak"): "In the window peak (15 s to 35 s)",
		named("peak", "load"): "In the fault (15 s to 35 s)",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	for _, g := range groups([]Run{simulated(t, sim.Config{Duration: time.Second})}) {
		if strings.HasPrefix(g.name, "In the") {
			t.Errorf("without a fault there is %q", g.name)
		}
	}
}

func TestPageShowsWarnings(t *testing.T) {
	run := simulated(t, sim.Config{Duration: time.Second})
	show := func() string {
		var b strings.Builder
		if err := HTML(&b, &Report{Runs: []Run{run}}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if strings.Contains(show(), "Doubtful") {
		t.Error("without warnings there are doubts")
	}
	run.Warnings = []Warning{{"client.<b>", "5", "is too few"}}
	if got := show(); !strings.Contains(got, "one: <code>client.&lt;b&gt;</code>: 5: is too few") {
		t.Error("it does not")
	}
}
