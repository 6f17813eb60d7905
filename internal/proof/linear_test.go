package proof

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/internal/proof/model"
)

// A history is linearizable if its operations can be put into one order, in which each
// stands between its beginning and its end, and the model, taken through them in that
// order, gives the same answers and makes the same transitions.
//
// The model is deterministic but for three things. An operation reads the clock at some
// instant while it is under way, so each instant that the clock showed meanwhile is
// tried. A timer that fires may have been stopped already, or another operation may have
// done its work. And a call that finds FORCED_OPEN expired makes two transitions, with an
// instant between them.

// A linear state is that of the model, with the permits that are out.
type linear struct {
	m       *model.Breaker
	permits [slots]outstanding
	told    int // events so far
	key     string
}

// An outstanding permit knows by which operation it was got: the call began at some
// instant of that.
type outstanding struct {
	model.Permit
	from *record
}

// A question is what the model is asked about a record. Some records are several: each
// lock-free counter is read at an instant of its own (N1).
type question struct {
	*record
	part string // "" is the operation itself
}

// A trial is one history before the judge.
type trial struct {
	stage  *stage
	events []happening
}

// judge returns what is wrong with the history, or "".
func (g *stage) judge() string {
	if p := g.problem.Load(); p != nil {
		return *p
	}
	t := trial{stage: g}
	for i, e := range g.heard {
		if e.Seq != uint64(i+1) {
			return fmt.Sprintf("S7: event %d has the number %d", i+1, e.Seq)
		}
		if e.Kind == event.Reconfigured || e.Kind == event.Warning {
			continue
		}
		t.events = append(t.events, happened(e))
	}
	records := g.all()
	if wrong := rejectionsAdd(records); wrong != "" {
		return wrong
	}
	operations := t.operations(records)
	switch porcupine.CheckOperationsTimeout(t.model(), operations, timeToJudge) {
	case porcupine.Ok:
		return ""
	case porcupine.Unknown:
		return undecided
	}
	return "not linearizable: " + t.furthest(operations)
}

// furthest says how far the model comes in the history at best, and what it cannot take.
func (t *trial) furthest(operations []porcupine.Operation) string {
	_, info := porcupine.CheckOperationsVerbose(t.model(), operations, timeToJudge)
	var best []porcupine.Operation
	for _, p := range info.PartialLinearizationsOperations()[0] {
		if len(p) > len(best) {
			best = p
		}
	}
	state := &linear{m: model.New(t.stage.model, origin)}
	states := []*linear{state}
	done := map[question]bool{}
	for _, o := range best {
		q := o.Input.(question)
		done[q] = true
		var next []*linear
		for _, s := range states {
			next = append(next, t.step(s, q)...)
		}
		states = next
	}
	var b strings.Builder
	fmt.Fprintf(&b, "the model can follow %d of %d operations and %d of %d events.\n", len(best), len(operations), states[0].told, len(t.events))
	fmt.Fprintf(&b, "Its state is then %+v.\nThen it cannot take\n", *states[0].m)
	for _, o := range operations {
		if q := o.Input.(question); !done[q] {
			fmt.Fprintf(&b, "%v %s\n", q.record, q.part)
			break
		}
	}
	return b.String()
}

// A history that needs more than timeToJudge is undecided. Almost all need less than a
// millisecond; the search is exponential in the worst case.
const (
	timeToJudge = 10 * time.Second
	undecided   = "too hard to judge"
)

// String writes a history down.
func (g *stage) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "configuration: %+v\n", g.setup.Config)
	for _, r := range g.all() {
		fmt.Fprintln(&b, r)
	}
	for _, e := range g.heard {
		if e.Kind == event.Transition || e.Kind == event.Renewed {
			fmt.Fprintf(&b, "event %d: %+v\n", e.Seq, happened(e))
		} else {
			fmt.Fprintf(&b, "event %d: %v\n", e.Seq, e)
		}
	}
	return b.String()
}

func (t *trial) operations(records []*record) (all []porcupine.Operation) {
	expired := slices.ContainsFunc(t.events, func(h happening) bool {
		return h.from == "FORCED_OPEN" && h.to == "OPEN" && h.author == ""
	})
	add := func(r *record, part string) {
		all = append(all, porcupine.Operation{
			ClientId: r.actor, Input: question{r, part}, Call: r.call, Return: r.end,
		})
	}
	for i, r := range records {
		add(r, "")
		if r.act.Do == "snapshot" || r.act.Do == "counters" {
			add(r, "late")
		}
		if expired && (r.act.Do == "acquire" || r.act.Do == "do") {
			add(r, "expiry")
		}
		if i == len(records)-1 {
			add(r, "end")
		}
	}
	return all
}

func (t *trial) model() porcupine.Model {
	seed := maphash.MakeSeed()
	m := porcupine.NondeterministicModel{
		Init: func() []any {
			s := &linear{m: model.New(t.stage.model, origin)}
			s.key = s.m.Key()
			return []any{s}
		},
		Step: func(state, input, _ any) (next []any) {
			for _, s := range t.step(state.(*linear), input.(question)) {
				next = append(next, s)
			}
			return next
		},
		Equal: func(x, y any) bool { return x.(*linear).key == y.(*linear).key },
		Hash:  func(x any) uint64 { return maphash.String(seed, x.(*linear).key) },
		DescribeOperation: func(input, _ any) string {
			q := input.(question)
			return strings.TrimSpace(q.part + " " + q.record.String())
		},
		DescribeState: func(x any) string { return string(x.(*linear).m.State) },
	}
	return m.ToModel()
}

// step returns the states in which the model can be after it has been asked.
func (t *trial) step(s *linear, q question) (next []*linear) {
	switch q.part {
	case "late":
		if s.m.Counters.Late == q.late {
			return []*linear{s}
		}
		return nil
	case "expiry":
		next = append(next, s)
		for _, now := range t.instants(q.from, q.to) {
			if c := s.clone(); c.m.Expire(now) && t.tell(c) {
				return append(next, c.sealed())
			}
		}
		return next
	case "end":
		// No event may be left that nothing explains, and no timer that never fired. It may
		// have been set too late, though, if the clock moved at that very moment.
		if due, ok := s.m.Timer(); s.told < len(t.events) || ok && due <= q.to && t.stage.clk.Pending() == 0 {
			return nil
		}
		return []*linear{s}
	}
	switch q.act.Do {
	case "state":
		if stateOf(s.m.State) == q.state {
			return []*linear{s}
		}
		return nil
	case "copy":
		c := s.clone()
		c.permits[q.act.Slot] = s.permits[q.act.From]
		return []*linear{c.sealed()}
	case "timer":
		next = append(next, s) // stopped in time
		if due, ok := s.m.Timer(); !ok || due > q.due {
			return next
		}
	}
	instants := t.instants(q.from, q.to)
	if q.act.Do == "timer" {
		// It was due at its own instant, unless that had passed when the timer was set. The
		// clock may never have shown that instant: it moved on before the timer was set.
		due, _ := s.m.Timer()
		instants = append([]time.Duration{due}, t.instants(due+1, q.due)...)
	}
	for _, now := range instants {
		for _, began := range t.beginnings(s, q, now) {
			c := s.clone()
			if t.answer(c, q.record, now, began) && t.tell(c) {
				next = append(next, c.sealed())
			}
		}
	}
	return next
}

// beginnings returns the instants that can make a difference as the beginning of the call
// that an operation reports about: one at which it is slow, and one at which it is not.
func (t *trial) beginnings(s *linear, q question, now time.Duration) []time.Duration {
	from := s.permits[q.act.Slot].from
	if t.stage.model.Slow == 0 || from == nil || q.act.Do != "settle" && q.act.Do != "end of do" {
		return []time.Duration{0}
	}
	some := t.instants(from.from, from.to)
	first, last := some[0], some[len(some)-1]
	if slow := t.stage.model.Slow; (now-first > slow) == (now-last > slow) {
		return some[:1]
	}
	return []time.Duration{first, last}
}

func (s *linear) clone() *linear {
	return &linear{m: s.m.Clone(), permits: s.permits, told: s.told}
}

// sealed makes the key by which states are compared.
func (s *linear) sealed() *linear {
	s.m.Forget()
	k := append(make([]byte, 0, 256), s.m.Key()...)
	for i, p := range s.permits {
		if p.Period > 0 {
			k = binary.AppendUvarint(binary.AppendUvarint(append(k, byte(i)), p.Period), p.Probe)
		}
	}
	s.key = string(k)
	return s
}

// instants returns what the clock showed between two readings.
func (t *trial) instants(from, to time.Duration) []time.Duration {
	all := t.stage.clk.instants
	i, _ := slices.BinarySearch(all, from)
	j, found := slices.BinarySearch(all, to)
	if found {
		j++
	}
	return all[i:j]
}

// answer asks the model and reports whether it says what the breaker said.
func (t *trial) answer(s *linear, r *record, now, began time.Duration) bool {
	m, p := s.m, &s.permits[r.act.Slot]
	switch r.act.Do {
	case "acquire", "do":
		permit, refused := m.Acquire(now)
		*p = outstanding{permit, r}
		if refused != nil {
			return !r.admitted && stateOf(refused.State) == r.state && refused.Period == r.period
		}
		return r.admitted && (r.probe == (permit.Probe != 0) || r.act.Do == "do")
	case "settle", "end of do":
		permit := p.Permit
		permit.Start = began
		*p = outstanding{}
		if permit.Period > 0 { // else it is the zero permit, of a refusal, or settled
			m.Settle(now, permit, model.Ending{Health: r.act.How, Hint: r.act.Hint})
		}
	case "move":
		o := r.act.Move
		m.Move(now, model.Move{To: model.State(o.To.String()), For: o.For, Author: o.Author, Reason: o.Reason})
	case "reset":
		m.Reset(now, "bob", "again")
	case "reconfigure":
		changed := setup{Config: r.act.Config}
		m.Reconfigure(now, changed.modelConfig())
	case "timer":
		m.FireAt(now)
	case "ready":
		return m.Ready(now) == r.ready
	case "counters":
		return countersOf(m) == r.view.Counters
	case "snapshot":
		m.PassTime(now)
		v := view{
			State: stateOf(m.State), Period: m.Period, Numbers: numbers(m.Numbers(now)), Counters: countersOf(m),
		}
		switch m.State {
		case model.Closed:
			v.Consecutive = m.Run
		case model.HalfOpen:
			v.ProbesOut = m.Running()
		}
		return v == r.view
	}
	return true
}

func countersOf(m *model.Breaker) breaker.Counters {
	c := counters(m.Counters)
	c.Late, c.Rejected = 0, 0
	return c
}

// tell compares the model's new events with those of the breaker, which come in the same
// order.
func (t *trial) tell(s *linear) bool {
	for _, e := range s.m.Events {
		if s.told >= len(t.events) || expected(e) != t.events[s.told] {
			return false
		}
		s.told++
	}
	s.m.Events = nil
	return true
}

// A happening is what an event says, in a form that can be compared.
type happening struct {
	renewed           bool
	from, to          string
	period            uint64
	author, reason    string
	numbers           breaker.Numbers
	lasted            time.Duration
	probes, givenBack uint64

	rule        breaker.Rule // "" without a trip
	threshold   switchgear.Percent
	limit       int64
	atTrip      breaker.Numbers
	consecutive int64
	wait, hint  time.Duration
	retrips     int
}

func happened(e event.Event) happening {
	c := e.Detail.(*breaker.Change)
	h := happening{
		renewed: e.Kind == event.Renewed, from: e.From, to: e.To, period: e.Period, author: e.Author, reason: e.Reason,
		numbers: c.Numbers, lasted: c.Lasted, probes: c.Probes, givenBack: c.GivenBack,
	}
	if t := c.Trip; t != nil {
		h.rule, h.threshold, h.limit, h.atTrip, h.consecutive = t.Rule, t.Threshold, t.Limit, t.Numbers, t.Consecutive
		h.wait, h.hint, h.retrips = t.Wait, t.Hint, t.Retrips
	}
	return h
}

func expected(e model.Event) happening {
	h := happening{
		renewed: e.Renewed, from: string(e.From), to: string(e.To), period: e.Period, author: e.Author, reason: e.Reason,
		numbers: numbers(e.Numbers), lasted: e.Lasted, probes: e.Probes, givenBack: e.GivenBack,
	}
	if t := e.Trip; t != nil {
		h.rule, h.threshold, h.limit = breaker.Rule(t.Rule), switchgear.Percent(t.Threshold)/100, t.Limit
		h.atTrip, h.consecutive = numbers(t.Numbers), t.Consecutive
		h.wait, h.hint, h.retrips = t.Wait, t.Hint, t.Retrips
	}
	return h
}

// rejectionsAdd checks the counter of refusals, which is kept beside everything else: a
// reading counts all calls whose refusal was over when it began, and none that was asked
// for after it ended; and of two readings the later one shows no less.
func rejectionsAdd(records []*record) string {
	for _, r := range records {
		if r.act.Do != "snapshot" && r.act.Do != "counters" {
			continue
		}
		var over, asked, read uint64
		for _, o := range records {
			switch o.act.Do {
			case "acquire", "do":
				if !o.admitted && o.end < r.call {
					over++
				}
				if !o.admitted && o.call < r.end {
					asked++
				}
			case "snapshot", "counters":
				if o.end < r.call {
					read = max(read, o.rejected)
				}
			}
		}
		if r.rejected < max(over, read) || r.rejected > asked {
			return fmt.Sprintf("N1: %v: want from %d to %d rejected", r, max(over, read), asked)
		}
	}
	return ""
}
