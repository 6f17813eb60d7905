package pipeline_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/hedge"
	"github.com/switchgear-go/switchgear/pipeline"
)

func TestOrdersOfPresets(t *testing.T) {
	for order, cfg := range map[string]pipeline.Config{
		"Total Retry Breaker Bulkhead Attempt":          pipeline.Interactive(),
		"Total Retry Hedge Breaker Bulkhead Attempt":    pipeline.LowLatency(),
		"Breaker Bulkhead Attempt":                      pipeline.Write(),
		"Total Throttle Retry Breaker Bulkhead Attempt": pipeline.Batch(),
		"Breaker Attempt":                               pipeline.Probe(),
	} {
		equal(t, "order", strings.Join(must(t, cfg).Order(), " "), order)
	}
}

// What the presets promise, in virtual time.
func TestPresetsKeepTheirPromises(t *testing.T) {
	hang := func(ctx context.Context) error { return take(ctx, time.Hour) }
	inBubble(t, "Interactive: three seconds in all", func(t *testing.T) {
		p := must(t, pipeline.Interactive())
		began := time.Now()
		matches(t, "error", p.Do(background, hang), context.DeadlineExceeded)
		if took := time.Since(began); took < time.Second || took > 3*time.Second {
			t.Errorf("took %v", took)
		}
	})
	inBubble(t, "LowLatency: what is marked safe is made twice", func(t *testing.T) {
		for _, safe := range []bool{false, true} {
			p := must(t, pipeline.LowLatency())
			var attempts atomic.Int64
			ctx, want := background, 1
			if safe {
				ctx, want = hedge.Safe(ctx), 2
			}
			equal(t, "error", p.Do(ctx, func(ctx context.Context) error { attempts.Add(1); return take(ctx, 300*ms) }), nil)
			synctest.Wait()
			equal(t, "attempts", int(attempts.Load()), want)
		}
	})
	inBubble(t, "Write: nothing is made twice", func(t *testing.T) {
		p := must(t, pipeline.Write())
		attempts := 0
		began := time.Now()
		_ = p.Do(hedge.Safe(background), func(ctx context.Context) error { attempts++; return hang(ctx) })
		equal(t, "attempts", attempts, 1)
		equal(t, "time", time.Since(began), 10*time.Second)
	})
	inBubble(t, "Batch: waits for an open breaker", func(t *testing.T) {
		p := must(t, pipeline.Batch())
		equal(t, "opened", p.Breaker().Move(breaker.Move{To: breaker.Open, Reason: "test"}), nil)
		began := time.Now()
		equal(t, "error", p.Do(background, nothing), nil)
		if took := time.Since(began); took < 20*time.Second || took > time.Minute {
			t.Errorf("waited %v", took)
		}
	})
	inBubble(t, "Probe: down after three failures, up again by a good answer", func(t *testing.T) {
		p := must(t, pipeline.Probe())
		for range 3 {
			equal(t, "state", p.Breaker().State(), breaker.Closed)
			_ = p.Do(background, func(context.Context) error { return errDown })
		}
		equal(t, "state", p.Breaker().State(), breaker.Open)
		time.Sleep(10 * time.Second)
		for range p.Breaker().Config().HalfOpen.Probes {
			equal(t, "error", p.Do(background, nothing), nil)
		}
		equal(t, "state", p.Breaker().State(), breaker.Closed)
	})
}
