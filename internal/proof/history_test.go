package proof

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/internal/proof/model"
)

// An op is one thing that happens in a history. It names what it works on by numbers
// taken modulo what there is, so that every list of ops is a history, and a shorter
// list is one too.
type op struct {
	Do    string        // see theme.ops
	N     int           // which permit, copy, deadline; or how many
	How   string        // how a call ends: a key of endings or of results
	D     time.Duration // a time or a hint
	Move  breaker.Move
	Inner []op // what happens during the call, of "do"
}

// drawOp generates an op. Those that stand several times are drawn more often.
func (h theme) drawOp(t *rapid.T) op { return drawOne(t, h.ops()) }

func (h theme) ops() []string {
	return weighted([]weight{
		{"calls", 8},      // N calls, one by one, that end in the same way
		{"slow calls", 4}, // N calls together that take D longer than is not yet slow
		{"acquire", 8},
		{"settle", 12},        // one of the permits that are out
		{"do", 3},             // a call through Do, with ops inside
		{"wait", 3},           // let time pass
		{"deadline", 7},       // let time pass until something is due, or 1 ns from it
		{"reopen", 6},         // if refusing, let time pass until that ends
		{"strand", h.strands}, // leave probes out until they are overdue, then call
		{"start", 1},          // Permit.Start
		{"again", 1},          // settle the same variable once more
		{"copy", 2},           // settle a copy of a probe's permit that is settled
		{"fade", h.fades},     // let time pass until a point of evidence has faded
		{"move", h.moves},
		{"reset", 1},
		{"observe", 3},     // compare everything that can be read
		{"count", 1},       // compare the counters
		{"refusals", 1},    // ask old refusals for the remaining wait
		{"arm", 1},         // have a listener make a move at the next event
		{"reconfigure", 1}, // to the configuration that is in effect
		{"detour", 2},      // to another configuration and back
		{"wall", 1},        // jump the wall clock
		{"close", 1},       // one in 16 closes the breaker
	})
}

type weight struct {
	do string
	n  int
}

func weighted(weights []weight) (names []string) {
	for _, w := range weights {
		names = append(names, slices.Repeat([]string{w.do}, w.n)...)
	}
	return names
}

func drawOne(t *rapid.T, names []string) (o op) {
	o.Do = pick(t, "op", names...)
	switch o.Do {
	case "calls":
		o.How, o.D = drawEnding(t)
		o.N = pick(t, "n", 1, 1, 2, 3, 6, 20)
	case "slow calls":
		o.How, _ = drawEnding(t)
		o.N = pick(t, "n", 1, 2, 4)
		o.D = pick[time.Duration](t, "longer by", 1, 0, ms)
	case "settle":
		o.How, o.D = drawEnding(t)
		o.N = chosen(21).Draw(t, "n")
	case "again", "copy":
		o.How, _ = drawEnding(t)
		o.N = chosen(21).Draw(t, "n")
	case "strand":
		o.N = chosen(5).Draw(t, "successes")
	case "start":
		o.N = chosen(21).Draw(t, "n")
	case "do":
		o.How = pick(t, "result", resultNames...)
		inner := []string{"acquire", "settle", "wait", "wait", "deadline", "move", "observe"}
		for range pick(t, "inside", 0, 0, 1, 2) {
			o.Inner = append(o.Inner, drawOne(t, inner))
		}
	case "wait":
		o.D = pick(t, "d", 1, ms, 11*ms, 100*ms, 500*ms, sec, 1500*ms, 3*sec, 20*sec, 5*time.Minute)
	case "deadline":
		o.N = chosen(21).Draw(t, "n")
		o.D = pick[time.Duration](t, "off by", 0, -1, 1)
	case "reopen":
		o.D = pick[time.Duration](t, "off by", 0, 0, 1, -1)
	case "move", "arm":
		o.Move = drawMove(t)
	case "detour":
		o.N = rapid.IntRange(1, 1<<len(detours)-1).Draw(t, "which")
	case "wall":
		o.D = pick(t, "d", -time.Hour, time.Hour)
	case "close":
		o.N = chosen(16).Draw(t, "n")
	}
	return o
}

func drawMove(t *rapid.T) breaker.Move {
	m := breaker.Move{
		To: pick(t, "to", breaker.Closed, breaker.Closed, breaker.Open, breaker.Open, breaker.HalfOpen,
			breaker.MetricsOnly, breaker.Disabled, breaker.ForcedOpen),
		Author: pick(t, "author", "ana", ""),
		Reason: "maintenance",
	}
	if m.To == breaker.MetricsOnly || m.To == breaker.Disabled || m.To == breaker.ForcedOpen {
		m.For = pick[time.Duration](t, "for", 0, 1, 2*sec, 10*sec)
	}
	return m
}

// An ending settles a permit in one of the ways there are.
type ending struct {
	settle func(p *breaker.Permit, hint time.Duration)
	means  func(s *setup, hint time.Duration) model.Ending
	panics bool // up to the caller, if there is a classifier
}

var endings = map[string]ending{
	"success":      {settle: func(p *breaker.Permit, _ time.Duration) { p.Success() }, means: is(model.Success, "")},
	"done":         {settle: done(nil), means: is(model.Success, "")},
	"done, mark +": {settle: done(switchgear.MarkSuccess(status(404))), means: is(model.Success, "")},

	"failure":        {settle: func(p *breaker.Permit, _ time.Duration) { p.Failure(status(500)) }, means: is(model.Failure, "status 500")},
	"failure, nil":   {settle: func(p *breaker.Permit, _ time.Duration) { p.Failure(nil) }, means: is(model.Failure, "")},
	"done, error":    {settle: done(status(503)), means: is(model.Failure, "status 503")},
	"done, mark -":   {settle: done(switchgear.MarkFailure(status(404))), means: is(model.Failure, "status 404")},
	"failure, hint":  {settle: func(p *breaker.Permit, d time.Duration) { p.Failure(hinted(d)) }, means: isHinted},
	"done, hint":     {settle: func(p *breaker.Permit, d time.Duration) { p.Done(hinted(d)) }, means: isHinted},
	"done, rejected": {settle: done(fmt.Errorf("inner: %w", switchgear.ErrRejected)), means: is(model.Ignored, "")},

	"ignore":       {settle: func(p *breaker.Permit, _ time.Duration) { p.Ignore() }, means: is(model.Ignored, "")},
	"done, mark 0": {settle: done(switchgear.MarkIgnored(status(400))), means: is(model.Ignored, "")},
	"release":      {settle: func(p *breaker.Permit, _ time.Duration) { p.Release() }, means: is(model.Released, "")},

	"verdict +":     {settle: done(verdict(switchgear.Success)), means: judged(model.Success)},
	"verdict 0":     {settle: done(verdict(switchgear.Ignored)), means: judged(model.Ignored)},
	"verdict panic": {settle: done(verdict(hopeless)), means: hopelesslyJudged, panics: true},
}

// endingNames has the usual ones several times.
var endingNames = []string{
	"success", "success", "success", "success", "done", "done", "failure", "failure", "failure", "failure", "done, error",
	"done, error", "failure, hint", "done, hint", "ignore", "release", "failure, nil", "done, mark +", "done, mark -",
	"done, mark 0", "done, rejected", "verdict +", "verdict 0", "verdict panic",
}

func drawEnding(t *rapid.T) (how string, hint time.Duration) {
	how = pick(t, "how", endingNames...)
	if how == "failure, hint" || how == "done, hint" {
		hint = pick(t, "hint", sec, 3*sec, 7*sec, time.Hour)
	}
	return how, hint
}

func done(err error) func(*breaker.Permit, time.Duration) {
	return func(p *breaker.Permit, _ time.Duration) { p.Done(err) }
}

func is(h model.Health, kind string) func(*setup, time.Duration) model.Ending {
	return func(*setup, time.Duration) model.Ending { return model.Ending{Health: h, Kind: kind} }
}

func isHinted(_ *setup, d time.Duration) model.Ending {
	return model.Ending{Health: model.Failure, Kind: "status 429", Hint: d}
}

// judged is what the tests' classifier says, where it is wired (C1.5), and else a
// failure (C1.6).
func judged(h model.Health) func(*setup, time.Duration) model.Ending {
	return func(s *setup, _ time.Duration) model.Ending {
		e := model.Ending{Health: model.Failure, Kind: "proof.verdict"}
		if s.Classifier {
			e.Health = h
		}
		return e
	}
}

// hopelesslyJudged is a panic in the classifier, which is a failure (P4).
func hopelesslyJudged(s *setup, _ time.Duration) model.Ending {
	if s.Classifier {
		return model.Ending{Health: model.Failure, Kind: "panic"}
	}
	return model.Ending{Health: model.Failure, Kind: "proof.verdict"}
}

// status is an error with an HTTP status, which is its kind (T5).
type status int

func (s status) Error() string   { return fmt.Sprintf("answered %d", int(s)) }
func (s status) StatusCode() int { return int(s) }

func hinted(d time.Duration) error { return switchgear.WithRetryAfter(status(429), d) }

// verdict is an error that tells the tests' classifier what to say of it.
type verdict switchgear.Outcome

// hopeless makes the classifier panic.
const hopeless = switchgear.Outcome(99)

func (v verdict) Error() string { return "judge me" }

func classify(err error) switchgear.Outcome {
	v, ok := errors.AsType[verdict](err)
	if !ok {
		return switchgear.Undecided
	}
	if v == verdict(hopeless) {
		panic(hopeless)
	}
	return switchgear.Outcome(v)
}

// A result is what a function that Do runs does in the end.
type result struct {
	end    func() error
	judge  func(int, error) switchgear.Outcome // of DoJudged, where given
	means  func(s *setup, hint time.Duration) model.Ending
	panics any  // what comes out of Do
	exits  bool // the goroutine
}

var results = map[string]result{
	"nil":          {end: func() error { return nil }, means: is(model.Success, "")},
	"error":        {end: func() error { return status(502) }, means: is(model.Failure, "status 502")},
	"ignored":      {end: func() error { return switchgear.MarkIgnored(status(400)) }, means: is(model.Ignored, "")},
	"panic":        {end: func() error { panic(boom) }, means: is(model.Failure, "panic"), panics: boom},
	"goexit":       {exits: true, means: is(model.Released, "")},
	"judged -":     {end: func() error { return nil }, judge: say(switchgear.Failure), means: is(model.Failure, "")},
	"judged +":     {end: func() error { return status(404) }, judge: say(switchgear.Success), means: is(model.Success, "")},
	"judge panics": {end: func() error { return nil }, judge: say(hopeless), means: is(model.Failure, "panic"), panics: hopeless},
}

var resultNames = []string{"nil", "nil", "nil", "error", "error", "ignored", "panic", "goexit", "judged -", "judged +", "judge panics"}

const boom = "boom"

func say(o switchgear.Outcome) func(int, error) switchgear.Outcome {
	return func(int, error) switchgear.Outcome {
		if o == hopeless {
			panic(hopeless)
		}
		return o
	}
}
