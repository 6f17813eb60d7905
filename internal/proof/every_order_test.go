package proof

import (
	"flag"
	"fmt"
	"hash/maphash"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/internal/proof/model"
	"github.com/switchgear-go/switchgear/internal/proof/schedule"
)

var (
	ordersMore  = flag.Bool("orders.more", false, "explore the large scenes too")
	ordersBound = flag.Int("orders.preemptions", 0, "bound the preemptions in every scene; 0: as the scene says")
)

// A scene is a small concurrent program on one breaker: what is done first, and then what
// each of two or three threads does. See parseActs for the words.
type scene struct {
	name    string
	config  breaker.Config
	other   breaker.Config // that "reconfigure" puts into effect
	first   string
	threads []string
	heard   bool // there is a listener, and its calls are part of what goes on
	bound   int  // of preemptions; 0: none
	large   bool // only with -orders.more
}

// parseActs reads a script: acts with ";" between them.
func parseActs(script string, other breaker.Config) (acts []act) {
	for text := range strings.SplitSeq(script, ";") {
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		a := act{Do: words[0]}
		number := func(i int) int {
			n, err := strconv.Atoi(words[i])
			if err != nil {
				panic(fmt.Sprintf("%q: %v", text, err))
			}
			return n
		}
		length := func(i int) time.Duration {
			d, err := time.ParseDuration(words[i])
			if err != nil {
				panic(fmt.Sprintf("%q: %v", text, err))
			}
			return d
		}
		switch words[0] {
		case "success", "failure", "ignored", "released": // of a permit that is out
			a.Do, a.How, a.Slot = "settle", model.Health(words[0]), number(1)
		case "do+", "do-": // a call through Do
			a.Do, a.How, a.Slot = "do", model.Success, number(1)
			if words[0] == "do-" {
				a.How = model.Failure
			}
		case "acquire":
			a.Slot = number(1)
		case "copy":
			a.From, a.Slot = number(1), number(2)
		case "move":
			a.Move = breaker.Move{To: stateOf(model.State(words[1])), Author: "ana", Reason: "test"}
			if len(words) > 2 {
				a.Move.For = length(2)
			}
		case "advance":
			a.D = length(1)
		case "reconfigure":
			a.Config = other
		case "reset", "state", "ready", "snapshot", "counters":
		default:
			panic("no such act: " + text)
		}
		acts = append(acts, a)
	}
	return acts
}

// TestEveryOrder runs small scenes in every order of their steps (see package schedule).
// In each order all invariants hold after each step, and the history is linearizable.
func TestEveryOrder(t *testing.T) {
	if !instrumented() {
		again(t, fmt.Sprintf("-orders.more=%v", *ordersMore), fmt.Sprintf("-orders.preemptions=%d", *ordersBound))
		return
	}
	// A breaker has two cells for each processor. With two in all, two of three threads
	// share one.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var all schedule.Report
	histories := 0
	for _, s := range scenes {
		if s.large && !*ordersMore {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			started := time.Now()
			report, n := s.explore(t)
			t.Logf("%s: %v, %d histories, %v", s.name, report, n, time.Since(started).Round(time.Millisecond))
			all.States += report.States
			all.Orders += report.Orders
			all.Runs += report.Runs
			all.Depth = max(all.Depth, report.Depth)
			histories += n
		})
	}
	t.Logf("all scenes: %v, %d histories", all, histories)
}

// explore returns what was explored and how many different histories were judged.
func (s scene) explore(t *testing.T) (schedule.Report, int) {
	t.Helper()
	config, other := s.config, s.other
	config.Open.Jitter, other.Open.Jitter = never, never // so that waits can be compared
	first := parseActs(s.first, other)
	var scripts [][]act
	passes := false
	for _, script := range s.threads {
		scripts = append(scripts, parseActs(script, other))
		passes = passes || strings.Contains(script, "advance")
	}
	judged := map[uint64]bool{}
	seed := maphash.MakeSeed()
	bound := s.bound
	if *ordersBound > 0 {
		bound = *ordersBound
	}
	report, err := schedule.Explore(schedule.Options{Preemptions: bound}, func() schedule.Program {
		g := newStage(setup{Config: config}, len(scripts), s.heard)
		g.director().playAll(first)
		g.clk.moves = passes
		var p schedule.Program
		for i, script := range scripts {
			p.Threads = append(p.Threads, func() { g.actors[i].playAll(script) })
		}
		p.Always = g.always()
		p.After = func() error {
			g.curtain()
			if key := g.digest(seed); !judged[key] {
				judged[key] = true
				if wrong := g.judge(); wrong != "" {
					return fmt.Errorf("%s\n%v", wrong, g)
				}
			}
			return nil
		}
		return p
	})
	if err != nil {
		t.Fatal(err)
	}
	return report, len(judged)
}

// always returns a check of what must hold after each step.
func (g *stage) always() func() error {
	b := any(g.b).(inspector)
	last, _ := b.Inspect()
	return func() error {
		period, broken := b.Inspect()
		switch {
		case broken != "":
			return fmt.Errorf("invariant: %s", broken)
		case period != last && period != last+1:
			return fmt.Errorf("S5: period %d follows period %d", period, last)
		case g.open.Load() == 0 && b.Waiting() > 0:
			return fmt.Errorf("S7: %d events are left to nobody", b.Waiting())
		}
		last = period
		return nil
	}
}

// digest returns a hash of all that the judgement depends on.
func (g *stage) digest(seed maphash.Seed) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	for _, r := range g.all() {
		maphash.WriteComparable(&h, r.known)
	}
	for _, e := range g.heard {
		maphash.WriteComparable(&h, e.Seq)
		if _, ok := e.Detail.(*breaker.Change); ok {
			maphash.WriteComparable(&h, happened(e))
		}
	}
	return h.Sum64()
}
