package metrics

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/registry"
)

// Entries come, go, come back and count, at random. A naive model follows: it knows who
// has points of its own by asking, and checks that this never changes without need, that
// those points are exact, and that the others' counter has grown by what they counted.
func TestGathererAtRandom(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 64))
		var s source
		most := 1 + rng.IntN(6)
		g := NewGatherer(&s, List(), most)
		count := func(b *breaker.Breaker) float64 { return float64(b.Counters().Failed) }
		before := map[*breaker.Breaker]float64{} // what each had counted when it was seen last
		var away []registry.Entry
		own := map[string]*breaker.Breaker{}
		total := 0.0
		for step := range 60 {
			switch n := len(s.entries); {
			case n > 0 && rng.IntN(3) == 0:
				i := rng.IntN(n)
				away = append(away, s.entries[i])
				s.remove(i)
			case len(away) > 0 && rng.IntN(4) == 0: // one comes back, perhaps under another name
				i := rng.IntN(len(away))
				if rng.IntN(3) == 0 {
					away[i].Name = fmt.Sprint(rng.IntN(9))
				}
				s.entries = append(s.entries, away[i])
				away = slices.Delete(away, i, i+1)
			case n < 12 && rng.IntN(2) == 0:
				s.add(fmt.Sprint(rng.IntN(9)))
			case n > 0:
				fail(s.entries[rng.IntN(n)].Breaker, rng.IntN(3))
			}
			if rng.IntN(2) == 0 {
				rng.Shuffle(len(s.entries), func(i, j int) { s.entries[i], s.entries[j] = s.entries[j], s.entries[i] })
			}

			got := failures(t, g.Gather())
			at := fmt.Sprintf("seed %d step %d", seed, step)
			nowOwn := map[string]*breaker.Breaker{}
			distinct := map[string]bool{}
			for _, e := range s.entries {
				distinct[e.Name] = true
			}
			named := 0
			for name, v := range got {
				if name == Other {
					continue
				}
				named++
				i := slices.IndexFunc(s.entries, func(e registry.Entry) bool { return e.Name == name && g.names[name] == identify(e) })
				if i < 0 {
					t.Fatalf("%s: %s has points and is not there", at, name)
				}
				if v != count(s.entries[i].Breaker) {
					t.Fatalf("%s: %s has %v, want %v", at, name, v, count(s.entries[i].Breaker))
				}
				nowOwn[name] = s.entries[i].Breaker
			}
			if want := min(most, len(distinct)); named != want {
				t.Fatalf("%s: %d names of their own, want %d", at, named, want)
			}
			for name, b := range own {
				if nowOwn[name] != b && slices.ContainsFunc(s.entries, func(e registry.Entry) bool { return e.Name == name && e.Breaker == b }) {
					t.Fatalf("%s: %s has lost its points", at, name)
				}
			}
			for _, e := range s.entries {
				if nowOwn[e.Name] != e.Breaker {
					total += count(e.Breaker) - before[e.Breaker]
				}
				before[e.Breaker] = count(e.Breaker)
			}
			if got[Other] != total {
				t.Fatalf("%s: others have %v, want %v", at, got[Other], total)
			}
			own = nowOwn
		}
	}
}
