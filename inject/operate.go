package inject

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/internal/check"
)

// The states, as events have them.
const (
	stateOff = "OFF"
	stateOn  = "ON"
)

// A period is the time from one Enable to the next, or to the end.
type period struct {
	author, reason string
	since          time.Time
	start, until   time.Duration
	calls          atomic.Uint64 // the number of the newest one

	// What had been counted, and by each fault, when the period began.
	before Counters
	struck []uint64
}

// Enable switches the injector on for so long, and numbers calls from 1. If it is on
// already, a new period begins. Author is who gives the order; it may be empty, but
// should not be. Reason is why, and must not be empty. After d it is off again by
// itself: 0 means 1 h; at most 30 days, and not Off, since faults that are forgotten
// must end. If the order is not valid the error is a [*switchgear.ConfigError] and
// nothing has happened.
func (i *Injector) Enable(author, reason string, d time.Duration) error {
	var c check.Checker
	if reason == "" {
		c.Wrong("Reason", `""`, "must not be empty: whoever meets the faults will want to know")
	}
	c.Duration("For", &d, time.Hour, 1, check.MaxDuration, false)
	if err := c.Err("inject order", i.name); err != nil {
		return err
	}

	i.mu.Lock()
	now := i.clk.Mono()
	i.endIfPast(now)
	p := &period{
		author: author, reason: reason, since: i.clk.Now(), start: now, until: now + d,
		before: i.Counters(), struck: i.struck(),
	}
	i.replace(p, now, author, reason)
	i.timer = i.clk.AfterFunc(d, i.expire)
	i.mu.Unlock()
	i.events.Deliver()
	return nil
}

// Disable switches the injector off. If it is off already nothing happens. A call
// that has been struck stays struck: one that waits or hangs goes on doing so. Author
// and reason go into the event and may be empty.
func (i *Injector) Disable(author, reason string) {
	i.mu.Lock()
	now := i.clk.Mono()
	i.endIfPast(now)
	if i.cur.Load() != nil {
		i.replace(nil, now, author, reason)
	}
	i.mu.Unlock()
	i.events.Deliver()
}

// expire is the timer. It does nothing if another order came first.
func (i *Injector) expire() {
	i.mu.Lock()
	i.endIfPast(i.clk.Mono())
	i.mu.Unlock()
	i.events.Deliver()
}

// endIfPast ends the period whose time has passed: its timer may be late. Called
// under mu.
func (i *Injector) endIfPast(now time.Duration) {
	if p := i.cur.Load(); p != nil && now >= p.until {
		i.replace(nil, p.until, "", fmt.Sprintf("expired after %v", p.until-p.start))
	}
}

// replace ends the period in force, if there is one, and begins next, if it is not
// nil. Called under mu.
func (i *Injector) replace(next *period, now time.Duration, author, reason string) {
	e := event.Event{
		Time: i.clk.Now(), Source: source, Name: i.name, Kind: event.Transition,
		From: stateOff, To: stateOff, Author: author, Reason: reason,
	}
	change := &Change{}
	last := i.cur.Swap(next)
	if last != nil {
		e.From = stateOn
		i.timer.Stop()
		change.Lasted = now - last.start
		change.Counters, change.Struck = i.Counters().minus(last.before), i.struck()
		for f, n := range last.struck {
			change.Struck[f] -= n
		}
	}
	if next != nil {
		e.To = stateOn
		change.For, change.Faults, change.Seed = next.until-next.start, i.cfg.clone().Faults, i.cfg.Seed
		if last != nil {
			e.Kind = event.Renewed
		}
	}
	e.Detail = change
	i.events.Append(e)
}

// Change is the Detail of the events that tell of an injector being switched on or
// off. Calls that are being decided at the moment when a period ends may be missing in
// what is told of it; [Injector.Counters] has them.
type Change struct {
	// Of a period that ends: how long it lasted, what was done in it, and how
	// often each fault struck, in the order of the configuration.
	Lasted   time.Duration `json:"lasted,omitempty"`
	Counters Counters      `json:"counters"`
	Struck   []uint64      `json:"struck,omitempty"`
	// Of a period that begins: for how long, what may happen in it, and the seed.
	For    time.Duration `json:"for,omitempty"`
	Faults []Fault       `json:"faults,omitempty"`
	Seed   uint64        `json:"seed,omitempty"`
}

// String sums up what was done, and what may be.
func (c *Change) String() string {
	s := ""
	if c.Lasted > 0 || c.Struck != nil {
		s = fmt.Sprintf("%d of %d calls disturbed in %v", c.Counters.Disturbed, c.Counters.Calls, c.Lasted)
	}
	if c.For > 0 {
		if s != "" {
			s += "; "
		}
		s += fmt.Sprintf("%s for %v", faults(len(c.Faults)), c.For)
	}
	return s
}

func faults(n int) string {
	if n == 1 {
		return "1 fault"
	}
	return fmt.Sprintf("%d faults", n)
}
