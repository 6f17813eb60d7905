package demo

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/cmd/switchgear/internal/term"
)

const (
	protectedScene = `The same 20 requests, now through a breaker that opens after 3 failures
in a row.`
	protectedLook = `the time again, how few requests reach the service, and what a caller
gets instead of an answer: the last known stock, and a word on where it comes from.`
)

const (
	protectedSlack = 100 * time.Millisecond // see naiveSlack
	refusalLimit   = 10 * time.Millisecond  // for one refused call, on a bad day

	// The bands of the quotient of the two times.
	leastSaved = 6.3
	mostSaved  = 6.8
)

// streakConfig is the breaker of acts 2 to 4: so many failures in a row open it,
// and it waits for exactly as long as is said.
func streakConfig(failures int, wait time.Duration) breaker.Config {
	return breaker.Config{
		FailureRate:         switchgear.Off,
		ConsecutiveFailures: failures,
		Open:                breaker.OpenConfig{Wait: wait, Jitter: switchgear.Off},
		HalfOpen:            breaker.HalfOpenConfig{Probes: 1},
	}
}

func (s *show) playProtected(ctx context.Context, a *Act) error {
	stock, err := breaker.New("stock", streakConfig(threshold, s.scaled(8*time.Second)))
	if err != nil {
		return err
	}
	// Before the outage everything was well, and the client remembers.
	if err := s.client.setHealthy(ctx, true); err != nil {
		return err
	}
	lastKnown := s.client.direct(ctx, sku)
	if lastKnown.err != nil {
		return lastKnown.err
	}
	if err := s.client.setHealthy(ctx, false); err != nil {
		return err
	}

	// ask is what an application would have: the stock, or else the fallback.
	ask := func() (item, result) {
		r := s.client.through(ctx, stock, sku)
		if r.err == nil {
			return r.item, r
		}
		answer := lastKnown.item
		answer.Source = "fallback: last known"
		return answer, r
	}

	p := s.progress()
	defer p.stop()
	before := s.service.Requests()
	begin := time.Now()
	var (
		answer          item
		last            result
		nRefused, spare int
		slowest         time.Duration
	)
	for i := range calls {
		p.set("%s call %d of %d", strings.Repeat(sent, i), i+1, calls)
		answer, last = ask()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if strings.HasPrefix(answer.Source, "fallback") {
			spare++
		}
		if last.refused() {
			nRefused++
			slowest = max(slowest, last.took)
		}
	}
	wall := time.Since(begin)
	p.stop()
	if nRefused != calls-threshold && intervalOver(stock) {
		return errStalled
	}

	reached := s.service.Requests() - before
	naive, than := s.naive, "act 1"
	if naive == 0 { // it was not played
		naive, than = calls*s.scaled(hang), "20 hanging requests"
	} else {
		s.say("without a breaker  %s  %s", s.row(term.Bad, calls, 0), span(naive))
	}
	s.say("with a breaker     %s  %s", s.row(term.Bad, reached, nRefused), span(wall))
	s.say("%s", s.screen.Paint(term.Quiet, sent+" sent, and failed after a wait   "+refused+" refused at once, not sent"))
	s.gap()
	s.say("What the last caller gets:")
	if last.err != nil {
		s.para(term.Quiet, "    error   ", last.err.Error())
	}
	if text, err := json.Marshal(answer); err == nil {
		s.para(term.Quiet, "    answer  ", string(text))
	}

	a.count("real_calls", "reached the service", threshold, reached)
	a.count("rejected", "refused", calls-threshold, nRefused)
	a.count("fallback", "answered by the fallback", calls, spare)
	a.time("wall_s", "time spent", threshold*s.scaled(hang), protectedSlack, wall)
	a.atMost("slowest_rejection_s", "slowest refusal", refusalLimit, slowest)
	a.ratio("ratio", "times shorter than "+than, leastSaved, mostSaved, naive.Seconds()/wall.Seconds())
	return nil
}

// intervalOver reports whether the wait that followed the breaker's first trip
// is over, by the clock alone.
func intervalOver(b *breaker.Breaker) bool {
	for _, e := range transitions(b) {
		if trip := e.Detail.(*breaker.Change).Trip; trip != nil {
			return time.Since(trip.Time) >= trip.Wait
		}
	}
	return false
}
