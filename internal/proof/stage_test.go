package proof

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/internal/proof/model"
	"github.com/switchgear-go/switchgear/internal/proof/schedule"
)

// An act is one thing that a goroutine does to a breaker.
type act struct {
	Do     string         // see stage.play
	Slot   int            // which permit; each is in the hands of one goroutine at a time
	From   int            // the permit that is copied
	How    model.Health   // how a call ends
	Hint   time.Duration  // that a failure comes with
	Move   breaker.Move   // an operator's order
	D      time.Duration  // by which time advances
	Config breaker.Config // of a reconfiguration
}

func (a act) String() string {
	switch a.Do {
	case "acquire":
		return fmt.Sprintf("acquire %d", a.Slot)
	case "settle", "do", "end of do":
		return fmt.Sprintf("%s %d: %s", a.Do, a.Slot, a.How)
	case "move":
		return fmt.Sprintf("move to %v for %v", a.Move.To, a.Move.For)
	case "advance":
		return fmt.Sprintf("advance by %v", a.D)
	}
	return a.Do
}

// slots is how many permits can be told apart in a history.
const slots = 20

// A stage is a breaker and what goroutines have done to it: a concurrent history.
type stage struct {
	setup   setup
	model   model.Config
	b       *breaker.Breaker
	clk     *stageClock
	permits [slots]breaker.Permit

	ticks   atomic.Int64 // the order of beginnings and ends
	open    atomic.Int64 // operations that have begun and not ended
	actors  []*actor
	heard   []event.Event
	problem atomic.Pointer[string]
}

// An actor is a goroutine of a history and what it has done. Its records are its own.
type actor struct {
	*stage
	index   int
	records []*record
}

// A record is an operation.
type record struct {
	act  act
	span *schedule.Span
	known
}

// known is what is known of an operation: when it was under way, and what came back.
type known struct {
	actor     int
	call, end int64         // ticks
	from, to  time.Duration // what the clock showed then

	admitted, probe bool
	state           breaker.State // of a refusal, or that was read
	period          uint64        // of a refusal
	ready           bool
	view            view
	late, rejected  uint64        // counters that are read at instants of their own
	due             time.Duration // of a timer that fires
}

// A view is what a snapshot shows of one instant.
type view struct {
	State       breaker.State
	Period      uint64
	Numbers     breaker.Numbers
	Consecutive int64
	ProbesOut   int
	Counters    breaker.Counters // but for those that are read on their own
}

func (r *record) String() string {
	s := fmt.Sprintf("%4d–%-4d %v–%v actor %d: %v", r.call, r.end, r.from, r.to, r.actor, r.act)
	switch r.act.Do {
	case "acquire", "do":
		if r.admitted {
			return fmt.Sprintf("%s: admitted, probe %v", s, r.probe)
		}
		return fmt.Sprintf("%s: refused by %v #%d", s, r.state, r.period)
	case "state":
		return fmt.Sprintf("%s: %v", s, r.state)
	case "ready":
		return fmt.Sprintf("%s: %v", s, r.ready)
	case "timer":
		return fmt.Sprintf("%s, due at %v", s, r.due)
	case "snapshot", "counters":
		return fmt.Sprintf("%s: %+v, late %d, rejected %d", s, r.view, r.late, r.rejected)
	}
	return s
}

// newStage makes a breaker with so many actors, and one more, the last, for what comes
// before and after them.
// Without a listener the events are read in the end, and their delivery is no part of
// what goes on.
func newStage(s setup, actors int, listen bool) *stage {
	g := &stage{setup: s, model: s.modelConfig(), clk: newStageClock()}
	for i := range actors + 1 {
		g.actors = append(g.actors, &actor{stage: g, index: i, records: make([]*record, 0, 32)})
	}
	g.clk.fired = g.timer
	options := []breaker.Option{breaker.WithClock(g.clk), breaker.WithRecent(100)}
	if listen {
		options = append(options, breaker.WithRecent(0), breaker.WithListener(g))
	}
	g.b = breaker.Must(breaker.New("stock", s.Config, options...))
	return g
}

// director is the actor for what comes before and after the others.
func (g *stage) director() *actor { return g.actors[len(g.actors)-1] }

// curtain is what comes last: timers that are due fire, and everything is looked at.
func (g *stage) curtain() {
	g.director().playAll([]act{{Do: "advance"}, {Do: "snapshot"}})
	if g.heard == nil {
		g.heard = g.b.Events()
	}
}

// OnEvent implements event.Listener. It takes no lock: one event comes after the other.
func (g *stage) OnEvent(e event.Event) { g.heard = append(g.heard, e) }

// fail keeps the first problem that an actor meets.
func (g *stage) fail(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	g.problem.CompareAndSwap(nil, &s)
}

func (a *actor) begin(what act) *record {
	r := &record{act: what, known: known{actor: a.index}}
	r.span = schedule.Begin(func() {
		r.call, r.from = a.ticks.Add(1), a.clk.Virtual.Mono()
		a.open.Add(1)
	}, a.clk.observe)
	return r
}

func (a *actor) end(r *record) {
	r.span.End()
	r.to, r.end = a.clk.Virtual.Mono(), a.ticks.Add(1)
	a.open.Add(-1)
	a.records = append(a.records, r)
}

func (a *actor) playAll(acts []act) {
	for _, what := range acts {
		a.play(what)
	}
}

// play does one act and records it.
func (a *actor) play(what act) {
	switch what.Do {
	case "copy":
		a.permits[what.Slot] = a.permits[what.From]
		r := a.begin(what)
		a.end(r)
		return
	case "do":
		a.do(what)
		return
	case "advance":
		a.clk.advance(a, a.clk.Virtual.Mono()+what.D)
		return
	}
	r := a.begin(what)
	defer a.end(r)
	switch what.Do {
	case "acquire":
		p, err := a.b.Acquire(context.Background())
		a.permits[what.Slot] = p
		r.answered(a.stage, err, p.Probe())
		if b, ok := any(a.b).(inspector); ok && p.Probe() && b.Waiting() > 0 && a.open.Load() == 1 {
			a.fail("H7: a probe is let through, and nobody is about to tell why")
		}
	case "settle":
		settleAs(&a.permits[what.Slot], what.How, what.Hint)
	case "move":
		if err := a.b.Move(what.Move); err != nil {
			a.fail("Move: %v", err)
		}
	case "reset":
		if err := a.b.Reset("bob", "again"); err != nil {
			a.fail("Reset: %v", err)
		}
	case "reconfigure":
		if err := a.b.Reconfigure(what.Config); err != nil {
			a.fail("Reconfigure: %v", err)
		}
	case "state":
		r.state = a.b.State()
	case "ready":
		r.ready = a.b.Ready()
	case "counters":
		r.view.Counters = a.b.Counters()
		r.split()
	case "snapshot":
		s := a.b.Snapshot()
		r.view = view{s.State, s.Period, s.Numbers, s.Consecutive, s.ProbesOut, s.Counters}
		r.split()
	default:
		panic("no such act: " + what.Do)
	}
}

// split takes out the counters that a breaker reads at instants of their own (N1).
func (r *record) split() {
	c := &r.view.Counters
	r.late, r.rejected = c.Late, c.Rejected
	c.Late, c.Rejected = 0, 0
}

// answered notes what came of asking for a permit.
func (r *record) answered(g *stage, err error, probe bool) {
	r.admitted, r.probe = err == nil, probe
	if err == nil {
		return
	}
	refusal, ok := errors.AsType[*breaker.Rejection](err)
	if !ok {
		g.fail("P1: refused with %v", err)
		return
	}
	r.state, r.period = refusal.State, refusal.Period
}

// do makes a call through Do, which is two operations: to be let in, and to report.
func (a *actor) do(what act) {
	in := a.begin(what)
	var out *record
	_, err := breaker.Do(context.Background(), a.b, func(context.Context) (int, error) {
		in.admitted = true
		a.end(in)
		what.Do = "end of do"
		out = a.begin(what)
		if what.How == model.Failure {
			return 0, errDown
		}
		return 0, nil
	})
	if out == nil {
		in.answered(a.stage, err, false)
		a.end(in)
		return
	}
	a.end(out)
}

var errDown = errors.New("down")

func settleAs(p *breaker.Permit, how model.Health, hint time.Duration) {
	switch how {
	case model.Success:
		p.Success()
	case model.Failure:
		if hint > 0 {
			p.Failure(switchgear.WithRetryAfter(errDown, hint))
		} else {
			p.Failure(nil)
		}
	case model.Ignored:
		p.Ignore()
	case model.Released:
		p.Release()
	}
}

// timer is a timer that fires: an operation of its own, inside the act that lets time
// pass.
func (g *stage) timer(a *actor, due time.Duration, f func()) {
	r := a.begin(act{Do: "timer"})
	r.due = due
	f()
	a.end(r)
}

// all returns the records of all actors, in the order of their beginnings.
func (g *stage) all() (all []*record) {
	for _, a := range g.actors {
		all = append(all, a.records...)
	}
	slices.SortFunc(all, func(x, y *record) int { return int(x.call - y.call) })
	return all
}

// A stageClock is a virtual clock that tells what its timers do, and whose use is a step
// for package schedule, where time can pass at all.
type stageClock struct {
	*clock.Virtual
	fired    func(a *actor, due time.Duration, f func())
	mover    *actor          // who lets time pass; one at a time
	moves    bool            // whether anybody does, while others are at work
	step     schedule.Uint64 // a variable that all of this reads and changes
	mu       sync.Mutex      // guards instants
	instants []time.Duration // that the clock has shown, sorted
}

func newStageClock() *stageClock {
	c := &stageClock{Virtual: clock.NewVirtual(start)}
	c.Virtual.Advance(origin)
	c.shown(origin)
	return c
}

func (c *stageClock) shown(at time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i, found := slices.BinarySearch(c.instants, at); !found {
		c.instants = slices.Insert(c.instants, i, at)
	}
}

func (c *stageClock) observe() uint64 { return uint64(c.Virtual.Mono()) }

// Now is not asked by anything that is compared.
func (c *stageClock) Now() time.Time { return start }

func (c *stageClock) Mono() time.Duration {
	if c.moves {
		c.step.Load()
	}
	return c.Virtual.Mono()
}

// AfterFunc belongs to the reading of the clock before it: between the two there is no
// time in which a timer could be set too late.
func (c *stageClock) AfterFunc(d time.Duration, f func()) clock.Timer {
	if c.moves {
		c.step.Touch()
	}
	return stageTimer{c, c.Virtual.AfterFunc(d, func() {
		due := c.Virtual.Mono()
		c.shown(due)
		c.fired(c.mover, due, f)
	})}
}

type stageTimer struct {
	clk   *stageClock
	timer clock.Timer
}

func (t stageTimer) Stop() bool {
	t.clk.touch()
	return t.timer.Stop()
}

func (c *stageClock) touch() {
	if c.moves {
		c.step.Add(1)
	}
}

// advance lets time pass until an instant, from one timer to the next.
func (c *stageClock) advance(a *actor, to time.Duration) {
	for {
		c.touch()
		at, ok := c.Next()
		at = min(at, to)
		if !ok {
			at = to
		}
		c.mover = a
		c.shown(at)
		c.AdvanceTo(at)
		if at == to {
			return
		}
	}
}
