package inject_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/inject"
)

const callers = 8

// Calls, orders and readers at the same time. What callers saw is what was counted,
// and the events alternate.
func TestStressSwitch(t *testing.T) {
	var heard []event.Event
	i := inject.Must(inject.New("stock", inject.Config{Faults: []inject.Fault{
		{Kind: inject.Latency, Probability: 30, Delay: 1},
		{Kind: inject.Failure, Probability: 30, Keys: []string{"a"}},
		{Kind: inject.Panic, Probability: 10},
	}}, inject.WithListener(event.Func(func(e event.Event) { heard = append(heard, e) }))))
	var failed, panicked atomic.Uint64
	var wg sync.WaitGroup
	for c := range callers {
		ctx := inject.WithKey(context.Background(), string(rune('a'+c%2)))
		wg.Go(func() {
			for n := range 500 {
				once(ctx, i, &failed, &panicked)
				s := i.Snapshot()
				if k := s.Counters; k.Disturbed > k.Calls || k.Failed+k.Panicked > k.Disturbed || k.Delayed > k.Disturbed {
					t.Errorf("counters: %+v", k)
					return
				}
				switch {
				case n%50 == c:
					if err := i.Enable("ana", "test", time.Hour); err != nil {
						t.Error(err)
					}
				case n%50 == 20+c:
					i.Disable("bo", "")
				}
			}
		})
	}
	wg.Wait()
	i.Disable("bo", "")
	k := i.Counters()
	equal(t, "failed", k.Failed, failed.Load())
	equal(t, "panicked", k.Panicked, panicked.Load())
	state := "OFF"
	for _, e := range heard {
		equal(t, "from", e.From, state)
		equal(t, "renewed", e.Kind == event.Renewed, e.From == e.To)
		state = e.To
	}
	equal(t, "state at the end", state, "OFF")
}

func once(ctx context.Context, i *inject.Injector, failed, panicked *atomic.Uint64) {
	defer func() {
		if recover() != nil {
			panicked.Add(1)
		}
	}()
	if _, err := call(ctx, i); errors.Is(err, inject.ErrInjected) {
		failed.Add(1)
	}
}

// K72 under concurrency: whoever makes them, the same numbers of calls are struck.
func TestStressSeed(t *testing.T) {
	const each = 2000
	count := func(parallel int) (n uint64) {
		i := inject.Must(inject.New("stock", inject.Config{Seed: 3, Faults: []inject.Fault{{Kind: inject.Failure, Probability: 50}}}))
		if err := i.Enable("ana", "test", time.Hour); err != nil {
			t.Fatal(err)
		}
		defer i.Disable("ana", "")
		var wg sync.WaitGroup
		for range parallel {
			wg.Go(func() {
				for range each * callers / parallel {
					i.Draw(context.Background())
				}
			})
		}
		wg.Wait()
		return i.Counters().Failed
	}
	equal(t, "K72: struck, in parallel and one after the other", count(callers), count(1))
}
