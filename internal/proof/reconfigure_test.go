package proof

import (
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/evidence"
	"github.com/switchgear-go/switchgear/internal/proof/model"
)

// A detour changes a configuration in a way that is taken back without a trace, as the
// table at Breaker.Reconfigure has it.
type detour struct {
	name string
	to   func(c *breaker.Config)
	// when tells in which histories that is so; nil: in all.
	when func(c *breaker.Config, m *model.Breaker) bool
}

// detours may be combined.
var detours = []detour{
	{name: "window", to: func(c *breaker.Config) { c.Window.Calls *= 3 }, when: countWindow},
	{name: "minimum up", to: func(c *breaker.Config) { c.MinimumCalls = 50 }},
	{name: "minimum down", to: func(c *breaker.Config) { c.MinimumCalls = 1 }, when: noVerdict},
	{name: "failure rate", to: func(c *breaker.Config) { c.FailureRate = 12.5 }},
	{name: "no failure rate", to: func(c *breaker.Config) { c.FailureRate = switchgear.Off }},
	{name: "slow calls", to: func(c *breaker.Config) { c.SlowCall = breaker.SlowCallConfig{Duration: 77 * ms, Rate: 10} }},
	{name: "no slow calls", to: func(c *breaker.Config) { c.SlowCall = breaker.SlowCallConfig{} }, when: noEvidence},
	{name: "runs", to: func(c *breaker.Config) { c.ConsecutiveFailures, c.FailureCount = 1, 1 }},
	{name: "evidence", to: func(c *breaker.Config) { c.Evidence = &evidence.Config{} }, when: noEvidence},
	{name: "grace", to: func(c *breaker.Config) { c.Grace += time.Hour }},
	{name: "enough time", to: func(c *breaker.Config) { c.EnoughTime += sec }},
	{name: "wait", to: func(c *breaker.Config) { c.Open.Wait, c.Open.MaxWait = 7*sec, 8*sec }},
	{name: "growth", to: func(c *breaker.Config) { c.Open.Factor = 3 }},
	{name: "jitter", to: func(c *breaker.Config) { c.Open.Jitter = 37 }},
	{name: "no jitter", to: func(c *breaker.Config) { c.Open.Jitter = switchgear.Off }},
	{name: "hints", to: func(c *breaker.Config) { c.Open.MaxHint = 2 * sec }},
	{name: "automatic", to: func(c *breaker.Config) { c.Open.Automatic = !c.Open.Automatic }},
	{name: "probes", to: func(c *breaker.Config) { c.HalfOpen.Probes *= 2 }},
	{name: "stay", to: func(c *breaker.Config) { c.HalfOpen.MaxWait = ms }},
	{name: "probe limit", to: func(c *breaker.Config) { c.HalfOpen.ProbeLimit = ms }},
	{name: "no probe limit", to: func(c *breaker.Config) { c.HalfOpen.ProbeLimit = switchgear.Off }},
}

func countWindow(c *breaker.Config, _ *model.Breaker) bool { return c.Window.Calls > 0 }

// noVerdict excludes HALF_OPEN, which is judged at once.
func noVerdict(_ *breaker.Config, m *model.Breaker) bool { return m.State != model.HalfOpen }

// noEvidence is for changes that would begin a test of evidence anew, or be refused.
func noEvidence(c *breaker.Config, _ *model.Breaker) bool {
	return c.Evidence == nil && c.SlowEvidence == nil
}

// detour takes the breaker to another configuration and back; the bits of which choose
// the changes. The model is told nothing of it.
func (d *driver) detour(which int) {
	d.t.Helper()
	there := d.b.Config()
	for i, change := range detours {
		if which&(1<<i) != 0 && (change.when == nil || change.when(&there, d.m)) {
			change.to(&there)
			d.tally.note("detour: " + change.name)
		}
	}
	if err := d.b.Reconfigure(there); err != nil {
		d.t.Fatalf("Reconfigure: %v", err)
	}
	d.reconfigure(d.setup.Config)
	d.tally.note("detour in " + string(d.m.State))
}

// reconfigure goes to configurations of which all but the first are the one that is
// already in effect, and so must change nothing and tell nobody.
func (d *driver) reconfigure(first breaker.Config, others ...breaker.Config) {
	d.t.Helper()
	if err := d.b.Reconfigure(first); err != nil {
		d.t.Fatalf("Reconfigure: %v", err)
	}
	heard := len(d.heard)
	for _, c := range append(others, first) {
		if err := d.b.Reconfigure(c); err != nil {
			d.t.Fatalf("Reconfigure: %v", err)
		}
	}
	if len(d.heard) != heard {
		d.t.Fatalf("reconfigured to what was in effect: got event %v", d.heard[heard])
	}
}

func detourNames() (names []string) {
	for _, change := range detours {
		names = append(names, "detour: "+change.name)
	}
	return names
}
