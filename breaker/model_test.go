package breaker_test

import (
	"fmt"
	"math"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/evidence"
	"github.com/switchgear-go/switchgear/window"
)

// A model is the specification written down as plainly as possible, for one
// goroutine: it keeps every outcome, counts them again whenever it is asked, and
// has no idea of speed. Comments name the rules.
type model struct {
	cfg           breaker.Config // effective
	failing, slow *evidence.Test
	now           time.Duration

	state  breaker.State
	period uint64
	start  time.Duration
	until  time.Duration // OPEN, FORCED_OPEN; never is math.MaxInt64
	expiry time.Duration // of an operator state; 0 is none

	record             *naive // of CLOSED and METRICS_ONLY
	shown              *naive // nil shows as empty
	minimum            int64  // of what is shown
	run                int64
	failures, slowness evidence.Score
	grace              time.Duration // when it ends; 0 when it is over

	hint    time.Duration
	retrips int

	// Of the HALF_OPEN period.
	running, settled, streak int
	out                      map[*modelPermit]bool

	counters breaker.Counters
	refused  uint64
	draws    []float64 // random numbers that the breaker has drawn and the model has not
	changes  []modelChange
}

type modelPermit struct {
	period uint64
	probe  bool
	start  time.Duration
	over   bool // a probe that the breaker has settled (H8), or anyone a first time
	gone   bool // a probe that has reported
}

// modelChange is what an event should say.
type modelChange struct {
	from, to breaker.State
	period   uint64
	counts   window.Counts
	lasted   time.Duration
	refused  uint64
	rule     breaker.Rule
}

// naive stores every outcome with its bucket.
type naive struct {
	size    int           // of a count window
	width   time.Duration // of a bucket
	buckets int64
	all     []filed
}

type filed struct {
	bucket       int64
	failed, slow bool
}

func (w *naive) add(now time.Duration, failed, slow bool) {
	f := filed{failed: failed, slow: slow}
	if w.width > 0 {
		f.bucket = int64(now / w.width)
	}
	w.all = append(w.all, f)
}

func (w *naive) counts(now time.Duration) (c window.Counts) {
	if w == nil {
		return c
	}
	all := w.all
	if w.size > 0 && len(all) > w.size {
		all = all[len(all)-w.size:] // W1
	}
	for _, f := range all {
		if w.width > 0 && int64(now/w.width)-f.bucket >= w.buckets {
			continue // W2
		}
		c.Calls++
		if f.failed {
			c.Failed++
		}
		if f.slow {
			c.Slow++
		}
		if f.failed && f.slow {
			c.SlowFailed++
		}
	}
	return c
}

func newModel(cfg breaker.Config) *model {
	m := &model{cfg: cfg, state: breaker.Closed, period: 1}
	shares := 1
	if cfg.Evidence != nil && cfg.SlowEvidence != nil {
		shares = 2
	}
	test := func(e *evidence.Config) *evidence.Test {
		if e == nil {
			return nil
		}
		t, err := evidence.NewTest(*e, shares)
		if err != nil {
			panic(err) // the breaker has accepted it
		}
		return t
	}
	m.failing, m.slow = test(cfg.Evidence), test(cfg.SlowEvidence)
	m.grace = cfg.Grace
	m.empty()
	m.shown, m.minimum = m.record, m.enough()
	return m
}

// enough is the minimum number of calls in force (W3).
func (m *model) enough() int64 {
	if n := m.cfg.Window.Calls; n > 0 {
		return int64(min(n, m.cfg.MinimumCalls))
	}
	return int64(m.cfg.MinimumCalls)
}

// needed is the number of probes for a verdict by rate (H2).
func (m *model) needed() int64 { return min(m.enough(), int64(m.cfg.HalfOpen.Probes)) }

// empty begins a new window, run and evidence (W5).
func (m *model) empty() {
	m.record = &naive{size: m.cfg.Window.Calls}
	if m.cfg.Window.Calls == 0 {
		m.record.buckets = int64(m.cfg.Window.Buckets)
		m.record.width = (m.cfg.Window.Length-1)/time.Duration(m.cfg.Window.Buckets) + 1
	}
	m.run, m.failures, m.slowness = 0, evidence.Score{}, evidence.Score{}
}

// advanceTo lets time go by: what is due on the way happens at its own instant.
func (m *model) advanceTo(to time.Duration) {
	for {
		at, do := time.Duration(math.MaxInt64), func() {}
		switch {
		case m.expiry > 0: // S4
			at, do = m.expiry, m.expire
		case m.state == breaker.Open && m.cfg.Open.Automatic: // O5
			at, do = m.until, func() { m.enter(breaker.HalfOpen, "") }
		case m.state == breaker.HalfOpen && m.cfg.HalfOpen.MaxWait > 0: // H6
			at, do = m.start+m.cfg.HalfOpen.MaxWait, func() { m.trip(breaker.RuleProbesLate) }
		}
		if m.grace > 0 && m.grace <= min(at, to) { // T7
			m.now = m.grace
			m.endGrace()
			continue
		}
		if at > to {
			m.now = to
			return
		}
		m.now = max(m.now, at)
		do()
	}
}

// endGrace empties the window that is being filled (T7). One that OPEN shows stays
// as it was (W5).
func (m *model) endGrace() {
	m.grace = 0
	if m.state == breaker.Closed || m.state == breaker.MetricsOnly {
		m.empty()
		m.shown = m.record
	}
}

func (m *model) expire() {
	if m.state == breaker.ForcedOpen {
		m.enter(breaker.Open, "")
		m.until = m.now
		return
	}
	m.enter(breaker.Closed, "")
}

// enter begins a period (S5).
func (m *model) enter(to breaker.State, rule breaker.Rule) {
	refused := m.counters.Rejected - m.refused
	m.refused = m.counters.Rejected
	m.period++
	m.changes = append(m.changes, modelChange{
		m.state, to, m.period, m.shown.counts(m.now), m.now - m.start, refused, rule,
	})
	m.state, m.start, m.until, m.expiry, m.hint = to, m.now, math.MaxInt64, 0, 0
	switch to { // W5
	case breaker.Closed, breaker.MetricsOnly:
		m.empty()
		m.shown, m.minimum = m.record, m.enough()
	case breaker.HalfOpen:
		m.shown, m.minimum = &naive{size: m.cfg.HalfOpen.Probes}, m.needed()
		m.running, m.settled, m.streak, m.out = 0, 0, 0, map[*modelPermit]bool{}
	case breaker.Disabled, breaker.ForcedOpen:
		m.shown, m.minimum = nil, m.enough()
	}
}

// wait is the open interval (O1-O3). Fractions of a nanosecond are cut off after
// each step, as the breaker does, so that instants can be compared exactly.
func (m *model) wait(hint time.Duration) time.Duration {
	o := m.cfg.Open
	wait := o.Wait
	if o.Factor > 1 {
		wait = time.Duration(min(float64(wait)*math.Pow(o.Factor, float64(m.retrips)), float64(o.MaxWait)))
	}
	u, spread := 0.5, 0.0
	if o.Jitter != off {
		if len(m.draws) > 0 {
			u, m.draws = m.draws[0], m.draws[1:]
		}
		spread = float64(o.Jitter) / 100
	}
	spreadBy := func(d time.Duration, share float64) time.Duration { return d + time.Duration(float64(d)*share) }
	own := spreadBy(wait, spread*(2*u-1))
	if o.MaxHint == off || hint <= 0 {
		return own
	}
	return max(own, spreadBy(min(hint, o.MaxHint), spread*u)) // never back earlier than asked
}

// ease takes growth back for the time spent CLOSED (O1).
func (m *model) ease() {
	if m.state == breaker.Closed {
		m.retrips = max(0, m.retrips-int(min((m.now-m.start)/m.cfg.Open.Wait, math.MaxInt32)))
	}
}

func (m *model) trip(rule breaker.Rule) {
	m.ease()
	wait := m.wait(m.hint)
	m.retrips++
	m.counters.Trips++
	m.enter(breaker.Open, rule)
	m.until = m.now + wait
}

func (m *model) move(to breaker.State, d time.Duration) {
	m.ease()
	rule, until := breaker.Rule(""), time.Duration(math.MaxInt64)
	switch to {
	case breaker.Open:
		rule, until = breaker.RuleOperator, m.now+m.wait(0)
	case breaker.ForcedOpen:
		rule = breaker.RuleOperator
		if d > 0 {
			until = m.now + d
		}
	}
	m.enter(to, rule)
	m.until = until
	if d > 0 {
		m.expiry = m.now + d
	}
}

func (m *model) reset() {
	m.retrips, m.grace = 0, 0
	m.move(breaker.Closed, 0)
}

// acquire returns a permit or nil.
func (m *model) acquire() *modelPermit {
	for {
		switch {
		case m.state == breaker.Closed || m.state == breaker.Disabled || m.state == breaker.MetricsOnly:
			return &modelPermit{period: m.period, start: m.now}
		case m.state == breaker.Open && m.now >= m.until: // O4
			m.enter(breaker.HalfOpen, "")
			continue
		case m.state == breaker.HalfOpen:
			if m.free() {
				p := &modelPermit{period: m.period, start: m.now, probe: true}
				m.running++
				m.counters.Probes++
				m.out[p] = true
				return p
			}
			if m.reclaim() {
				continue
			}
		}
		m.counters.Rejected++
		return nil
	}
}

// free tells whether another probe may go (H1).
func (m *model) free() bool {
	if m.cfg.HalfOpen.Verdict == breaker.ByStreak {
		return m.running < m.cfg.HalfOpen.Probes
	}
	return m.running+m.settled < m.cfg.HalfOpen.Probes
}

// reclaim settles the probes that are out too long (H8).
func (m *model) reclaim() (found bool) {
	period := m.period
	for p := range m.out {
		if m.period != period {
			break
		}
		if limit := m.cfg.HalfOpen.ProbeLimit; limit != off && m.now-p.start >= limit {
			found = true
			p.over = true
			delete(m.out, p)
			m.counters.Overdue++
			m.probed(true, true)
		}
	}
	return found
}

// settle ends a call; Undecided stands for a release.
func (m *model) settle(p *modelPermit, o switchgear.Outcome, hint time.Duration) {
	if p.gone { // P2
		return
	}
	p.gone = true
	if p.period != m.period || p.over { // S5, H8
		m.counters.Late++
		return
	}
	failed := o == switchgear.Failure
	counts := failed || o == switchgear.Success
	slow := counts && m.cfg.SlowCall.Duration != off && m.now-p.start > m.cfg.SlowCall.Duration // C3
	switch o {
	case switchgear.Success:
		m.counters.Successful++
	case switchgear.Failure:
		m.counters.Failed++
	case switchgear.Ignored:
		m.counters.Ignored++
	default:
		m.counters.Released++
	}
	if slow {
		m.counters.Slow++
	}
	if failed {
		m.hint = max(m.hint, hint)
	}
	switch {
	case p.probe && !counts: // H4
		delete(m.out, p)
		m.running--
		m.counters.GivenBack++
	case p.probe:
		delete(m.out, p)
		m.probed(failed, slow)
	case counts && (m.state == breaker.Closed || m.state == breaker.MetricsOnly):
		m.recorded(failed, slow)
	}
}

// recorded files an outcome and checks the trip rules (W4).
func (m *model) recorded(failed, slow bool) {
	m.record.add(m.now, failed, slow)
	if m.state != breaker.Closed {
		return
	}
	if m.run++; !failed {
		m.run = 0
	}
	evident := m.failing != nil && m.failures.Record(m.failing, m.now, failed)
	slowly := m.slow != nil && m.slowness.Record(m.slow, m.now, slow)
	c := m.record.counts(m.now)
	enough := c.Calls >= m.enough()
	switch {
	case m.grace > 0: // T7
	case enough && atLeast(c.Failed, c.Calls, m.cfg.FailureRate):
		m.trip(breaker.RuleFailureRate)
	case enough && m.cfg.SlowCall.Duration != off && atLeast(c.Slow, c.Calls, m.cfg.SlowCall.Rate):
		m.trip(breaker.RuleSlowRate)
	case m.cfg.ConsecutiveFailures != off && m.run >= int64(m.cfg.ConsecutiveFailures):
		m.trip(breaker.RuleConsecutive)
	case m.cfg.FailureCount != off && c.Failed >= int64(m.cfg.FailureCount):
		m.trip(breaker.RuleFailureCount)
	case evident:
		m.trip(breaker.RuleEvidence)
	case slowly:
		m.trip(breaker.RuleSlowEvidence)
	}
}

// probed takes in a probe's outcome and gives the verdict if it is in (H2, H3).
func (m *model) probed(failed, slow bool) {
	m.running--
	m.settled++
	m.shown.add(m.now, failed, slow)
	if m.streak++; failed {
		m.streak = 0
		m.counters.ProbesFailed++
	} else {
		m.counters.ProbesGood++
	}
	c := m.shown.counts(m.now)
	byStreak := m.cfg.HalfOpen.Verdict == breaker.ByStreak
	threshold := m.cfg.FailureRate
	if threshold == off {
		threshold = 50
	}
	switch {
	case byStreak && failed:
		m.trip(breaker.RuleProbesFailed)
	case byStreak && m.streak >= m.cfg.HalfOpen.Successes:
		m.enter(breaker.Closed, "")
	case byStreak || c.Calls < m.needed():
	case atLeast(c.Failed, c.Calls, threshold):
		m.trip(breaker.RuleProbesFailed)
	case m.cfg.SlowCall.Duration != off && atLeast(c.Slow, c.Calls, m.cfg.SlowCall.Rate):
		m.trip(breaker.RuleProbesSlow)
	default:
		m.enter(breaker.Closed, "")
	}
}

// atLeast compares part of whole with a threshold, in whole hundredths (T1).
func atLeast(part, whole int64, threshold switchgear.Percent) bool {
	return threshold != off && part*100_00 >= int64(math.Round(float64(threshold)*100))*whole
}

// level is a score as a share of its threshold.
func level(t *evidence.Test, s *evidence.Score, now time.Duration) float64 {
	if t == nil {
		return 0
	}
	return min(1, float64(s.Value(t, now))/float64(t.Threshold()))
}

// compare returns how the breaker's view of itself differs from the model.
func (m *model) compare(s breaker.Snapshot) error {
	var differences []string
	differ := func(what string, got, want any) {
		if got != want {
			differences = append(differences, fmt.Sprintf("%s: got %v, want %v", what, got, want))
		}
	}
	differ("state", s.State, m.state)
	differ("period", s.Period, m.period)
	differ("window", s.Numbers, breaker.Numbers{Counts: m.shown.counts(m.now), Minimum: m.minimum})
	differ("counters", s.Counters, m.counters)
	differ("grace", s.Grace, m.grace > 0)
	running, run, failing, slow := 0, int64(0), 0.0, 0.0
	switch m.state {
	case breaker.HalfOpen:
		running = m.running
	case breaker.Closed:
		run = m.run
		failing, slow = level(m.failing, &m.failures, m.now), level(m.slow, &m.slowness, m.now)
	}
	differ("probes out", s.ProbesOut, running)
	differ("run", s.Consecutive, run)
	differ("evidence", s.Evidence, failing)
	differ("slow evidence", s.SlowEvidence, slow)
	wait := time.Duration(0)
	if m.state == breaker.Open || m.state == breaker.ForcedOpen && m.until < math.MaxInt64 {
		wait = max(m.until-m.now, 0)
	}
	differ("retry after", s.RetryAfter, wait)
	if differences == nil {
		return nil
	}
	return fmt.Errorf("%v", differences)
}
