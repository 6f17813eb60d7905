package proof

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/internal/proof/model"
	"github.com/switchgear-go/switchgear/internal/proof/schedule"
)

var (
	linearRuns = flag.Int("linear.runs", 250, "concurrent histories of each theme that are judged")
	linearSeed = flag.Uint64("linear.seed", 0, "the scripts of the histories; 0: others each time")
)

// A play is a sort of concurrent history.
type play struct {
	name    string
	configs []breaker.Config // one of them; without jitter, so that waits can be compared
	prepare func(*director)  // writes what comes before
	lines   []weight         // what goroutines do; see director.line
	time    []weight         // what the one goroutine does that lets time pass; nil: none does
}

const never = switchgear.Off

// lines that most plays have in common.
var (
	calls    = []weight{{"success", 10}, {"failure", 4}, {"do +", 4}, {"do -", 1}, {"hold", 3}, {"let go", 3}, {"ignored", 1}, {"released", 1}, {"state", 1}, {"ready", 1}, {"snapshot", 1}, {"counters", 1}}
	watchful = append([]weight{{"snapshot", 6}}, calls...)
	operated = append([]weight{{"move", 3}, {"reset", 1}}, calls...)
	changing = append([]weight{{"reconfigure", 3}}, calls...)
	passing  = append([]weight{{"advance", 8}}, calls...)
	steering = append([]weight{{"advance", 8}, {"move", 3}}, calls...)
)

var plays = []play{
	{name: "T1, count window", lines: watchful, configs: []breaker.Config{
		{Window: breaker.WindowConfig{Calls: 4}, MinimumCalls: 3, FailureRate: 50},
		{Window: breaker.WindowConfig{Calls: 6}, MinimumCalls: 2, FailureRate: 67},
		{Window: breaker.WindowConfig{Calls: 2}, MinimumCalls: 2, FailureRate: 100},
	}, time: passing},
	{name: "T1, time window", lines: watchful, configs: []breaker.Config{
		{Window: breaker.WindowConfig{Length: 3 * sec, Buckets: 3}, MinimumCalls: 4, FailureRate: 50},
		{Window: breaker.WindowConfig{Length: sec, Buckets: 1}, MinimumCalls: 3, FailureRate: 40},
	}, time: passing},
	{name: "T2", lines: calls, configs: []breaker.Config{
		{Window: breaker.WindowConfig{Calls: 5}, MinimumCalls: 3, SlowCall: breaker.SlowCallConfig{Duration: 100 * ms, Rate: 60}},
		{Window: breaker.WindowConfig{Length: 2 * sec, Buckets: 2}, MinimumCalls: 3, SlowCall: breaker.SlowCallConfig{Duration: 100 * ms, Rate: 60}},
	}, time: passing},
	{name: "T3, T4", lines: calls, configs: []breaker.Config{
		{Window: breaker.WindowConfig{Calls: 8}, FailureRate: never, ConsecutiveFailures: 2},
		{Window: breaker.WindowConfig{Calls: 8}, FailureRate: never, FailureCount: 3},
		{Window: breaker.WindowConfig{Length: 2 * sec, Buckets: 4}, FailureRate: never, FailureCount: 3, ConsecutiveFailures: 2},
	}, time: passing},
	{name: "T7", lines: operated, configs: []breaker.Config{
		{Window: breaker.WindowConfig{Calls: 5}, MinimumCalls: 2, Grace: 1500 * ms, ConsecutiveFailures: 2},
		{Window: breaker.WindowConfig{Length: 3 * sec, Buckets: 3}, MinimumCalls: 2, Grace: 1500 * ms},
	}, time: passing},
	{name: "H2", lines: calls, configs: []breaker.Config{
		{Window: breaker.WindowConfig{Calls: 4}, MinimumCalls: 3, HalfOpen: breaker.HalfOpenConfig{Probes: 3}},
		{Window: breaker.WindowConfig{Calls: 4}, MinimumCalls: 2, HalfOpen: breaker.HalfOpenConfig{Probes: 4, ProbeLimit: sec}},
	}, prepare: probing, time: passing},
	{name: "H3", lines: calls, configs: []breaker.Config{
		{Window: breaker.WindowConfig{Calls: 4}, HalfOpen: breaker.HalfOpenConfig{Probes: 2, Verdict: breaker.ByStreak, Successes: 4}},
		{Window: breaker.WindowConfig{Calls: 4}, HalfOpen: breaker.HalfOpenConfig{Probes: 1, Verdict: breaker.ByStreak, Successes: 2, ProbeLimit: sec}},
	}, prepare: probing, time: passing},
	{name: "O5, H6", lines: calls, configs: []breaker.Config{
		{Window: breaker.WindowConfig{Calls: 3}, MinimumCalls: 2, ConsecutiveFailures: 2,
			Open: breaker.OpenConfig{Automatic: true}, HalfOpen: breaker.HalfOpenConfig{Probes: 2, MaxWait: 700 * ms}},
	}, time: passing},
	{name: "S4", lines: operated, configs: []breaker.Config{
		{Window: breaker.WindowConfig{Calls: 4}, MinimumCalls: 2, ConsecutiveFailures: 2},
		{Window: breaker.WindowConfig{Length: 2 * sec, Buckets: 2}, MinimumCalls: 2},
	}, time: steering},
	{name: "S4, time stands still", lines: operated, configs: []breaker.Config{
		{Window: breaker.WindowConfig{Calls: 4}, MinimumCalls: 2, ConsecutiveFailures: 2},
	}},
	{name: "reconfiguration", lines: changing, configs: []breaker.Config{
		{Window: breaker.WindowConfig{Calls: 4}, MinimumCalls: 2, FailureRate: 75},
		{Window: breaker.WindowConfig{Length: 2 * sec, Buckets: 2}, MinimumCalls: 2, FailureRate: 75},
	}, time: passing},
	{name: "O1, O3", lines: calls, configs: []breaker.Config{
		{Window: breaker.WindowConfig{Calls: 3}, MinimumCalls: 3, ConsecutiveFailures: 1,
			Open: breaker.OpenConfig{Wait: 100 * ms, Factor: 2}, HalfOpen: breaker.HalfOpenConfig{Probes: 1}},
	}, time: passing},
}

// probing brings the breaker to HALF_OPEN, with permits of CLOSED still out.
func probing(d *director) {
	d.add(act{Do: "acquire", Slot: slots - 1}, act{Do: "acquire", Slot: slots - 2})
	d.add(act{Do: "move", Move: breaker.Move{To: breaker.HalfOpen, Reason: "try"}})
}

// A director writes the scripts of a history.
type director struct {
	*rand.Rand
	play   *play
	config breaker.Config
	script []act
	free   []int // slots of the actor that hold no permit
	out    []int
}

func (d *director) add(acts ...act) { d.script = append(d.script, acts...) }

// write returns a script of n lines for an actor, which has some slots to itself.
func (d *director) write(n int, lines []weight, slots ...int) []act {
	d.script, d.free, d.out = nil, slots, nil
	names := weighted(lines)
	for len(d.script) < n {
		d.line(names[d.IntN(len(names))])
	}
	return d.script
}

// line adds one line to a script.
func (d *director) line(name string) {
	last := len(d.free) - 1
	settle := func(slot int) act {
		return act{Do: "settle", Slot: slot, How: d.how(), Hint: pickOne(d, 0, 0, 300*ms, 2*sec)}
	}
	call := func(how model.Health) {
		if last >= 0 {
			d.add(act{Do: "acquire", Slot: d.free[last]}, act{Do: "settle", Slot: d.free[last], How: how})
		}
	}
	switch name {
	case "success", "failure", "ignored", "released":
		call(model.Health(name))
	case "do +", "do -":
		how := model.Success
		if name == "do -" {
			how = model.Failure
		}
		if last >= 0 {
			d.add(act{Do: "do", Slot: d.free[last], How: how})
		}
	case "hold":
		if last >= 0 {
			d.add(act{Do: "acquire", Slot: d.free[last]})
			d.out, d.free = append(d.out, d.free[last]), d.free[:last]
		}
	case "let go":
		if len(d.out) > 0 {
			i := d.IntN(len(d.out))
			d.add(settle(d.out[i]))
			d.free = append(d.free, d.out[i])
			d.out = append(d.out[:i], d.out[i+1:]...)
		}
	case "advance":
		d.add(act{Do: name, D: pickOne(d, 60*ms, 100*ms, 101*ms, 500*ms, sec, 1500*ms)})
	case "move":
		m := breaker.Move{To: breaker.State(d.IntN(6)), Author: "ana", Reason: "test"}
		if m.To >= breaker.Disabled && d.play.time != nil {
			m.For = pickOne(d, 0, 500*ms, sec)
		}
		d.add(act{Do: name, Move: m})
	case "reconfigure":
		c := d.config
		c.FailureRate = pickOne[switchgear.Percent](d, 75, 30, never, 100)
		c.ConsecutiveFailures = pickOne(d, 0, 2, 3)
		c.EnoughTime = pickOne(d, 0, ms)
		d.add(act{Do: name, Config: c})
	default:
		d.add(act{Do: name})
	}
}

func (d *director) how() model.Health {
	return pickOne(d, model.Success, model.Success, model.Success, model.Failure, model.Failure, model.Ignored, model.Released)
}

func pickOne[T any](d *director, values ...T) T { return values[d.IntN(len(values))] }

// TestLinearizable judges histories of several goroutines that use one breaker at once:
// first of the breaker as it is, on several processors, and then of the instrumented one,
// with goroutines that yield in the middle of operations.
func TestLinearizable(t *testing.T) {
	runs := *linearRuns
	if testing.Short() {
		runs = max(1, runs/5)
	}
	seed := *linearSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-linear.seed=%d", seed)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	if instrumented() {
		schedule.Shake(func() {
			if rand.IntN(3) == 0 {
				runtime.Gosched()
			}
		})
		defer schedule.Shake(nil)
	} else {
		// Where steps cannot be made to meet, most histories are no better than one.
		runs = max(1, runs/5)
		defer again(t, fmt.Sprintf("-linear.runs=%d", *linearRuns), fmt.Sprintf("-linear.seed=%d", seed))
	}
	var ledger ledger
	operations, overlapping, played, hard := 0, 0, 0, 0
	for i := range plays {
		t.Run(plays[i].name, func(t *testing.T) {
			played++
			for run := range runs {
				d := &director{Rand: rand.New(rand.NewPCG(seed, uint64(i)<<32+uint64(run))), play: &plays[i]}
				g := d.perform()
				wrong := g.judge()
				if wrong == undecided {
					hard++
				} else if wrong != "" {
					t.Fatalf("run %d: %s\n%v", run, wrong, g)
				}
				n, over := g.overlaps()
				operations, overlapping = operations+n, overlapping+over
				ledger.add(g.tally())
			}
		})
	}
	t.Logf("%d histories of %d operations, %d of which overlapped with another one; %d histories were too hard to judge",
		ledger.histories, operations, overlapping, hard)
	if hard > 1+ledger.histories/1000 {
		t.Error("these are too many")
	}
	if played < len(plays) {
		return // only some were asked for
	}
	ledger.require(t, 1000,
		"CLOSED to OPEN", "OPEN to HALF_OPEN", "HALF_OPEN to OPEN", "HALF_OPEN to CLOSED", "late", "refused", "probe",
		"timer", "rule failure_rate", "rule slow_rate", "rule consecutive_failures", "rule failure_count",
		"rule probes_failed", "rule probes_late", "rule operator", "reconfigured", "overdue",
	)
}

// perform writes scripts and has them played at once.
func (d *director) perform() *stage {
	d.config = pickOne(d, d.play.configs...)
	if d.config.Open.Wait == 0 {
		d.config.Open.Wait = 300 * ms
	}
	d.config.Open.Jitter = never
	g := newStage(setup{Config: d.config}, 2+d.IntN(3), true)
	g.clk.moves = true
	d.script = nil
	if d.play.prepare != nil {
		d.play.prepare(d)
	}
	g.director().playAll(d.script)

	if instrumented() {
		runtime.GOMAXPROCS(pickOne(d, 1, 1, 1, 1, 1, 1, 1, 2)) // operations meet anyway
	} else {
		runtime.GOMAXPROCS(pickOne(d, 1, 2, 2, 3))
	}
	const each = 4
	length := 8 + d.IntN(13)
	actors := len(g.actors) - 1
	together := pickOne(d, 1, 1, 2, length) // goroutines wait for each other before so many acts
	spin := pickOne(d, 1, 1, 100)           // and that often look whether the others are there
	var arrived atomic.Int64
	var done sync.WaitGroup
	for i, a := range g.actors[:len(g.actors)-1] {
		lines := d.play.lines
		if i == 0 && d.play.time != nil {
			lines = d.play.time
		}
		mine := make([]int, 0, each+1)
		for k := range each {
			mine = append(mine, i*each+k)
		}
		script := d.write(length, lines, mine...)[:length]
		if d.play.prepare != nil && i < 2 {
			script[d.IntN(length)] = act{Do: "settle", Slot: slots - 1 - i, How: d.how()}
		}
		done.Go(func() {
			for k, what := range script {
				if k%together == 0 {
					arrived.Add(1)
					for n := 1; arrived.Load() < int64((k/together+1)*actors); n++ {
						if n%spin == 0 {
							runtime.Gosched()
						}
					}
				}
				a.play(what)
			}
		})
	}
	done.Wait()
	g.curtain()
	return g
}

// overlaps returns how many operations there were, and how many of them were under way
// together with another one.
func (g *stage) overlaps() (operations, overlapping int) {
	all := g.all()
	last := int64(0)
	for i, r := range all {
		if r.call < last || i+1 < len(all) && all[i+1].call < r.end {
			overlapping++
		}
		last = max(last, r.end)
	}
	return len(all), overlapping
}

// tally notes what happened in a history.
func (g *stage) tally() tally {
	t := tally{}
	for _, r := range g.all() {
		switch {
		case r.probe:
			t.note("probe")
		case r.act.Do == "acquire" && !r.admitted:
			t.note("refused")
		case r.act.Do == "timer":
			t.note("timer")
		case r.act.Do == "snapshot" && r.late > 0:
			t.note("late")
		}
		if r.view.Counters.Overdue > 0 {
			t.note("overdue")
		}
	}
	for _, e := range g.heard {
		if e.Kind != event.Transition && e.Kind != event.Renewed {
			t.note(string(e.Kind))
			continue
		}
		h := happened(e)
		t.note(h.from + " to " + h.to)
		if h.rule != "" {
			t.note("rule " + string(h.rule))
		}
	}
	return t
}
