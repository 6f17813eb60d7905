package proof

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/adaptive"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/hedge"
	"github.com/switchgear-go/switchgear/inject"
	"github.com/switchgear-go/switchgear/ratelimit"
	"github.com/switchgear-go/switchgear/retry"
	"github.com/switchgear-go/switchgear/throttle"
	"github.com/switchgear-go/switchgear/timeout"
)

// check checks every invariant of a case that has come to rest.
func (c *composedCase) check() {
	for _, a := range c.attempts {
		c.checkAttempt(a)
	}
	for _, k := range c.calls {
		c.checkNumbers(k)
		c.checkTime(k)
		c.checkError(k)
		c.checkLastWord(k)
	}
	c.checkAnswers()
	c.checkAskings()
	c.checkAtRest()
	c.checkFlow()
	c.checkBreaker()
	c.checkRefusals()
	c.noteEnds()
	p := c.pipelines[0]
	p.Close()
	if i := p.Injector(); i != nil {
		i.Disable("proof", "over")
	}
	for _, cancel := range c.cancels {
		cancel()
	}
}

// given reports what the caller of k leaves it: the instants at which it cancels, at
// which its deadline passes, or the total limit's, and the first of the two.
func (k *composedCall) given() (cancel, deadline, first time.Duration) {
	cancel, deadline = k.cancelAt, k.deadlineAt
	if total := k.c.cfg.Total; total != nil && k.c.place["Total"] == 1 {
		deadline = min(deadline, k.began+total.Limit)
	}
	return cancel, deadline, min(cancel, deadline)
}

// checkAttempt checks when an attempt began, and that nothing of it is left.
func (c *composedCase) checkAttempt(a *attempted) {
	if !a.over {
		c.violated("call %d: an attempt that began at %v has not ended", a.call.id, a.begin)
	}
	if _, _, first := a.call.given(); a.begin > first {
		c.violated("call %d: an attempt began at %v, when the caller was gone since %v", a.call.id, a.begin, first)
	}
	if (c.has("Total") || c.has("Attempt")) && a.ctx.Err() == nil {
		c.violated("call %d: the context of attempt %d is still alive", a.call.id, a.Number)
	}
}

// checkNumbers checks how many attempts a call made, and what they were told.
func (c *composedCase) checkNumbers(k *composedCall) {
	most := 1
	if c.has("Retry") {
		most *= c.cfg.Retry.Attempts
	}
	if c.has("Hedge") {
		most *= 1 + c.cfg.Hedge.MaxExtra
	}
	if len(k.attempts) > most {
		c.violated("call %d: %d attempts of at most %d", k.id, len(k.attempts), most)
	}
	between := func(limit string, cfg *timeout.Config) bool {
		return cfg != nil && cfg.Abandon && c.outside("Retry", limit) && c.outside(limit, "Hedge")
	}
	if c.outside("Hedge", "Retry") || between("Total", c.cfg.Total) || between("Attempt", c.cfg.Attempt) {
		return // a loop does not know how many attempts a race makes beside it, or behind its back
	}
	seen := map[int]bool{}
	for i, a := range k.attempts {
		if seen[a.Number] {
			c.violated("call %d: two attempts are number %d", k.id, a.Number)
		}
		if a.Number < 1 || a.Number > most {
			c.violated("call %d: an attempt is number %d of at most %d", k.id, a.Number, most)
		}
		seen[a.Number] = true
		beside := false
		for _, b := range k.attempts[:i] {
			beside = beside || b.end >= a.begin
			if a.Hedge && b.Probe && b.begin < a.begin && a.begin < b.awaited() && c.common() {
				c.violated("call %d: a probe that began at %v was hedged at %v", k.id, b.begin, a.begin)
			}
		}
		if a.Hedge && !beside && len(k.attempts) > 1 && c.common() && c.neverEndsEarly() {
			c.violated("call %d: attempt %d is told to be a hedge, beside nothing", k.id, a.Number)
		}
		if a.Probe && i+1 < len(k.attempts) && c.outside("Breaker", "Retry") {
			c.violated("call %d: a probe makes %d attempts", k.id, len(k.attempts))
		}
		if a.Probe && a.Hedge && c.outside("Breaker", "Hedge") {
			c.violated("call %d: a probe was hedged", k.id)
		}
	}
}

// awaited is until when anybody waited for the attempt.
func (a *attempted) awaited() time.Duration {
	if cfg := a.call.c.cfg.Attempt; cfg != nil && cfg.Abandon {
		return min(a.end, a.begin+cfg.Limit)
	}
	return a.end
}

// neverEndsEarly reports whether all that runs beside a hedge is seen at the dependency.
func (c *composedCase) neverEndsEarly() bool { return !c.has("Inject") && !c.has("Bulkhead") }

// deaf reports whether the call can be held up by a function that does not look at its
// context, because no goroutine of its own was made for it.
func (k *composedCall) deaf() bool {
	c := k.c
	if c.has("Total") && c.cfg.Total.Abandon && c.place["Total"] == 1 {
		return false
	}
	return !c.common() || !(c.has("Attempt") && c.cfg.Attempt.Abandon || k.raced() && c.cfg.Hedge.MaxAbandoned == 1000)
}

// raced reports whether the call may be hedged.
func (k *composedCall) raced() bool { return k.c.has("Hedge") && (k.safe || k.c.cfg.Hedge.Always) }

// checkTime checks that a call returns when there is nobody to wait for it.
func (c *composedCase) checkTime(k *composedCall) {
	if _, _, first := k.given(); k.ended > first {
		if k.deaf() {
			for _, a := range k.attempts {
				first = max(first, a.end)
			}
		}
		if k.ended > first {
			c.violated("call %d: began at %v and returned at %v, too late by %v", k.id, k.began, k.ended, k.ended-first)
		}
	}
}

// checkError checks that a call ends in what somebody did: the dependency, a policy or
// the caller.
func (c *composedCase) checkError(k *composedCall) {
	if !k.returned {
		c.checkPanic(k)
		return
	}
	cancel, deadline, first := k.given()
	if k.err == nil {
		switch {
		case k.got == nil:
			c.violated("call %d: neither an answer nor an error", k.id)
		case k.got.of.call != k:
			c.violated("call %d: got the answer of call %d", k.id, k.got.of.call.id)
		}
		return
	}
	if k.got != nil {
		c.violated("call %d: an answer beside %v", k.id, k.err)
	}
	dep, isDep := errors.AsType[*depError](k.err)
	if isDep && dep.of.call != k {
		c.violated("call %d: got the error of call %d", k.id, dep.of.call.id)
	}
	refused := c.checkRefusal(k)
	gone := errors.Is(k.err, context.Canceled) || errors.Is(k.err, context.DeadlineExceeded) || k.cause != nil && errors.Is(k.err, k.cause)
	if !isDep && !refused && !gone && !errors.Is(k.err, timeout.ErrTimeout) && !errors.Is(k.err, inject.ErrInjected) {
		c.violated("call %d: an error of nobody: %v", k.id, k.err)
	}
	if errors.Is(k.err, hedge.ErrLost) {
		c.violated("call %d: an error that says it lost against itself: %v", k.id, k.err)
	}
	if errors.Is(k.err, context.Canceled) && cancel > k.ended {
		c.violated("call %d: cancelled, but not by its caller: %v", k.id, k.err)
	}
	if errors.Is(k.err, context.DeadlineExceeded) && !errors.Is(k.err, timeout.ErrTimeout) && deadline > k.ended && !tooNear(k.err) && first > k.ended && c.place["Total"] <= 1 && !c.outside("Hedge", "Retry") {
		c.violated("call %d: a deadline that had not passed: %v", k.id, k.err)
	}
}

// tooNear reports whether a retry ended because the deadline was too near.
func tooNear(err error) bool {
	e, ok := errors.AsType[*retry.Error](err)
	return ok && e.Limit == retry.ByDeadline
}

func (c *composedCase) checkPanic(k *composedCall) {
	exits, panics := false, false
	for _, a := range k.attempts {
		exits = exits || !a.returned && !a.panics
		panics = panics || a.panics
	}
	switch v := k.panicked.(type) {
	case nil:
		if !exits {
			c.violated("call %d: ended its goroutine by itself", k.id)
		}
	case *depPanic:
		if v.of.call != k {
			c.violated("call %d: the panic of call %d", k.id, v.of.call.id)
		}
	case *inject.Error:
	default:
		c.violated("call %d: panicked with %v", k.id, v)
	}
}

// refusers are the policies that refuse, and how their refusals are known.
var refusers = []struct {
	sentinel   error
	word, kind string
}{
	{ratelimit.ErrRejected, "rate", "RateLimit"}, {adaptive.ErrRejected, "adaptive", "Adaptive"},
	{throttle.ErrRejected, "throttle", "Throttle"}, {breaker.ErrRejected, "breaker", "Breaker"},
	{bulkhead.ErrRejected, "bulkhead", "Bulkhead"}, {timeout.ErrRejected, "timeout", "Total or Attempt"},
}

// checkRefusal checks that a refusal says who refused.
func (c *composedCase) checkRefusal(k *composedCall) bool {
	if !errors.Is(k.err, switchgear.ErrRejected) {
		for _, r := range refusers {
			if errors.Is(k.err, r.sentinel) {
				c.violated("call %d: a refusal that is not known as one: %v", k.id, k.err)
			}
		}
		return false
	}
	known := errors.Is(k.err, errDownstream)
	for _, r := range refusers {
		if errors.Is(k.err, r.sentinel) {
			known = true
			if text := k.err.Error(); !strings.Contains(text, r.word) || !strings.Contains(text, `"`+composedName+`"`) {
				c.violated("call %d: a refusal by %s that does not say so: %v", k.id, r.kind, text)
			}
		}
	}
	if !known {
		c.violated("call %d: refused by nobody: %v", k.id, k.err)
	}
	return true
}

// checkLastWord checks that what is worth repeating reaches the caller only together
// with the limit that ended the loop.
func (c *composedCase) checkLastWord(k *composedCall) {
	if !c.has("Retry") || !k.returned || k.err == nil || c.cfg.RetryInsideBreaker && !c.calm {
		return
	}
	if c.listed && (c.outside("Hedge", "Retry") || c.outside("Retry", "Total") || c.outside("Breaker", "Retry") && !c.calm || c.outside("Attempt", "Retry") || c.outside("Inject", "Retry")) {
		return
	}
	_, _, first := k.given()
	if first <= k.ended || c.cfg.Retry.Attempts == 1 || errors.Is(k.err, retry.ErrExhausted) || errors.Is(k.err, switchgear.ErrRejected) {
		return
	}
	if _, ok := errors.AsType[*hedge.Error](k.err); ok {
		return // of several errors
	}
	if c.cfg.Total != nil {
		if e, ok := errors.AsType[*timeout.Error](k.err); ok && e.Limit == c.cfg.Total.Limit {
			return
		}
	}
	if e, ok := errors.AsType[*depError](k.err); ok {
		if f := e.of.fault; !e.of.gaveUp && (f.final || f.said.Repeat == switchgear.RepeatNever || f.mark == switchgear.Success || f.mark == switchgear.Ignored || f.said.Health == switchgear.Success || f.said.Health == switchgear.Ignored) {
			return
		}
	}
	c.violated("call %d: should have been repeated, after %d attempts: %v", k.id, len(k.attempts), k.err)
}

// checkAnswers checks that each answer went to the caller or was discarded, once.
func (c *composedCase) checkAnswers() {
	for _, a := range c.attempts {
		v := a.answer
		if v == nil {
			continue
		}
		got := a.call.got == v
		if got {
			c.note("got a " + a.fault.name)
		} else {
			c.note("discarded a " + a.fault.name)
			if a.end > a.call.ended {
				c.note("discarded a late answer")
			}
		}
		if got && v.discarded != 0 || !got && v.discarded != 1 {
			c.violated("call %d: the %s of attempt %d: the caller got it: %v, and it was discarded %d times", a.call.id, a.fault.name, a.Number, got, v.discarded)
		}
	}
}

// checkAskings checks that no error was judged twice. In a race that is not so: the hedge
// judges each attempt as well, by its own context, and what it returns is judged again.
func (c *composedCase) checkAskings() {
	for what, n := range c.asked {
		most := 1
		if what.of.call.raced() {
			most = 3
		}
		if n > most {
			c.violated("call %d: the classifier was asked %d times about attempt %d (as %T)", what.of.call.id, n, what.of.Number, what.as)
		}
	}
}

// checkEnded checks that the contexts of a call's attempts have ended with it, also if it
// did not return.
func (k *composedCall) checkEnded() {
	c := k.c
	if k.open || !c.has("Total") && !c.has("Attempt") {
		return
	}
	c.mu.Lock()
	attempts := slices.Clone(k.attempts)
	c.mu.Unlock()
	for _, a := range attempts {
		if a.ctx.Err() == nil {
			c.violated("call %d: the context of attempt %d lives on after the call", k.id, a.Number)
		}
	}
}

// checkOpen checks that the context of an answer lives.
func (k *composedCall) checkOpen() {
	c, a := k.c, k.got.of
	if k.deadlineAt <= c.now() || k.cancelAt <= c.now() {
		return // the caller has ended it
	}
	if k.keepLimits {
		at, ok := a.ctx.Deadline()
		deadline := composedNever
		if ok {
			deadline = at.Sub(c.start)
		}
		if c.now() > deadline && a.ctx.Err() == nil {
			c.violated("call %d: %v after its limit, the context of an answer is still alive", k.id, c.now()-deadline)
		}
		if c.now() >= deadline {
			return
		}
	}
	if err := a.ctx.Err(); err != nil {
		c.violated("call %d: the context of the answer has ended %v after the call: %v, because of %v; %s, hedge %v, attempt %d", k.id, c.now()-k.ended, err, context.Cause(a.ctx), a.fault.name, k.raced(), a.Number)
	}
}

// checkClosed checks that the context of an answer has ended with it.
func (k *composedCall) checkClosed() {
	if k.c.has("Total") || k.c.has("Attempt") {
		if k.got.of.ctx.Err() == nil {
			k.c.violated("call %d: the context of an answer outlives it", k.id)
		}
	}
}
