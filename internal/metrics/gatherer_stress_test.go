package metrics

import (
	"fmt"
	"sync"
	"testing"
)

// Several scrapes at once while entries come, go and count. The others' counter, seen by
// one scraper after the other, never falls, and no name is there twice.
func TestGatherersAtOnce(t *testing.T) {
	var s source
	g := NewGatherer(&s, List(), 5)
	rounds := 300
	if testing.Short() {
		rounds = 60
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range rounds {
			fail(s.add(fmt.Sprint("x", i%17)), 1)
			if i > 20 {
				s.remove(i % 20)
			}
		}
	}()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			last := 0.0
			for {
				now := failures(t, g.Gather())[Other]
				if now < last {
					t.Errorf("the others' counter has fallen from %v to %v", last, now)
				}
				last = now
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	wg.Wait()
	total := 0.0
	for _, v := range failures(t, g.Gather()) {
		total += v
	}
	if total == 0 {
		t.Error("nothing was counted")
	}
}
