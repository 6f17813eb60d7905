package sgprom_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/sgprom"
)

// Scrapes at once, while entries and timers come, go and count: no scrape fails.
func TestScrapesUnderChurn(t *testing.T) {
	var s source
	l := latency(t, sgprom.LatencyConfig{MaxNames: 5})
	r := prometheus.NewPedanticRegistry()
	r.MustRegister(l, must(t, &s, sgprom.Config{MaxNames: 5}, sgprom.WithResilience4j(l)))
	rounds := 400
	if testing.Short() {
		rounds = 80
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for {
				if _, err := r.Gather(); err != nil {
					t.Error(err)
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	kept := []*sgprom.Timer{l.Timer("x3"), l.Timer("x4")} // by functions that were wrapped once
	for _, timer := range kept {
		wg.Go(func() {
			for {
				timer.Observe(1, switchgear.Failure)
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for i := range rounds {
		name := fmt.Sprint("x", i%11)
		fail(s.add(name), 1)
		l.Timer(name).Observe(1, switchgear.Success)
		if i > 8 {
			s.remove(i % 8)
			l.Forget(fmt.Sprint("x", (i+3)%11))
		}
	}
	close(done)
	wg.Wait()
	for i := range 11 {
		l.Forget(fmt.Sprint("x", i))
	}
	kept[0].Observe(1, switchgear.Failure)
	equal(t, "the only observation of a kept timer", histogram(t, l, "x3", "failure").GetSampleCount(), 1)
	if _, err := r.Gather(); err != nil {
		t.Error(err)
	}
}
