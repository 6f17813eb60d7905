package explain_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/explain"
)

// Many breakers tell one detector and one ledger, while others read.
func TestStress(t *testing.T) {
	const breakers, rounds = 8, 50
	l := newLedger(t, explain.LedgerConfig{Names: breakers})
	var mu sync.Mutex
	flaps := map[string]int{}
	d, err := explain.NewFlapDetector(explain.FlapConfig{PerHour: 10}, explain.WithListener(event.Func(func(e event.Event) {
		mu.Lock()
		defer mu.Unlock()
		flaps[e.Name+" "+e.To]++
	})))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var all sync.WaitGroup
	for i := range breakers {
		r := newRig(t, fmt.Sprint(i), plain(), breaker.WithListener(l), breaker.WithListener(d))
		all.Go(func() {
			for range rounds {
				r.trip()
				r.calls(10, nil)
				r.clock.Advance(r.Config().Open.Wait)
				r.calls(3, nil)
				l.Book(r.Name())
				l.All()
				d.Flapping(r.Name())
			}
		})
	}
	all.Wait()
	for _, b := range l.All() {
		equal(t, "trips of "+b.Name, b.Trips, rounds)
		equal(t, "refused of "+b.Name, b.Refused, 10*rounds)
		equal(t, "recoveries of "+b.Name, b.Recoveries, rounds)
		equal(t, "flapping began", flaps[b.Name+" FLAPPING"], 1)
	}
	equal(t, "events", len(flaps), breakers)
}
