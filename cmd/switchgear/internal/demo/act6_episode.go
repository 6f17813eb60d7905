package demo

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/cmd/switchgear/internal/term"
	"github.com/switchgear-go/switchgear/event"
)

const (
	episodeScene = `A whole outage, as the breaker's own events tell it. This breaker goes by
the failure rate, waits longer after a probe that failed, and varies each wait a
little at random, so that many clients do not come back in the same instant.`
	episodeLook = `why it opens, how it finds its way back, and what the bill is.`
)

const (
	episodeWait   = 4 * time.Second
	episodeFactor = 2
	episodeJitter = 10 // percent
	episodePause  = 500 * time.Millisecond
	episodeWindow = 10 // calls
	minimumCalls  = 5

	wellCalls = 4 // before the outage
	lateCalls = 2 // after it
)

// episode is what happens in act 6, seen from the client.
type episode struct {
	*show
	stock  *breaker.Breaker
	begin  time.Time
	line   *progress
	ledger Ledger
	calls  int
}

func (s *show) playEpisode(ctx context.Context, a *Act) error {
	e := &episode{show: s}
	var err error
	e.stock, err = breaker.New("stock", breaker.Config{
		Window:       breaker.WindowConfig{Calls: episodeWindow},
		MinimumCalls: minimumCalls,
		FailureRate:  50,
		Open: breaker.OpenConfig{
			Wait:   s.scaled(episodeWait),
			Factor: episodeFactor,
			Jitter: episodeJitter,
		},
		HalfOpen: breaker.HalfOpenConfig{Probes: 1},
	}, breaker.WithListener(event.Func(e.tell)))
	if err != nil {
		return err
	}
	if err := s.client.setHealthy(ctx, true); err != nil {
		return err
	}
	before := s.service.Requests()
	e.begin = time.Now()
	e.line = s.progress()
	defer e.line.stop()

	if err := e.outage(ctx); err != nil {
		return err
	}
	e.line.stop()

	e.ledger.Made = s.service.Requests() - before
	e.ledger.SparedTime = Seconds(e.ledger.Spared) * Seconds(s.scaled(hang))
	a.Ledger = &e.ledger
	a.Events = e.stock.Events()
	e.printLedger()
	e.judge(a)
	return nil
}

// outage is the script: well, down, recovering.
func (e *episode) outage(ctx context.Context) error {
	for range wellCalls {
		if err := e.measure(ctx); err != nil {
			return err
		}
	}
	if err := e.client.setHealthy(ctx, false); err != nil {
		return err
	}
	e.note(term.Bad, "the service fails")
	for range episodeWindow {
		if err := e.measure(ctx); err != nil {
			return err
		}
		if e.stock.State() != breaker.Closed {
			break
		}
	}
	if err := e.untilProbed(ctx, false); err != nil {
		return err
	}
	if err := e.untilProbed(ctx, true); err != nil {
		return err
	}
	for range lateCalls {
		if err := e.measure(ctx); err != nil {
			return err
		}
	}
	return nil
}

// call makes one call and enters it into the ledger.
func (e *episode) call(ctx context.Context) (result, error) {
	e.calls++
	r := e.client.through(ctx, e.stock, sku)
	if r.refused() {
		e.ledger.Spared++
	} else {
		e.ledger.Waited += Seconds(r.took)
	}
	return r, ctx.Err()
}

// measure makes one call and says what the breaker now knows. The call that trips
// it is told by the event.
func (e *episode) measure(ctx context.Context) error {
	e.line.set("call %d", e.calls+1)
	r, err := e.call(ctx)
	if err != nil {
		return err
	}
	if e.stock.State() == breaker.Closed {
		n := e.stock.Snapshot().Numbers
		knows := fmt.Sprintf("%d of %d calls seen, too few to judge", n.Calls, n.Minimum)
		if rate, ok := n.FailureRate(); ok {
			knows = fmt.Sprintf("failure rate %.0f %%, %d of %d", rate, n.Failed, n.Calls)
		}
		e.note(term.Plain, fmt.Sprintf("call %-3d  %-12s  %s", e.calls, r.outcome(), e.screen.Paint(term.Quiet, knows)))
	}
	return sleep(ctx, e.scaled(episodePause))
}

// untilProbed calls an open breaker again and again until it lets a call
// through: the probe. The refusals say when that will be. If recovered is set the
// service recovers just before.
func (e *episode) untilProbed(ctx context.Context, recovered bool) error {
	ready := !recovered
	for refusals := 0; ; refusals++ {
		r, err := e.call(ctx)
		if err != nil {
			return err
		}
		if !r.refused() {
			if refusals == 0 || !ready {
				return errStalled
			}
			return nil
		}
		e.line.set("%d calls refused so far; the last: %s", refusals+1, r.outcome())
		wait, _ := switchgear.RetryAfter(r.err)
		next := e.scaled(episodePause)
		if wait <= next {
			next = wait
			if !ready {
				if err := e.client.setHealthy(ctx, true); err != nil {
					return err
				}
				ready = true
				e.note(term.Good, "the service recovers")
			}
		}
		if err := sleep(ctx, next); err != nil {
			return err
		}
	}
}

// note prints a line of the story with the time.
func (e *episode) note(style term.Style, text string) {
	e.say("%6.2f s  %s", time.Since(e.begin).Seconds(), e.screen.Paint(style, text))
}

// tell is the breaker's listener: it prints each change of state.
func (e *episode) tell(ev event.Event) {
	change, ok := ev.Detail.(*breaker.Change)
	if !ok || ev.Kind != event.Transition {
		return
	}
	from, to := strings.ToLower(ev.From), strings.ToLower(ev.To)
	e.note(term.Plain, fmt.Sprintf("call %-3d  %s → %s", e.calls, e.state(from, 0), e.state(to, 0)))
	more := func(head, text string) { e.para(term.Quiet, strings.Repeat(" ", 24)+head, text) }
	switch trip := change.Trip; {
	case trip != nil:
		more("rule  ", string(trip.Rule))
		more("why   ", trip.Text())
		more("wait  ", e.explain(trip))
	case to == "half_open":
		more("", fmt.Sprintf("%d calls were refused; this one may pass, as a probe", change.Refused))
	case to == "closed":
		more("", "the probe succeeded")
	}
}

// explain says how the wait that follows a trip comes about.
func (e *episode) explain(t *breaker.Trip) string {
	wait := e.scaled(episodeWait)
	text := span(wait)
	for range t.Retrips {
		wait *= episodeFactor
		text = fmt.Sprintf("%d × %s", episodeFactor, text)
	}
	drift := (float64(t.Wait)/float64(wait) - 1) * 100
	return fmt.Sprintf("%s = %s %+.1f %% by chance", span(t.Wait), text, drift)
}

func (e *episode) printLedger() {
	e.gap()
	l := e.ledger
	for _, row := range []struct {
		label, value, remark string
	}{
		{"calls made", fmt.Sprint(l.Made), "they reached the service"},
		{"calls spared", fmt.Sprint(l.Spared), "refused at once"},
		{"time spent waiting", span(time.Duration(l.Waited)), "by the calls made"},
		{"time spared", span(time.Duration(l.SparedTime)), fmt.Sprintf("%d × %s", l.Spared, span(e.scaled(hang)))},
	} {
		e.say("%-20s %8s   %s", row.label, row.value, e.screen.Paint(term.Quiet, row.remark))
	}
}

// judge compares the story with the script.
func (e *episode) judge(a *Act) {
	var states []string
	var trips []*breaker.Trip
	var lasted []time.Duration // of the open periods
	spared := 0
	for _, ev := range transitions(e.stock) {
		states = append(states, strings.ToLower(ev.To))
		change := ev.Detail.(*breaker.Change)
		spared += int(change.Refused)
		if change.Trip != nil {
			trips = append(trips, change.Trip)
		}
		if ev.From == breaker.Open.String() {
			lasted = append(lasted, change.Lasted)
		}
	}
	const failures = 4 // of 8 calls: half of them
	made := wellCalls + failures + 2 + lateCalls
	a.list("states", "states entered, in order", []string{"open", "half_open", "open", "half_open", "closed"}, states)
	a.count("calls_made", "calls made", made, e.ledger.Made)
	a.count("calls_spared", "calls spared, by the events", e.calls-made, spared)
	a.atLeast("rejected", "refused, seen by the caller", 2, e.ledger.Spared)
	if len(trips) != 2 || len(lasted) != 2 {
		a.count("trips", "trips", 2, len(trips))
		return
	}
	a.word("rule", "rule that opened it", string(breaker.RuleFailureRate), string(trips[0].Rule))
	for i, name := range []string{"first", "second"} {
		wait := e.scaled(episodeWait)
		if i > 0 {
			wait *= episodeFactor
		}
		spread := wait * episodeJitter / 100
		a.drawn(name+"_wait_s", name+" wait, as drawn", wait-spread, wait+spread, trips[i].Wait)
		a.time(name+"_open_s", name+" wait, as kept", trips[i].Wait, crowdSlack, lasted[i])
	}
	a.time("waited_s", "time spent waiting", (failures+1)*e.scaled(hang), protectedSlack, time.Duration(e.ledger.Waited))
}
