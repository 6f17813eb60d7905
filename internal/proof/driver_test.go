package proof

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/internal/proof/model"
)

// tb is what the tests need of a *testing.T or a *rapid.T.
type tb interface {
	Helper()
	Fatalf(format string, args ...any)
}

// A driver takes a breaker and its model through the same history, in virtual time,
// and compares all that they show.
type driver struct {
	t     tb
	setup *setup
	tally tally

	clk *clock.Virtual
	b   *breaker.Breaker
	m   *model.Breaker

	heard    []event.Event // everything that the listener has seen
	got      []event.Event // the transitions and renewals among it
	want     []model.Event // what these should be
	reloaded uint64        // the reconfigurations among it
	open     time.Duration // in OPEN, up to the present period

	permits  []*held
	copies   []held
	refusals []refusal
	ended    uint64        // outcomes reported
	growth   int           // steps that the next interval has if none is taken back
	armed    *breaker.Move // the listener makes this move at the next event
	due      *breaker.Move // the same, for the model
}

// held is a permit and its twin.
type held struct {
	real    breaker.Permit
	model   model.Permit
	settled bool
}

type refusal struct {
	real  *breaker.Rejection
	model *model.Rejection
	trip  *model.Trip
}

// start is when histories begin, and origin what the clock shows then, which is no
// multiple of any bucket.
var start = time.Date(2026, time.March, 1, 3, 12, 44, 0, time.UTC)

const origin = 1234567 * time.Microsecond

func newDriver(t tb, s *setup) *driver {
	d := &driver{t: t, setup: s, tally: tally{}, clk: clock.NewVirtual(start)}
	d.clk.Advance(origin)
	draws := 0
	options := []breaker.Option{
		breaker.WithClock(d.clk),
		breaker.WithListener(event.Func(d.listen)),
		breaker.WithRandom(func() float64 { draws++; return s.Draws[(draws-1)%len(s.Draws)] }),
	}
	if s.Classifier {
		options = append(options, breaker.WithClassifier(classify))
	}
	if s.Panics {
		options = append(options, breaker.WithListener(event.Func(func(event.Event) { panic("listener") })))
	}
	var err error
	if d.b, err = breaker.New("stock", s.Config, options...); err != nil {
		t.Fatalf("New: %v", err)
	}
	d.m = model.New(s.modelConfig(), d.now())
	if got, want := len(d.heard), len(d.b.Warnings()); got != want {
		t.Fatalf("W3: %d events of a new breaker, want %d warnings", got, want)
	}
	d.check()
	return d
}

// listen is the listener. It may make a move itself (S7).
func (d *driver) listen(e event.Event) {
	d.heard = append(d.heard, e)
	switch e.Kind {
	case event.Transition, event.Renewed:
		d.got = append(d.got, e)
	case event.Reconfigured:
		d.reloaded++
		return
	default:
		return
	}
	if m := d.armed; m != nil {
		d.armed = nil
		if err := d.b.Move(*m); err != nil {
			panic(err) // counted as a listener's panic, which is then noticed
		}
	}
}

func (d *driver) now() time.Duration { return d.clk.Mono() }

// run takes both through one op.
func (d *driver) run(o op) {
	d.t.Helper()
	switch o.Do {
	case "calls":
		for range o.N {
			if p := d.acquire(); p != nil {
				d.settle(p, o.How, o.D)
			}
		}
	case "slow calls":
		var all []*held
		for range o.N {
			if p := d.acquire(); p != nil {
				all = append(all, p)
			}
		}
		if len(all) > 0 {
			d.advance(d.now() + d.setup.modelConfig().Slow + o.D)
		}
		for _, p := range all {
			d.settle(p, o.How, 0)
		}
	case "acquire":
		d.acquire()
	case "strand":
		limit := d.setup.modelConfig().ProbeLimit
		for range o.N {
			if d.m.State == model.HalfOpen {
				if p := d.acquire(); p != nil {
					d.settle(p, "success", 0)
				}
			}
		}
		for d.m.State == model.HalfOpen && limit > 0 {
			if d.acquire() == nil && d.m.State == model.HalfOpen {
				d.advance(d.now() + limit)
				d.acquire()
				break
			}
		}
	case "settle":
		if p := d.out(o.N); p != nil {
			d.settle(p, o.How, o.D)
		}
	case "start":
		if p := d.out(o.N); p != nil {
			p.real.Start()
			p.model.Start = d.now()
		}
	case "again":
		if len(d.permits) > 0 {
			if p := d.permits[o.N%len(d.permits)]; p.settled {
				d.tally.note("settled twice")
				d.finish(&p.real, o.How, o.D)
			}
		}
	case "copy":
		if len(d.copies) > 0 {
			c := &d.copies[o.N%len(d.copies)]
			d.tally.note("copy of a probe settled")
			d.finish(&c.real, o.How, o.D)
			d.m.Settle(d.now(), c.model, d.means(o.How, o.D))
		}
	case "do":
		d.do(o)
	case "wait":
		d.advance(d.now() + o.D)
	case "deadline":
		if all := d.deadlines(); len(all) > 0 {
			d.advance(all[o.N%len(all)] + o.D)
		}
	case "fade":
		if e := d.setup.modelConfig().Failures; e != nil && d.m.Score.Points > 0 {
			d.advance(d.now() + e.Per)
		}
	case "reopen":
		if (d.m.State == model.Open || d.m.State == model.ForcedOpen) && d.m.Until < d.now()+time.Hour {
			d.advance(d.m.Until + o.D)
		}
	case "move":
		d.move(o.Move)
	case "reset":
		if err := d.b.Reset("bob", "try again"); err != nil {
			d.t.Fatalf("Reset: %v", err)
		}
		d.m.Reset(d.now(), "bob", "try again")
		d.growth = 0
		d.tally.note("reset in " + string(d.m.State))
	case "observe":
		d.observe()
	case "count":
		if got, want := d.b.Counters(), counters(d.m.Counters); got != want {
			d.t.Fatalf("N1: counters\n got %+v\nwant %+v", got, want)
		}
	case "refusals":
		d.askRefusals()
	case "arm":
		if d.armed == nil {
			d.armed, d.due = &o.Move, &o.Move
		}
	case "reconfigure":
		d.reconfigure(d.setup.Config, d.b.Config())
	case "detour":
		d.detour(o.N)
	case "wall":
		d.clk.JumpWall(o.D)
	case "close":
		if o.N == 15 {
			d.b.Close()
			d.m.Close()
			d.tally.note("closed")
		}
	default:
		d.t.Fatalf("no such op: %q", o.Do)
	}
	d.check()
}

// acquire asks both for a permit, and returns it or nil.
func (d *driver) acquire() *held {
	d.t.Helper()
	late := d.m.State == model.HalfOpen && d.m.Late(d.now())
	ready := d.b.Ready()
	got, err := d.b.Acquire(context.Background())
	d.admit(err)
	want, refused := d.m.Acquire(d.now())
	d.reconcile()
	if (err != nil) != (refused != nil) {
		d.t.Fatalf("Acquire: got error %v, want refusal %+v", err, refused)
	}
	if ready != (err == nil) && !late {
		d.t.Fatalf("S6: Ready said %v, but the call got %v", ready, err)
	}
	if late {
		d.tally.note("overdue probe found, then " + string(d.m.State))
	}
	if err != nil {
		d.refused(err, refused)
		return nil
	}
	if got.Probe() != (want.Probe != 0) {
		d.t.Fatalf("Probe: got %v, want %v", got.Probe(), want.Probe != 0)
	}
	d.tally.note("admitted in " + string(d.m.State))
	p := &held{real: got, model: want}
	d.permits = append(d.permits, p)
	return p
}

// admit is called between the two, for what must be true as soon as a call is admitted.
func (d *driver) admit(err error) {
	if err != nil || d.b.State() != breaker.HalfOpen {
		return
	}
	if last := d.got[len(d.got)-1]; last.To != string(model.HalfOpen) {
		d.t.Fatalf("H7: a probe is let through, but the last event seen is %v", last)
	}
}

// refused compares two refusals and keeps them, to be asked again later.
func (d *driver) refused(err error, want *model.Rejection) {
	d.t.Helper()
	got, ok := errors.AsType[*breaker.Rejection](err)
	if !ok || !errors.Is(err, breaker.ErrRejected) {
		d.t.Fatalf("P1: refused with %T: %v", err, err)
	}
	if want.Period == d.m.Period {
		want = d.m.Refusal() // with the wait as it was adopted
	}
	if got.Name != "stock" || got.State.String() != string(want.State) || got.Period != want.Period {
		d.t.Fatalf("P1: got refusal %q %v #%d, want %v #%d", got.Name, got.State, got.Period, want.State, want.Period)
	}
	d.tally.note("refused in " + string(want.State))
	d.refusals = append(d.refusals, refusal{got, want, d.m.Last})
	d.refusals = d.refusals[max(0, len(d.refusals)-8):]
	d.askRefusals()
}

// askRefusals asks what P1 says is computed when asked.
func (d *driver) askRefusals() {
	d.t.Helper()
	for _, r := range d.refusals {
		got, known := r.real.RetryAfter()
		want, wantKnown := r.model.RetryAfter(d.now())
		if got != want || known != wantKnown {
			d.t.Fatalf("P1: RetryAfter of period %d: got %v %v, want %v %v", r.model.Period, got, known, want, wantKnown)
		}
	}
}

// out returns one of the permits that are out, or nil.
func (d *driver) out(n int) *held {
	var out []*held
	for _, p := range d.permits {
		if !p.settled {
			out = append(out, p)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out[n%len(out)]
}

// settle settles a permit on both sides.
func (d *driver) settle(p *held, how string, hint time.Duration) {
	d.t.Helper()
	if p.model.Probe != 0 {
		d.copies = append(d.copies, *p)
	}
	e := d.means(how, hint)
	switch {
	case p.model.Period != d.m.Period:
		d.tally.note("late: " + string(e.Health))
	case p.model.Probe != 0:
		d.tally.note(string(e.Health) + " in HALF_OPEN")
	default:
		d.tally.note(string(e.Health) + " in " + string(d.m.State))
	}
	was := d.m.State
	d.finish(&p.real, how, hint)
	p.settled = true
	d.ended++
	d.m.Settle(d.now(), p.model, e)
	d.reconcile()
	if e.Health == model.Success && was == model.Closed && d.m.State == model.Open {
		d.tally.note("tripped by a success")
	}
}

// finish settles a permit of the real breaker. A panic that belongs to it ends here.
func (d *driver) finish(p *breaker.Permit, how string, hint time.Duration) {
	e, ok := endings[how]
	if !ok {
		d.t.Fatalf("no such ending: %q", how)
	}
	defer func() {
		if e.panics && d.setup.Classifier {
			if r := recover(); r != nil && r != any(hopeless) {
				panic(r)
			}
		}
	}()
	e.settle(p, hint)
}

func (d *driver) means(how string, hint time.Duration) model.Ending {
	return endings[how].means(d.setup, hint)
}

// do makes a call through Do, with a history of its own inside.
func (d *driver) do(o op) {
	d.t.Helper()
	r, ok := results[o.How]
	if !ok {
		d.t.Fatalf("no such result: %q", o.How)
	}
	var p model.Permit
	ran := false
	fn := func(context.Context) (int, error) {
		ran = true
		d.admit(nil)
		var refused *model.Rejection
		if p, refused = d.m.Acquire(d.now()); refused != nil {
			d.t.Fatalf("Do: admitted, want refusal %+v", refused)
		}
		d.reconcile()
		for _, inner := range o.Inner {
			d.run(inner)
		}
		return 0, r.end()
	}
	var err error
	if r.exits {
		// In a goroutine of its own, where the test cannot fail, so nothing is
		// compared inside.
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, err = breaker.Do(context.Background(), d.b, func(context.Context) (int, error) {
				ran = true
				runtime.Goexit()
				return 0, nil
			})
		}()
		<-done
	} else {
		d.guard(r.panics, func() {
			if r.judge != nil {
				_, err = breaker.DoJudged(context.Background(), d.b, r.judge, fn)
			} else {
				_, err = breaker.Do(context.Background(), d.b, fn)
			}
		})
	}
	if !ran || r.exits {
		var refused *model.Rejection
		if p, refused = d.m.Acquire(d.now()); (refused != nil) == ran {
			d.t.Fatalf("Do: the function ran: %v, want refusal %+v", ran, refused)
		}
		d.reconcile()
		if !ran {
			d.refused(err, refused)
			return
		}
	}
	d.tally.note("do: " + o.How)
	d.ended++
	d.m.Settle(d.now(), p, r.means(d.setup, 0))
	d.reconcile()
}

// guard runs f, which has to panic with want if that is not nil.
func (d *driver) guard(want any, f func()) {
	returned := false
	defer func() {
		if returned || want == nil {
			return
		}
		if r := recover(); r != want {
			panic(r)
		}
	}()
	f()
	returned = true
}

// move is an operator's order on both sides.
func (d *driver) move(m breaker.Move) {
	d.t.Helper()
	if err := d.b.Move(m); err != nil {
		d.t.Fatalf("Move(%+v): %v", m, err)
	}
	d.modelMove(m)
	d.reconcile()
}

func (d *driver) modelMove(m breaker.Move) {
	from := d.m.State
	d.m.Move(d.now(), model.Move{To: model.State(m.To.String()), For: m.For, Author: m.Author, Reason: m.Reason})
	d.tally.note(fmt.Sprintf("moved from %s to %s", from, d.m.State))
}

// advance lets time pass until an instant, one timer after the other.
func (d *driver) advance(to time.Duration) {
	d.t.Helper()
	for {
		d.checkTimer()
		at, ok := d.m.Timer()
		if !ok || at > to {
			break
		}
		d.tally.note("timer in " + string(d.m.State))
		d.clk.Step()
		d.m.Fire()
		d.reconcile()
		d.check()
	}
	d.clk.AdvanceTo(to)
	if end := d.m.GraceEnd(); end > 0 && end <= to && d.m.Shown.Counts(end).Calls > 0 {
		d.tally.note("the grace ended in " + string(d.m.State))
	}
}

// deadlines returns the instants ahead at which something changes.
func (d *driver) deadlines() (at []time.Duration) {
	now := d.now()
	note := func(t time.Duration) {
		if t > now && t < now+time.Hour {
			at = append(at, t)
		}
	}
	if d.m.State == model.Open || d.m.State == model.ForcedOpen {
		for range 3 { // often the one of interest
			note(d.m.Until)
		}
	}
	if t, ok := d.m.Timer(); ok {
		note(t)
	}
	for range 3 {
		note(d.m.GraceEnd())
	}
	c := d.setup.modelConfig()
	for _, p := range d.m.Out {
		if p.Period == d.m.Period {
			note(p.Since + c.ProbeLimit)
		}
	}
	for _, p := range d.permits {
		if !p.settled && c.Slow > 0 {
			note(p.model.Start + c.Slow)
		}
	}
	if c.Bucket > 0 {
		note(d.m.Shown.End(now))
		note(d.m.Shown.End(now) + time.Duration(c.Buckets-1)*c.Bucket)
	}
	if c.Failures != nil {
		note(d.m.Score.Mark + c.Failures.Per)
	}
	if c.Factor > 1 {
		note(d.m.Start + c.Wait) // a step of growth
	}
	return at
}
