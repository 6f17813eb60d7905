package breaker_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/evidence"
)

// TestReconfigureModel changes the configuration at random moments of random lives.
// The model, which knows the rules of reconfiguration in their plainest form, is
// changed too; nothing may tell the two apart, and so no rule is broken (R1 to R9).
func TestReconfigureModel(t *testing.T) {
	for seed := range uint64(scale(300, 100)) {
		l := newLife(rand.New(rand.NewPCG(seed, 3)))
		if err := l.live(200, l.reconfigure); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// TestThereAndBack changes the configuration and at once takes the change back. The
// model is told nothing of it, and still nothing may tell the two apart (R10).
func TestThereAndBack(t *testing.T) {
	for seed := range uint64(scale(300, 100)) {
		l := newLife(rand.New(rand.NewPCG(seed, 4)))
		if err := l.live(200, l.thereAndBack); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// A life is that of a breaker, side by side with its model.
type life struct {
	chooser
	clock *clock.Virtual
	b     *breaker.Breaker
	m     *model
	calls []pair
	heard []event.Event // transitions since the last step

	untimed map[*modelPermit]bool
	draw    float64 // for the next OPEN; the middle if none is drawn
	made    *made   // of OPEN; nil where it started with its interval passed
}

// made is what an open interval was made of (R6).
type made struct {
	draw    float64
	hint    time.Duration
	retrips int
}

func newLife(c chooser) *life {
	l := &life{chooser: c, clock: clock.NewVirtual(start), untimed: map[*modelPermit]bool{}, draw: 0.5}
	l.b = breaker.Must(breaker.New("stock", randomConfig(c),
		breaker.WithClock(l.clock), breaker.WithListener(l), breaker.WithRandom(l.random)))
	l.m = newModel(l.b.Config())
	return l
}

func (l *life) random() float64 {
	l.draw = l.Float64()
	l.m.draws = append(l.m.draws, l.draw)
	return l.draw
}

func (l *life) OnEvent(e event.Event) {
	change, ok := e.Detail.(*breaker.Change)
	if !ok {
		return
	}
	l.heard = append(l.heard, e)
	if e.To != breaker.Open.String() {
		return
	}
	l.made = nil
	if trip := change.Trip; trip != nil {
		l.made = &made{l.draw, trip.Hint, trip.Retrips}
		l.draw = 0.5
	}
}

// live does so many steps, with something else in between now and then, and returns
// the first difference.
func (l *life) live(steps int, between func() error) error {
	watched := pick(l, 1, 3, steps) // a look at one step in so many
	health := 1 + l.IntN(9)
	for i := range steps {
		what, err := "between", error(nil)
		if l.IntN(5) == 0 {
			err = between()
		} else {
			what, err = l.step(health)
		}
		if err == nil && l.b.State() != l.m.state {
			err = fmt.Errorf("state: got %v, want %v", l.b.State(), l.m.state)
		}
		if err == nil && (l.IntN(watched) == 0 || i == steps-1) {
			err = l.m.compare(l.b.Snapshot())
		}
		if err == nil {
			err = told(l.heard, l.m.changes)
		}
		if err != nil {
			return fmt.Errorf("step %d (%s at %v): %w\nconfiguration: %+v", i, what, l.m.now, err, l.b.Config())
		}
		l.heard, l.m.changes = l.heard[:0], l.m.changes[:0]
	}
	return nil
}

// step is like the function step, but knows which calls were not timed, and so are
// not slow however long they take (R2).
func (l *life) step(health int) (what string, err error) {
	if len(l.calls) > 0 && l.IntN(3) == 0 {
		k := l.IntN(len(l.calls))
		p := l.calls[k]
		if !p.model.probe || l.IntN(4) > 0 { // else a copy stays, to be settled again
			l.calls = append(l.calls[:k], l.calls[k+1:]...)
		}
		if l.untimed[p.model] {
			p.model.start = l.m.now
		}
		return "settle", settleBoth(l, p, l.m, health)
	}
	var admitted []pair
	what, err = step(l, l.b, l.m, l.clock, &admitted, health)
	for _, p := range admitted {
		l.calls = append(l.calls, p)
		l.untimed[p.model] = l.m.cfg.SlowCall.Duration == off
	}
	return what, err
}

// reconfigure goes over to a configuration that has some fields of another one, or
// all of them, in both worlds.
func (l *life) reconfigure() error {
	cfg := breaker.Must(breaker.New("", randomConfig(l))).Config()
	if l.IntN(3) > 0 {
		cfg = l.mixed(cfg)
	}
	if err := l.b.Reconfigure(cfg); err != nil {
		return err
	}
	l.m.reconfigure(l.b.Config(), l.made)
	return nil
}

// thereAndBack applies to the breaker alone a change that leaves no trace.
func (l *life) thereAndBack() error {
	first := l.b.Config()
	there := l.mixed(breaker.Must(breaker.New("", randomConfig(l))).Config())
	there.Window, there.Grace = first.Window, first.Grace
	if w := &there.Window; w.Calls > 0 {
		w.Calls += l.IntN(10)
	} else if l.IntN(2) == 0 && w.Length%time.Duration(w.Buckets) == 0 {
		w.Length, w.Buckets = 2*w.Length, 2*w.Buckets
	}
	there.Evidence, there.SlowEvidence = first.Evidence, first.SlowEvidence
	if first.Evidence == nil && first.SlowEvidence == nil && l.IntN(2) == 0 {
		there.Evidence = &evidence.Config{}
	}
	if there.SlowEvidence != nil {
		there.SlowCall.Duration = first.SlowCall.Duration
	}
	if l.m.state == breaker.HalfOpen { // fewer may mean a verdict, or the loss of outcomes
		there.MinimumCalls = first.MinimumCalls + l.IntN(5)
		limit, wait := there.HalfOpen.ProbeLimit, there.HalfOpen.MaxWait
		there.HalfOpen = first.HalfOpen
		there.HalfOpen.ProbeLimit, there.HalfOpen.MaxWait = limit, wait
		there.HalfOpen.Probes += l.IntN(5)
	}
	if n := there.Window.Calls; n > 0 {
		there.FailureCount = min(there.FailureCount, n)
	}
	if err := l.b.Reconfigure(there); err != nil {
		return err
	}
	return l.b.Reconfigure(first)
}

// mixed returns the breaker's configuration with some fields of other.
func (l *life) mixed(other breaker.Config) breaker.Config {
	cfg := l.b.Config()
	for _, take := range []func(){
		func() { cfg.MinimumCalls = other.MinimumCalls },
		func() { cfg.FailureRate = other.FailureRate },
		func() { cfg.ConsecutiveFailures = other.ConsecutiveFailures },
		func() { cfg.FailureCount, cfg.Window = other.FailureCount, other.Window },
		func() { cfg.SlowCall, cfg.SlowEvidence = other.SlowCall, other.SlowEvidence },
		func() { cfg.Evidence = other.Evidence },
		func() { cfg.Grace = other.Grace },
		func() { cfg.Open = other.Open },
		func() { cfg.Open.Automatic = other.Open.Automatic },
		func() { cfg.HalfOpen = other.HalfOpen },
		func() { cfg.HalfOpen.Probes = other.HalfOpen.Probes },
	} {
		if l.IntN(3) == 0 {
			take()
		}
	}
	return cfg
}

// reconfigure is the rules R1 to R9; cfg is effective.
func (m *model) reconfigure(cfg breaker.Config, made *made) {
	old, fresh := m.cfg, newModel(cfg)
	m.cfg = cfg

	shown := m.shown == m.record
	if old.Window != cfg.Window { // R3
		m.record = fresh.record.adopt(m.record, m.now)
	}
	if shown {
		m.shown = m.record
	}
	if shown || m.shown == nil {
		m.minimum = m.enough()
	}

	same := func(a, b *evidence.Test) bool {
		return a != nil && b != nil && a.Config() == b.Config() && a.Threshold() == b.Threshold()
	}
	if !same(m.failing, fresh.failing) { // R4
		m.failures = evidence.Score{}
	}
	if !same(m.slow, fresh.slow) {
		m.slowness = evidence.Score{}
	}
	m.failing, m.slow = fresh.failing, fresh.slow

	if m.grace > 0 && old.Grace != cfg.Grace { // R9
		if m.grace = cfg.Grace; m.now >= m.grace {
			m.endGrace()
		}
	}
	if m.state == breaker.Open && made != nil { // R6
		length := func(cfg breaker.Config) time.Duration {
			like := model{cfg: cfg, retrips: made.retrips, draws: []float64{made.draw}}
			return like.wait(made.hint)
		}
		m.until += length(cfg) - length(old)
	}
	if m.state == breaker.HalfOpen { // R7
		probes := &naive{size: cfg.HalfOpen.Probes}
		m.shown, m.minimum = probes.adopt(m.shown, m.now), m.needed()
		m.settled = len(m.shown.all)
		m.verdict()
	}
}

// adopt puts what old shows into the empty window, if it is of the same kind (R3).
func (w *naive) adopt(old *naive, now time.Duration) *naive {
	if (w.size > 0) != (old.size > 0) {
		return w
	}
	for _, f := range old.all {
		if w.width > 0 {
			if int64(now/old.width)-f.bucket >= old.buckets {
				continue
			}
			f.bucket = int64(time.Duration(f.bucket) * old.width / w.width)
		}
		w.all = append(w.all, f)
	}
	w.all = w.all[max(len(w.all)-min(w.most(), old.most()), 0):]
	return w
}

// most is how many outcomes a window can hold.
func (w *naive) most() int {
	if w.size > 0 {
		return w.size
	}
	return len(w.all)
}

// verdict leaves HALF_OPEN if the outcomes so far suffice by the rules in effect.
func (m *model) verdict() {
	c, threshold := m.shown.counts(m.now), m.cfg.FailureRate
	if threshold == off {
		threshold = switchgear.Percent(50)
	}
	switch h := m.cfg.HalfOpen; {
	case h.Verdict == breaker.ByStreak && m.streak < h.Successes:
	case h.Verdict == breaker.ByRate && c.Calls < m.needed():
	case h.Verdict == breaker.ByRate && atLeast(c.Failed, c.Calls, threshold):
		m.trip(breaker.RuleProbesFailed)
	case h.Verdict == breaker.ByRate && m.cfg.SlowCall.Duration != off && atLeast(c.Slow, c.Calls, m.cfg.SlowCall.Rate):
		m.trip(breaker.RuleProbesSlow)
	default:
		m.enter(breaker.Closed, "")
	}
}
