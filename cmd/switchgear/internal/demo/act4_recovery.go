package demo

import (
	"context"
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/cmd/switchgear/internal/term"
)

const (
	recoveryScene = `12 requests, with a pause between them. The breaker opens at the third.
The service recovers before the sixth, and nobody tells the breaker.`
	recoveryLook = `the states. An open breaker whose wait is over is shown as half_open: the
next request is the probe that decides.`
)

const (
	recoveryCalls = 12
	healedBefore  = 6 // the request, counted from 1
)

// step is one request of the script: how the breaker should stand before and
// after it, and when it should end.
type step struct {
	before, after string
	end           time.Duration
}

// recovery returns the script.
func (s *show) recovery() (script []step) {
	states := [healedBefore][2]string{
		{"closed", "closed"}, {"closed", "closed"}, {"closed", "open"},
		{"open", "open"}, {"open", "open"}, {"half_open", "closed"},
	}
	var now time.Duration
	for i := range recoveryCalls {
		st := step{before: "closed", after: "closed"}
		if i < len(states) {
			st.before, st.after = states[i][0], states[i][1]
		}
		if i < threshold {
			now += s.scaled(hang)
		}
		st.end = now
		now += s.scaled(pause)
		script = append(script, st)
	}
	return script
}

// recoverySlack is how late request i, counted from 0, may end.
func recoverySlack(i int) time.Duration { return time.Duration(i+1) * 30 * time.Millisecond }

func (s *show) playRecovery(ctx context.Context, a *Act) error {
	stock, err := breaker.New("stock", streakConfig(threshold, s.scaled(4*time.Second)))
	if err != nil {
		return err
	}
	if err := s.client.setHealthy(ctx, false); err != nil {
		return err
	}
	p := s.progress()
	defer p.stop()
	s.say("%s", s.screen.Paint(term.Quiet,
		fmt.Sprintf("%2s  %-9s  %-9s  %8s  %8s  %8s", "#", "before", "after", "took", "ended at", "expected")))

	served := s.service.Requests()
	begin := time.Now()
	var (
		before, after, wantBefore, wantAfter []string
		ends, wantEnds                       []time.Duration
		nRefused, succeeded                  int
	)
	for i, want := range s.recovery() {
		if i > 0 {
			p.set("a pause before request %d of %d", i+1, recoveryCalls)
			if err := sleep(ctx, s.scaled(pause)); err != nil {
				return err
			}
		}
		if i+1 == healedBefore {
			if err := s.client.setHealthy(ctx, true); err != nil {
				return err
			}
			s.say("%s", s.screen.Paint(term.Good, "    the service recovers"))
		}
		p.set("request %d of %d", i+1, recoveryCalls)
		r := Request{Number: i + 1, Before: stateBefore(stock)}
		got := s.client.through(ctx, stock, sku)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		end := time.Since(begin)
		r.After, r.Outcome = stateName(stock.State()), got.outcome()
		r.Took, r.End = Seconds(got.took), Seconds(end)
		if want.before == "open" && (r.Before != "open" || !got.refused()) && intervalOver(stock) {
			return errStalled
		}
		a.Requests = append(a.Requests, r)
		s.say("%2d  %s  %s  %8s  %6.3f s  %6.3f s  %s", r.Number, s.state(r.Before, 9), s.state(r.After, 9),
			span(got.took), end.Seconds(), want.end.Seconds(), r.Outcome)

		before, wantBefore = append(before, r.Before), append(wantBefore, want.before)
		after, wantAfter = append(after, r.After), append(wantAfter, want.after)
		ends, wantEnds = append(ends, end), append(wantEnds, want.end)
		if got.refused() {
			nRefused++
		} else if got.err == nil {
			succeeded++
		}
	}
	p.stop()

	a.list("state_before", "state before each request", wantBefore, before)
	a.list("state_after", "state after each request", wantAfter, after)
	a.count("real_calls", "reached the service", 10, s.service.Requests()-served)
	a.count("rejected", "refused", 2, nRefused)
	a.count("succeeded", "answered with the stock", 7, succeeded)
	a.times("end_times_s", "end of each request", wantEnds, recoverySlack, ends)
	return nil
}

// stateBefore is the state that the next call will meet: an open breaker whose
// wait is over is about to become half_open, and does so with that call.
func stateBefore(b *breaker.Breaker) string {
	snap := b.Snapshot()
	if snap.IntervalPassed {
		return stateName(breaker.HalfOpen)
	}
	return stateName(snap.State)
}
