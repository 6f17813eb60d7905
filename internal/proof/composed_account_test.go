package proof

import (
	"errors"
	"strings"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/hedge"
	"github.com/switchgear-go/switchgear/retry"
)

// checkAtRest checks that everything acquired has been released, and that each policy's
// own counters add up.
func (c *composedCase) checkAtRest() {
	p := c.pipelines[0]
	zero := func(what string, n int64) {
		if n != 0 {
			c.violated("at rest, %s is %d", what, n)
		}
	}
	if b := p.Bulkhead(); b != nil {
		s := b.Snapshot()
		zero("bulkhead running", int64(s.Running))
		zero("bulkhead waiting", int64(s.Waiting))
		limit := c.cfg.Bulkhead.MaxConcurrent
		left := c.outside("Bulkhead", "Attempt") && c.cfg.Attempt.Abandon || c.outside("Bulkhead", "Total") && c.cfg.Total.Abandon
		if c.peak > limit && !left && !c.outside("Bulkhead", "Hedge") {
			c.violated("%d attempts at once, of at most %d", c.peak, limit)
		}
		if c.peak == limit {
			c.note("as many attempts at once as the bulkhead allows")
		}
	}
	if a := p.Adaptive(); a != nil {
		n := a.Counters()
		zero("adaptive running", int64(a.Running()))
		zero("adaptive permits", int64(n.Admitted-n.Succeeded-n.Dropped-n.Ignored-n.Released))
	}
	if h := p.Hedge(); h != nil {
		s, n := h.Snapshot(), h.Counters()
		zero("hedge running", s.Running)
		zero("hedge abandoned", s.Abandoned)
		zero("hedge calls", int64(n.Calls-n.Plain-n.Won-n.Failed-n.Stopped))
		zero("hedge discarded against late", int64(max(n.Discarded, n.Late)-n.Late))
		c.tally["hedge won"] += int(n.WonByHedge)
	}
	if t := p.Total(); t != nil {
		s := t.Snapshot()
		zero("total running", int64(s.Running))
		zero("total abandoned", int64(s.Abandoned))
		zero("total left and not ended", int64(s.Counters.Abandoned-s.Counters.Late))
		c.tally["total limit: left behind"] += int(s.Counters.Abandoned)
		c.tally["total limit"] += int(s.Counters.TimedOut)
	}
	if t := p.Attempt(); t != nil {
		s := t.Snapshot()
		zero("attempt running", int64(s.Running))
		zero("attempt abandoned", int64(s.Abandoned))
		zero("attempt left and not ended", int64(s.Counters.Abandoned-s.Counters.Late))
		c.tally["attempt limit: left behind"] += int(s.Counters.Abandoned)
		c.tally["attempt limit"] += int(s.Counters.TimedOut)
	}
	if r := p.Retry(); r != nil {
		s := r.Snapshot()
		zero("retry waiting", s.Waiting)
		zero("retry attempts", int64(s.Counters.Attempts-s.Counters.Calls-s.Counters.Retries))
	}
	b := p.Budget()
	if r := p.Retry(); b == nil && r != nil {
		b = r.Budget()
	}
	if h := p.Hedge(); b == nil && h != nil {
		b = h.Budget()
	}
	if b != nil {
		s := b.Snapshot()
		zero("budget in use", int64(s.InUse))
		zero("budget withdrawals", int64(s.Granted-s.Settled-s.Cancelled))
		c.tally["budget granted"] += int(s.Granted)
		c.tally["budget refused"] += int(s.Refused)
		c.tally["budget given back"] += int(s.Cancelled)
	}
	if b := p.Breaker(); b != nil {
		s := b.Snapshot()
		zero("probes out", int64(s.ProbesOut))
		c.tally["trips"] += int(s.Counters.Trips)
		c.tally["probes"] += int(s.Counters.Probes)
		c.tally["probes given back"] += int(s.Counters.GivenBack)
		c.tally["probes overdue"] += int(s.Counters.Overdue)
		c.tally["late for the breaker"] += int(s.Counters.Late)
		c.tally["slow calls"] += int(s.Counters.Slow)
	}
	if i := p.Injector(); i != nil {
		n := i.Counters()
		c.tally["injected error"] += int(n.Failed)
		c.tally["injected latency"] += int(n.Delayed)
		c.tally["injected hang"] += int(n.Hung)
		c.tally["injected panic"] += int(n.Panicked)
	}
}

// A span is a number that is known to lie between two others.
type span struct{ least, most uint64 }

func exactlyThis(n uint64) span { return span{n, n} }

// drop takes away as many as the span n.
func (s span) drop(n span) span {
	return span{s.least - min(s.least, n.most), s.most - min(s.most, n.least)}
}

// admitted is how many permits of a breaker were settled.
func admitted(n breaker.Counters) uint64 {
	return n.Successful + n.Failed + n.Ignored + n.Released + n.Late
}

// checkFlow follows the calls inward, policy by policy. What one lets through is what the
// next is asked, from the callers to the dependency: so each policy saw each attempt,
// once, and counted it.
func (c *composedCase) checkFlow() {
	p := c.pipelines[0]
	flow := exactlyThis(uint64(len(c.calls)))
	asked := func(who string, n uint64) {
		if n < flow.least || n > flow.most {
			c.violated("%s was asked %d times, and should have been %d to %d times; order %v", who, n, flow.least, flow.most, p.Order())
		}
		flow = exactlyThis(n)
	}
	// How many functions may not have been run, because an abandoning limit, or a race,
	// found that the caller was gone.
	skipped := span{0, 1 << 62}
	for _, who := range p.Order() {
		switch who {
		case "Total":
			flow = flow.drop(exactlyThis(p.Total().Counters().Rejected))
			if c.cfg.Total.Abandon {
				flow = flow.drop(skipped)
			}
		case "RateLimit":
			n := p.RateLimit().Counters()
			asked(who, n.Admitted+n.Refused)
			flow = exactlyThis(n.Admitted - n.Cancelled)
		case "Adaptive":
			n := p.Adaptive().Counters()
			asked(who, n.Admitted+n.Rejected)
			flow = exactlyThis(n.Admitted)
		case "Throttle":
			n := p.Throttle().Counters()
			passed := n.Accepted + n.Failed + n.Ignored + n.Released
			asked(who, passed+n.Refused)
			flow = exactlyThis(passed)
		case "Retry":
			n := p.Retry().Counters()
			asked(who, n.Calls)
			flow = exactlyThis(n.Attempts)
		case "Hedge":
			n := p.Hedge().Counters()
			if c.anyRaced() { // it does not count a call whose caller was gone
				flow = flow.drop(span{0, flow.most - min(flow.most, n.Calls)})
			}
			asked(who, n.Calls)
			flow = exactlyThis(n.Calls + n.Hedges)
			if c.anyRaced() {
				flow = flow.drop(span{0, n.Late})
			}
		case "Breaker":
			n := p.Breaker().Counters()
			asked(who, admitted(n)+n.Rejected)
			flow = exactlyThis(admitted(n))
		case "Bulkhead":
			n := p.Bulkhead().Counters()
			asked(who, n.Admitted+n.Refused+n.TimedOut+n.GaveUp)
			flow = exactlyThis(n.Admitted)
		case "Attempt":
			flow = flow.drop(exactlyThis(p.Attempt().Counters().Rejected))
			if c.cfg.Attempt.Abandon {
				flow = flow.drop(skipped)
			}
		case "Inject":
			n := p.Injector().Counters()
			if c.injecting {
				asked(who, n.Calls)
			}
			flow = flow.drop(exactlyThis(n.Failed + n.Hung + n.Panicked))
			flow = flow.drop(span{0, n.Delayed})
		}
	}
	asked("the dependency", uint64(len(c.attempts)))
}

func (c *composedCase) anyRaced() bool {
	for _, k := range c.calls {
		if k.raced() {
			return true
		}
	}
	return false
}

// outcomes is a set of outcomes; a call that ended its goroutine is Undecided.
type outcomes uint8

func one(o switchgear.Outcome) outcomes { return 1 << o }

const anyOutcome outcomes = 1<<switchgear.Undecided | 1<<switchgear.Success | 1<<switchgear.Failure | 1<<switchgear.Ignored

// A ballot adds up what the breaker should have counted: at least and at most so many of
// each outcome.
type ballot struct {
	total       uint64
	sure, maybe [4]uint64 // by outcome; maybe counts those that may be another one
	slow        span
}

func (b *ballot) add(set outcomes, n uint64) {
	b.total += n
	for o := range switchgear.Outcome(4) {
		switch {
		case set == one(o):
			b.sure[o] += n
		case set&one(o) != 0:
			b.maybe[o] += n
		}
	}
}

// checkBreaker compares what the breaker counted with what became of each attempt, at
// the dependency and by the policies further in. A breaker that never tripped counted
// exactly that; of one that did, some outcomes came late.
func (c *composedCase) checkBreaker() {
	if !c.common() || !c.has("Breaker") {
		return
	}
	p := c.pipelines[0]
	n := p.Breaker().Counters()
	var b ballot
	for _, a := range c.attempts {
		set, slow := c.expect(a)
		b.add(set, 1)
		b.slow.least += slow.least
		b.slow.most += slow.most
	}
	c.unseen(&b, admitted(n))
	if b.total != admitted(n) {
		return // checkFlow has told
	}
	got := [4]uint64{n.Released, n.Successful, n.Failed, n.Ignored}
	for o := range switchgear.Outcome(4) {
		least := b.sure[o] - min(b.sure[o], n.Late)
		if got[o] < least || got[o] > b.sure[o]+b.maybe[o] {
			c.violated("the breaker counted %d outcomes as %v, and should have %d to %d (and %d late)", got[o], o, least, b.sure[o]+b.maybe[o], n.Late)
		}
		if c.calm && b.maybe[o] == 0 && got[o] > 0 {
			c.note("breaker counted exactly: " + o.String())
		}
	}
	if least := b.slow.least - min(b.slow.least, n.Late); n.Slow < least || n.Slow > b.slow.most {
		c.violated("the breaker counted %d slow calls, and should have %d to %d", n.Slow, least, b.slow.most)
	}
	if c.calm && n.Late+n.Rejected+n.Trips != 0 {
		c.violated("a breaker that never trips did: %+v", n)
	}
	probes := uint64(0)
	for _, a := range c.attempts {
		if a.Probe {
			probes++
		}
	}
	if most, unseen := n.Probes, admitted(n)-uint64(len(c.attempts)); probes > most || most > probes+unseen {
		c.violated("%d attempts were told to be probes, of %d; %d attempts did not reach the dependency", probes, most, unseen)
	}
}

// unseen adds the attempts that the breaker admitted and that did not reach the
// dependency.
func (c *composedCase) unseen(b *ballot, total uint64) {
	p := c.pipelines[0]
	if h := p.Bulkhead(); h != nil {
		n := h.Counters()
		b.addLocal(c, n.Refused+n.TimedOut+n.GaveUp)
	}
	if t := p.Attempt(); t != nil {
		b.addLocal(c, t.Counters().Rejected)
	}
	if i := p.Injector(); i != nil {
		n := i.Counters()
		failed := one(switchgear.Failure)
		if c.anyRaced() || n.Delayed > 0 { // the caller may have gone during an injected latency
			failed = anyOutcome
		}
		b.add(failed, n.Failed+n.Panicked)
		b.add(anyOutcome, n.Hung)
		if n.Failed+n.Panicked+n.Hung > 0 {
			b.slow.most += n.Failed + n.Panicked + n.Hung
		}
	}
	if rest := total - min(total, b.total); rest > 0 { // see checkFlow: they were skipped
		b.add(anyOutcome, rest)
		b.slow.most += rest
	}
}

// addLocal adds refusals by policies inside the breaker. They say nothing, unless the
// attempt had lost its race by then, while it waited.
func (b *ballot) addLocal(c *composedCase, n uint64) {
	if c.anyRaced() {
		b.add(one(switchgear.Ignored)|one(switchgear.Success), n)
		b.slow.most += n
		return
	}
	b.add(one(switchgear.Ignored), n)
}

// expect returns what an attempt that reached the dependency must have been to the
// breaker, and whether it was slow. Where two things happened in the same instant, either
// may have come first.
func (c *composedCase) expect(a *attempted) (set outcomes, slow span) {
	k := a.call
	cancel, deadline, first := k.given()
	end := a.end

	// When the attempt's own limit began, and when it ended it.
	began, limited := a.begin, composedNever
	if c.has("Attempt") {
		limit := c.cfg.Attempt.Limit
		at, _ := a.ctx.Deadline()
		own := at.Sub(c.start)
		if c.injecting && own < deadline {
			began = own - limit
		}
		if began+limit <= deadline {
			limited = began + limit
		}
	}
	sure := !c.injecting || began != a.begin || len(c.cfg.Inject.Faults) == 0
	isSlow := func(end time.Duration) span {
		d := c.cfg.Breaker.SlowCall.Duration
		switch {
		case d == 0:
			return span{}
		case end-began > d:
			return span{1, 1}
		case sure && k.c.place["Bulkhead"] == 0 || end-a.begin <= d && sure:
			return span{0, 0}
		}
		return span{0, 1}
	}

	if c.has("Attempt") && c.cfg.Attempt.Abandon && (end >= min(first, limited) || k.raced() && a.cause != nil) {
		cut := min(first, limited)
		slow = span{0, isSlow(end).most}
		switch {
		case k.raced() || end == cut || cancel == cut && (deadline == cut || limited == cut) || !a.returned && end == cut:
			return anyOutcome, slow
		case cut == cancel:
			return one(switchgear.Ignored), span{}
		case cut == limited && cut != deadline:
			return one(switchgear.Failure), isSlow(cut)
		}
		return c.missed(deadline, began, sure), slow
	}
	switch {
	case a.panics && !a.gaveUp && a.answer == nil && a.err == nil && !a.exited():
		return one(switchgear.Failure), isSlow(end)
	case a.exited():
		return one(switchgear.Undecided), span{}
	}

	if limited <= cancel && cancel < end && cancel < deadline {
		// Nobody need have looked at the context between the limit and the moment in which
		// the caller went; then the caller is believed to have gone first.
		c.note("limit and caller unseen")
		return anyOutcome, span{0, isSlow(end).most}
	}
	timedOut := end >= limited && limited < first
	if a.err == nil && !timedOut && (limited != first || end < limited) {
		return one(switchgear.Success), isSlow(end)
	}
	if k.raced() {
		if a.cause == nil && !k.endsWith(a) && end < first && end < limited {
			o := a.judged(false)
			return one(o), isSlowIf(o, isSlow(end))
		}
		if errors.Is(a.cause, hedge.ErrLost) && !timedOut && end < first && k.settledBy(a) && sure {
			c.note("lost")
			if s := isSlow(end); s == (span{1, 1}) {
				c.note("lost and slow")
				return one(switchgear.Success), s
			} else if s == (span{}) {
				return one(switchgear.Ignored), s
			}
		}
		return anyOutcome, span{0, isSlow(end).most}
	}
	if end == cancel || end == deadline || end >= first && (cancel == deadline || limited == first) {
		return anyOutcome, span{0, isSlow(end).most}
	}
	if cancel < end && cancel < deadline {
		// The caller left. Only what says so is not held against the dependency; an
		// answer that came after the limit says nothing of the caller.
		o := a.judged(timedOut)
		if a.gaveUp && !timedOut {
			o = switchgear.Ignored
		}
		return one(o) | map[bool]outcomes{true: one(switchgear.Failure), false: 0}[timedOut], span{0, isSlow(end).most}
	}
	o := a.judged(timedOut)
	set = one(o)
	if deadline < end {
		// Rule C1.4 comes before the classifier, and after marks and refusals.
		if a.fault.mark == switchgear.Undecided && !a.fault.local || a.gaveUp || timedOut {
			set = c.missed(deadline, began, sure)
			if timedOut {
				set |= one(o)
			}
		}
		return set, span{0, isSlow(end).most}
	}
	return set, isSlowIf(o, isSlow(end))
}

func isSlowIf(o switchgear.Outcome, s span) span {
	if o == switchgear.Ignored {
		return span{}
	}
	return s
}

// missed is what a missed deadline is: a failure, unless the call was admitted with too
// little time left for it (rule C1.4).
func (c *composedCase) missed(deadline, began time.Duration, sure bool) outcomes {
	enough := c.cfg.Breaker.EnoughTime
	switch {
	case enough == 0:
		return one(switchgear.Failure)
	case !sure || c.has("Bulkhead"): // nobody knows how long it had waited
		return one(switchgear.Failure) | one(switchgear.Ignored)
	case deadline-began < enough:
		return one(switchgear.Ignored)
	}
	return one(switchgear.Failure)
}

// exited reports whether the attempt ended its goroutine.
func (a *attempted) exited() bool { return !a.returned && !a.panics }

// judged is how an error of the dependency is judged as such: by its mark, as a refusal,
// by the classifier, and else as a failure. The limit's error wraps it, so that all of
// them still count, except for a success, which came too late.
func (a *attempted) judged(timedOut bool) switchgear.Outcome {
	switch f := a.fault; {
	case a.gaveUp, a.err == nil:
	case a.answer != nil && timedOut: // the answer is dropped, with what it was
	case f.mark == switchgear.Success && timedOut:
	case f.mark != switchgear.Undecided:
		return f.mark
	case f.local:
		return switchgear.Ignored
	case f.said.Health != switchgear.Undecided && !(timedOut && f.said.Health == switchgear.Success):
		return f.said.Health
	case f.said.Health == switchgear.Success:
		return f.said.Health
	}
	return switchgear.Failure
}

// endsWith reports whether another attempt of the call ended in the same instant.
func (k *composedCall) endsWith(a *attempted) bool {
	for _, b := range k.attempts {
		if b != a && b.end == a.end {
			return true
		}
	}
	return false
}

// settledBy reports whether the call was over, by another attempt, before a's end or with
// it.
func (k *composedCall) settledBy(a *attempted) bool { return a.gaveUp || a.end > k.ended }

// checkRefusals compares the refusals that the policies counted with those that callers
// were told of.
func (c *composedCase) checkRefusals() {
	p := c.pipelines[0]
	var told, counted [6]uint64
	for _, k := range c.calls {
		for i, r := range refusers {
			if k.err != nil && errors.Is(k.err, r.sentinel) {
				told[i]++
				c.note("refused by " + r.kind)
			}
		}
	}
	if l := p.RateLimit(); l != nil {
		n := l.Counters()
		counted[0] = n.Refused + n.Cancelled
	}
	if a := p.Adaptive(); a != nil {
		counted[1] = a.Counters().Rejected
	}
	if t := p.Throttle(); t != nil {
		counted[2] = t.Counters().Refused
	}
	if b := p.Breaker(); b != nil {
		counted[3] = b.Counters().Rejected
	}
	if b := p.Bulkhead(); b != nil {
		n := b.Counters()
		counted[4] = n.Refused + n.TimedOut + n.GaveUp
		c.tally["bulkhead: full"] += int(n.Refused)
		c.tally["bulkhead: waited in vain"] += int(n.TimedOut)
		c.tally["bulkhead: gave up"] += int(n.GaveUp)
	}
	if t := p.Total(); t != nil {
		counted[5] += t.Counters().Rejected
	}
	if t := p.Attempt(); t != nil {
		counted[5] += t.Counters().Rejected
	}
	again := c.has("Retry") && c.cfg.Retry.WaitRejected || c.anyRaced() || c.has("Total") && c.cfg.Total.Abandon || c.listed
	for i, r := range refusers {
		if told[i] > counted[i] || !again && told[i] != counted[i] {
			c.violated("%s refused %d times, and %d callers know of it", r.kind, counted[i], told[i])
		}
	}
}

// noteEnds notes how calls ended, and what was in them.
func (c *composedCase) noteEnds() {
	for _, a := range c.attempts {
		name := a.fault.name
		if a.gaveUp {
			name = "gave up"
		}
		c.note("fault " + name)
		if a.Probe {
			c.note("told to be a probe")
			if a.call.raced() {
				c.note("a probe in a call that may be hedged")
			}
			if c.cfg.RetryInsideBreaker {
				c.note("a probe with the retry inside")
			}
		}
		if a.Hedge {
			c.note("told to be a hedge")
		}
		if c.has("Attempt") && a.end-a.begin == c.cfg.Attempt.Limit && !a.gaveUp {
			c.note("ended exactly at the limit")
		}
		if a.end > a.call.ended {
			c.note("ended after its call")
		}
	}
	for _, k := range c.calls {
		switch {
		case !k.returned && k.panicked != nil:
			c.note("way out: panic")
			if _, ok := k.panicked.(*depPanic); !ok {
				c.note("way out: injected panic")
			}
		case !k.returned:
			c.note("way out: goexit")
		case k.err == nil:
			c.note("way out: answer")
			if k.open {
				c.note("way out: open answer")
			}
		case errors.Is(k.err, switchgear.ErrRejected):
			c.note("way out: refused")
		}
		if e, ok := errors.AsType[*retry.Error](k.err); ok {
			c.note("retry ended by " + e.Limit.String())
		}
		if cancel, deadline, first := k.given(); k.ended == first {
			c.note(strings.Fields(map[bool]string{true: "cancelled", false: "deadline"}[cancel < deadline])[0])
		}
	}
	if len(c.pipelines) > 1 {
		c.note("two pipelines share their policies")
	}
}

// composedHappens is what must have happened in all cases together, or they have not
// tested what they are to test.
var composedHappens = []string{
	"policy Total", "policy RateLimit", "policy Adaptive", "policy Throttle", "policy Retry", "policy Hedge",
	"policy Breaker", "policy Bulkhead", "policy Attempt", "policy Inject", "two pipelines share their policies",
	"fault good answer", "fault error", "fault error marked success", "fault error marked failure",
	"fault error marked ignored", "fault error marked final", "fault error with a hint",
	"fault error with a long hint", "fault error judged ignored", "fault error judged success",
	"fault error judged final", "fault refusal from further in", "fault panic", "fault goexit",
	"fault bad answer", "fault bad answer marked success", "fault bad answer marked final",
	"fault bad answer with a hint", "fault gave up",
	"injected error", "injected latency", "injected hang", "injected panic",
	"got a good answer", "got a bad answer", "discarded a good answer", "discarded a bad answer", "discarded a late answer",
	"refused by RateLimit", "refused by Adaptive", "refused by Throttle", "refused by Breaker",
	"refused by Bulkhead", "refused by Total or Attempt",
	"bulkhead: full", "bulkhead: waited in vain", "bulkhead: gave up", "as many attempts at once as the bulkhead allows",
	"budget granted", "budget refused", "budget given back",
	"attempt limit", "attempt limit: left behind", "total limit", "total limit: left behind", "ended exactly at the limit",
	"trips", "probes", "probes given back", "probes overdue", "late for the breaker", "slow calls", "told to be a probe",
	"a probe in a call that may be hedged", "a probe with the retry inside",
	"told to be a hedge", "hedge won", "lost", "lost and slow",
	"breaker counted exactly: success", "breaker counted exactly: failure", "breaker counted exactly: ignored", "breaker counted exactly: undecided",
	"retry ended by attempts", "retry ended by elapsed", "retry ended by budget", "retry ended by deadline",
	"retry ended by hint", "retry ended by refused", "retry ended by cancelled",
	"way out: answer", "way out: open answer", "way out: refused", "way out: panic", "way out: injected panic", "way out: goexit",
	"cancelled", "deadline", "ended after its call",
	"refused: attempt-limit-outside-retry", "refused: bulkhead-inside-attempt-limit", "refused: bulkhead-outside-breaker",
	"refused: injected-faults-not-innermost", "refused: retry-inside-breaker", "refused: total-limit-inside-retry",
}
