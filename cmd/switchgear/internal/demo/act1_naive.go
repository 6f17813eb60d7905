package demo

import (
	"context"
	"strings"
	"time"

	"github.com/switchgear-go/switchgear/cmd/switchgear/internal/term"
)

const (
	naiveScene = `The service is down. A client without a breaker makes 20 requests, one
after the other.`
	naiveLook = `the time: all of it is spent waiting for answers that never come.`
)

// naiveSlack is what 20 calls may take beyond the hang on a machine at rest.
const naiveSlack = 500 * time.Millisecond

func (s *show) playNaive(ctx context.Context, a *Act) error {
	if err := s.client.setHealthy(ctx, false); err != nil {
		return err
	}
	p := s.progress()
	defer p.stop()
	before := s.service.Requests()
	begin := time.Now()
	succeeded := 0
	for i := range calls {
		p.set("%s call %d of %d", strings.Repeat(sent, i), i+1, calls)
		r := s.client.direct(ctx, sku)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if r.err == nil {
			succeeded++
		}
	}
	s.naive = time.Since(begin)
	p.stop()

	s.say("without a breaker  %s  %s", s.row(term.Bad, calls, 0), span(s.naive))
	a.count("succeeded", "answered with the stock", 0, succeeded)
	a.count("failed", "failed", calls, calls-succeeded)
	a.count("real_calls", "reached the service", calls, s.service.Requests()-before)
	a.time("wall_s", "time spent", calls*s.scaled(hang), naiveSlack, s.naive)
	return nil
}
