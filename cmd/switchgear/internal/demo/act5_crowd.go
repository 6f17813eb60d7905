package demo

import (
	"context"
	"sync"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/cmd/switchgear/internal/term"
)

const (
	crowdScene = `The wait of an open breaker is over, the service is still down, and ten
callers arrive at the same time.`
	crowdLook = `how many get through: as many as probes are allowed, and not one more. The
others are not kept waiting.`
)

const (
	crowd      = 10                     // callers
	crowdSlack = 100 * time.Millisecond // see naiveSlack
)

func (s *show) playCrowd(ctx context.Context, a *Act) error {
	if err := s.client.setHealthy(ctx, false); err != nil {
		return err
	}
	p := s.progress()
	defer p.stop()
	for _, c := range []struct {
		name, label, row string
		probes           int
	}{
		{"guarded", "one probe: ", "one probe allowed   ", 1},
		{"unguarded", "ten probes: ", "ten probes allowed  ", crowd},
	} {
		p.set("%s", c.row)
		got, err := s.arriveTogether(ctx, c.probes)
		if err != nil {
			return err
		}
		s.say("%s%s  %d sent, %d refused, %s", c.row, s.row(term.Bad, got.reached, got.refused),
			got.reached, got.refused, span(got.wall))
		a.count(c.name+"_real_calls", c.label+"reached the service", c.probes, got.reached)
		a.count(c.name+"_rejected", c.label+"refused", crowd-c.probes, got.refused)
		a.time(c.name+"_wall_s", c.label+"time until all are back", s.scaled(hang), crowdSlack, got.wall)
	}
	p.stop()
	return nil
}

// arrival is how a crowd fared.
type arrival struct {
	reached, refused int
	wall             time.Duration
}

// arriveTogether opens a breaker, waits until it would probe, and lets ten
// callers go at once.
func (s *show) arriveTogether(ctx context.Context, probes int) (arrival, error) {
	stock, err := breaker.New("stock", breaker.Config{
		FailureRate:         switchgear.Off,
		ConsecutiveFailures: 1,
		Open: breaker.OpenConfig{
			Wait:   s.scaled(time.Second),
			Jitter: switchgear.Off,
			// A caller that a busy machine holds up until the probe has failed
			// should meet an open breaker, not a second chance.
			Factor: 100, MaxWait: s.scaled(100 * time.Second),
		},
		HalfOpen: breaker.HalfOpenConfig{Probes: probes, ProbeLimit: 10 * s.scaled(hang)},
	})
	if err != nil {
		return arrival{}, err
	}
	s.client.through(ctx, stock, sku) // opens it
	if err := sleep(ctx, s.scaled(1100*time.Millisecond)); err != nil {
		return arrival{}, err
	}

	before := s.service.Requests()
	var (
		start   = make(chan struct{})
		callers sync.WaitGroup
		results [crowd]result
	)
	for i := range results {
		callers.Go(func() {
			<-start
			results[i] = s.client.through(ctx, stock, sku)
		})
	}
	begin := time.Now()
	close(start)
	callers.Wait()
	got := arrival{reached: s.service.Requests() - before, wall: time.Since(begin)}
	for _, r := range results {
		if r.refused() {
			got.refused++
		}
	}
	return got, ctx.Err()
}
