package adaptive

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
)

// Many goroutines call, and end their calls in every way there is, while the limit
// moves all the time. No call is ever admitted above Max, at rest nothing is running,
// and every call is in exactly one counter.
func TestStress(t *testing.T) {
	calls := 30_000
	if testing.Short() {
		calls = 3_000
	}
	for a := ByGradient; a <= ByAIMD; a++ {
		t.Run(a.String(), func(t *testing.T) {
			const goroutines, most = 16, 8
			l := Must(New("stock", Config{Algorithm: a, Initial: 4, Max: most, Window: single},
				WithListener(event.Func(func(event.Event) {}))))
			var inside, admitted, refused, over atomic.Int64
			var users sync.WaitGroup
			for g := range uint64(goroutines) {
				users.Go(func() {
					rng := rand.New(rand.NewPCG(g, 0))
					for range calls / goroutines {
						p, err := l.TryAcquire(Priority(rng.IntN(4)))
						if err != nil {
							refused.Add(1)
							if r, ok := errors.AsType[*Rejection](err); !ok || r.Running*100 < r.Limit*int(r.Share) {
								t.Errorf("refused in spite of room: %v", err)
							}
							continue
						}
						admitted.Add(1)
						if n := inside.Add(1); n > most {
							over.Store(n)
						}
						if rng.IntN(4) == 0 {
							runtime.Gosched()
						}
						inside.Add(-1)
						switch rng.IntN(20) {
						case 0:
							p.Dropped()
						case 1:
							p.Ignore()
						case 2:
							p.Release()
						default:
							p.Success()
						}
						p.Release()
					}
				})
			}
			stop := make(chan struct{})
			var reader sync.WaitGroup
			reader.Go(func() {
				var last Counters
				for {
					select {
					case <-stop:
						return
					default:
					}
					c, s := l.Counters(), l.Snapshot()
					if c.Admitted < last.Admitted || c.Succeeded < last.Succeeded || c.Rejected < last.Rejected {
						t.Errorf("counters went back from %+v to %+v", last, c)
					}
					if s.Limit < 1 || s.Limit > most || s.Running < 0 || s.Running > most {
						t.Errorf("impossible: %+v", s)
					}
					last = c
					runtime.Gosched()
				}
			})
			users.Wait()
			close(stop)
			reader.Wait()
			equal(t, "most calls at once, if more than Max", over.Load(), 0)
			equal(t, "running at rest", l.Running(), 0)
			c := l.Counters()
			equal(t, "admitted", c.Admitted, uint64(admitted.Load()))
			equal(t, "rejected", c.Rejected, uint64(refused.Load()))
			equal(t, "ended", c.Succeeded+c.Dropped+c.Ignored+c.Released, c.Admitted)
		})
	}
}

// The limit falls and rises while others ask. Each permit knows what was running when
// it was issued, itself included; with the limit never above n, that is never above n.
func TestStressAdmitsAgainstTheLimitInForce(t *testing.T) {
	l := Must(New("stock", Config{Algorithm: ByAIMD, Initial: 6, Max: 6, Window: single, AIMD: AIMDConfig{Backoff: 0.5}}, WithClock(clock.NewVirtual(start))))
	var users sync.WaitGroup
	for g := range 8 {
		users.Go(func() {
			for i := range 3_000 {
				before := l.state.Load()
				p, err := l.TryAcquire(Critical)
				if err != nil {
					continue
				}
				// Whatever happened meanwhile, the word that was swapped had room; if
				// nothing happened, it is the one seen before.
				if p.inFlight > 6 || limitOf(before) >= 1 && p.inFlight < 1 {
					t.Errorf("admitted as number %d", p.inFlight)
				}
				if (i+g)%3 == 0 {
					p.Dropped()
				} else {
					p.Success()
				}
			}
		})
	}
	users.Wait()
	equal(t, "running at rest", l.Running(), 0)
	within(t, "limit", l.Limit(), 1, 6)
}

func TestStressDo(t *testing.T) {
	l := Must(New("stock", Config{Initial: 3, Max: 3}))
	var users sync.WaitGroup
	for g := range 12 {
		users.Go(func() {
			for i := range 500 {
				func() {
					defer func() { _ = recover() }()
					_, _ = Do(WithPriority(context.Background(), Priority(g%3)), l, func(context.Context) (int, error) {
						switch i % 4 {
						case 0:
							return 0, errDown
						case 1:
							return 0, switchgear.MarkIgnored(errDown)
						case 2:
							panic("boom")
						}
						return 1, nil
					})
				}()
			}
		})
	}
	users.Wait()
	equal(t, "running at rest", l.Running(), 0)
}
