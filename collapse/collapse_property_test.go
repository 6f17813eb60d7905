package collapse_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/switchgear-go/switchgear/collapse"
)

// The model of a group: a list of flights, each a list of places, and loops.
type plainFlight struct {
	id                         int
	key                        string
	joinable, ended, abandoned bool
	places                     []*plainPlace // those that have not left; those with a callback in the order of Wait
	stops                      int           // how often the leader should have been told to stop
	value                      int
	shared                     bool
}

type plainPlace struct {
	flight  *plainFlight
	real    *collapse.Place[string, int]
	left    bool
	waits   bool
	results []string // what the callback got
	want    []string // what it should have
}

func TestModel(t *testing.T) {
	for seed := range uint64(scale(600, 60)) {
		r := rand.New(rand.NewPCG(seed, 1))
		maxKeys := 1 + r.IntN(4)
		g := collapse.Must(collapse.New[string, int]("items", collapse.Config{MaxKeys: maxKeys}))
		var flights []*plainFlight
		var places []*plainPlace
		var total collapse.Counters
		stops := map[*plainFlight]int{}
		var order, wantOrder []string // of callbacks

		listed := func() (n int) {
			for _, f := range flights {
				if f.joinable {
					n++
				}
			}
			return n
		}
		for step := range 150 {
			key := string(rune('a' + r.IntN(5)))
			var p *plainPlace
			if len(places) > 0 {
				p = places[r.IntN(len(places))]
			}
			switch op := r.IntN(10); {
			case op < 3 || p == nil: // Join
				real, leader := g.Join(key)
				var f *plainFlight
				for _, each := range flights {
					if each.joinable && each.key == key {
						f = each
					}
				}
				if leader != (f == nil) {
					t.Fatalf("seed %d, step %d: leader %v, want %v", seed, step, leader, f == nil)
				}
				if f == nil {
					f = &plainFlight{key: key, joinable: listed() < maxKeys, id: len(flights)}
					flights = append(flights, f)
					total.Started++
					if !f.joinable {
						total.Uncollapsed++
					}
					real.OnAbandoned(func() { stops[f]++ })
				} else {
					total.Joined++
				}
				p = &plainPlace{flight: f, real: real}
				f.places = append(f.places, p)
				places = append(places, p)
			case op < 6: // Wait
				name := fmt.Sprint(len(order), "/", step)
				p.real.Wait(func(v int, shared bool, err error) {
					p.results = append(p.results, fmt.Sprint(v, shared, err))
					order = append(order, name)
				})
				switch f := p.flight; {
				case p.left || p.waits && !f.ended:
					// Replaced: the order stays; the name is the newer one.
					if p.waits && !p.left {
						p.want = []string{name}
					}
				case f.ended:
					wantOrder = append(wantOrder, name)
				default:
					p.waits, p.want = true, []string{name}
					// Behind all that wait already.
					f.places = slices.DeleteFunc(f.places, func(q *plainPlace) bool { return q == p })
					f.places = append(f.places, p)
				}
			case op < 8: // Leave
				f := p.flight
				want := !p.left && !f.ended
				if got := p.real.Leave(); got != want {
					t.Fatalf("seed %d, step %d: Leave %v, want %v", seed, step, got, want)
				}
				if want {
					p.left = true
					total.Left++
					f.places = slices.DeleteFunc(f.places, func(q *plainPlace) bool { return q == p })
					if len(f.places) == 0 {
						f.abandoned, f.joinable = true, false
						f.stops++
						total.Abandoned++
					}
				}
			case op < 9: // Finish
				f := p.flight
				if got := p.real.Finish(step, nil); got != !f.ended {
					t.Fatalf("seed %d, step %d: Finish %v, want %v", seed, step, got, !f.ended)
				}
				if !f.ended {
					f.ended, f.joinable, f.value = true, false, step
					f.shared = len(f.places) > 1
					for _, q := range f.places {
						if q.waits {
							wantOrder = append(wantOrder, q.want...)
						}
					}
				}
			default: // Forget
				want := false
				for _, f := range flights {
					if f.joinable && f.key == key {
						f.joinable, want = false, true
					}
				}
				if got := g.Forget(key); got != want {
					t.Fatalf("seed %d, step %d: Forget %v, want %v", seed, step, got, want)
				}
			}

			want := collapse.Snapshot{Keys: listed()}
			for _, f := range flights {
				if stops[f] != f.stops {
					t.Fatalf("seed %d, step %d: flight %d stopped %d times, want %d", seed, step, f.id, stops[f], f.stops)
				}
				if f.ended {
					continue
				}
				want.Running++
				want.Waiting += len(f.places)
				if f.abandoned {
					want.Abandoned++
				}
			}
			if got := g.Snapshot(); got != want {
				t.Fatalf("seed %d, step %d: snapshot %+v, want %+v", seed, step, got, want)
			}
			if got := g.Counters(); got != total {
				t.Fatalf("seed %d, step %d: counters %+v, want %+v", seed, step, got, total)
			}
			if !slices.Equal(order, wantOrder) {
				t.Fatalf("seed %d, step %d: callbacks %v, want %v", seed, step, order, wantOrder)
			}
		}
		for _, p := range places {
			for _, got := range p.results {
				if want := fmt.Sprint(p.flight.value, p.flight.shared, nil); got != want {
					t.Fatalf("seed %d: a callback got %s, want %s", seed, got, want)
				}
			}
		}
	}
}
