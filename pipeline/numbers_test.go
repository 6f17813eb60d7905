package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/backoff"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/pipeline"
	"github.com/switchgear-go/switchgear/retry"
	"github.com/switchgear-go/switchgear/timeout"
)

// The page on the order of a pipeline compares orders with numbers. They are computed
// here, and the page must show the same.

const orderPage = "../docs/pipeline.md"

// A trouble is an outage: from second 20 to second 40 of a minute, a share of the
// attempts fails.
type trouble struct {
	name  string
	share float64
}

var troubles = []trouble{
	{"all attempts fail", 1},
	{"60 % of the attempts fail", 0.6},
	{"30 % of the attempts fail", 0.3},
}

var orders = []struct {
	name   string
	change func(*pipeline.Config)
}{
	{"retry, no breaker", func(c *pipeline.Config) { c.Breaker = nil }},
	{"retry outside the breaker", func(*pipeline.Config) {}},
	{"retry inside the breaker", func(c *pipeline.Config) { c.RetryInsideBreaker = true }},
}

// experiment is what all orders have in common: everything that is left to chance is
// off, except for which attempts fail.
func experiment() pipeline.Config {
	return pipeline.Config{
		Total: &timeout.Config{Limit: 2 * time.Second},
		Retry: &retry.Config{Attempts: 3, Backoff: backoff.Config{Initial: 50 * time.Millisecond, Jitter: backoff.None}},
		Breaker: &breaker.Config{
			Window: breaker.WindowConfig{Length: 10 * time.Second}, MinimumCalls: 20,
			Open: breaker.OpenConfig{Wait: 5 * time.Second, Jitter: switchgear.Off},
		},
		Attempt: &timeout.Config{Limit: 500 * time.Millisecond},
	}
}

// figures are what one run measures, of the calls that began during the trouble.
type figures struct {
	calls, good, attempts int
	tripped               time.Duration // after the beginning of the trouble; 0 is never
	recovered             time.Duration // first good call after its end
}

func run(t *testing.T, cfg pipeline.Config, share float64) (f figures) {
	synctest.Test(t, func(t *testing.T) {
		const rate, begin, end, whole = 20, 20 * time.Second, 40 * time.Second, time.Minute
		p := pipeline.Must(pipeline.New("stock", cfg))
		origin := time.Now()
		chance := rand.New(rand.NewPCG(7, 11))
		var mu sync.Mutex
		attempt := func(ctx context.Context) error {
			mu.Lock()
			now := time.Since(origin)
			trouble := now >= begin && now < end
			fails := trouble && chance.Float64() < share
			if trouble {
				f.attempts++
			}
			mu.Unlock()
			select {
			case <-time.After(20 * time.Millisecond):
			case <-ctx.Done():
				return ctx.Err()
			}
			if fails {
				return errors.New("internal error")
			}
			return nil
		}
		var calls sync.WaitGroup
		for i := range rate * int(whole/time.Second) {
			calls.Go(func() {
				// No two instants coincide, so that nothing is left to the scheduler.
				time.Sleep(time.Duration(i) * (time.Second/rate + 13*time.Microsecond))
				began := time.Since(origin)
				err := p.Do(context.Background(), attempt)
				mu.Lock()
				defer mu.Unlock()
				now := time.Since(origin)
				if began >= begin && began < end {
					f.calls++
					if err == nil {
						f.good++
					}
				}
				if b := p.Breaker(); b != nil && f.tripped == 0 && b.State() == breaker.Open {
					f.tripped = now - begin
				}
				if err == nil && f.recovered == 0 && now >= end {
					f.recovered = now - end
				}
			})
		}
		calls.Wait()
	})
	return f
}

func (f figures) row(name string) string {
	tripped := "never"
	if f.tripped > 0 {
		tripped = fmt.Sprintf("%.1f s", f.tripped.Seconds())
	}
	return fmt.Sprintf("| %s | %d | %.0f %% | %s | %.1f s |", name, f.attempts, 100*float64(f.good)/float64(f.calls), tripped, f.recovered.Seconds())
}

func TestOrderPageShowsTheNumbers(t *testing.T) {
	page, err := os.ReadFile(orderPage)
	if err != nil {
		t.Fatal(err)
	}
	for _, trouble := range troubles {
		for _, order := range orders {
			cfg := experiment()
			order.change(&cfg)
			row := run(t, cfg, trouble.share).row(order.name)
			t.Logf("%s: %s", trouble.name, row)
			if !strings.Contains(string(page), row) {
				t.Errorf("%s, %s: the page does not have the row\n%s", orderPage, trouble.name, row)
			}
		}
	}
}
