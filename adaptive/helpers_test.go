package adaptive

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
)

const ms = time.Millisecond

var start = time.Date(2030, time.May, 1, 12, 0, 0, 0, time.UTC)

var errDown = errors.New("connection refused")

func equal[T any](t testing.TB, what string, got, want T) {
	if !reflect.DeepEqual(got, want) {
		t.Helper()
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func within(t testing.TB, what string, got, least, most int) {
	if got < least || got > most {
		t.Helper()
		t.Errorf("%s: got %d, want from %d to %d", what, got, least, most)
	}
}

// single makes each call a step of its own.
var single = WindowConfig{Time: off}

// A rig is a limiter in virtual time together with what it told its listener.
type rig struct {
	*Limiter
	t     testing.TB
	clock *clock.Virtual
	heard []event.Event
}

func (r *rig) OnEvent(e event.Event) { r.heard = append(r.heard, e) }

func newRig(t testing.TB, cfg Config, opts ...Option) *rig {
	t.Helper()
	r := &rig{t: t, clock: clock.NewVirtual(start)}
	l, err := New("stock", cfg, append([]Option{
		WithClock(r.clock), WithListener(r), WithRandom(func() float64 { return 0.5 }),
	}, opts...)...)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	r.Limiter = l
	return r
}

// take takes n permits of priority p, which must be granted.
func (r *rig) take(n int, p Priority) []Permit {
	r.t.Helper()
	permits := make([]Permit, n)
	for i := range permits {
		permit, err := r.TryAcquire(p)
		if err != nil {
			r.t.Fatalf("permit %d of %d: %v", i+1, n, err)
		}
		permits[i] = permit
	}
	return permits
}

// refused asks for a permit, which must be denied.
func (r *rig) refused(p Priority) *Rejection {
	r.t.Helper()
	_, err := r.TryAcquire(p)
	rejection, ok := errors.AsType[*Rejection](err)
	if !ok {
		r.t.Fatalf("got error %v, want a rejection", err)
	}
	return rejection
}

// flight makes a full flight of calls, which all take d and end in the same way.
func (r *rig) flight(d time.Duration, o switchgear.Outcome) {
	r.t.Helper()
	permits := r.take(r.Limit(), Critical)
	r.clock.Advance(d)
	for i := range permits {
		permits[i].Done(o)
	}
}

// A server has workers that serve one call each, and a queue before them. It runs on
// a virtual clock and knows nothing of the limiter.
type server struct {
	clock   *clock.Virtual
	workers int
	room    int // in the queue; 0 for no bound
	service func() time.Duration

	busy  int
	queue []func(bool)
}

// submit serves a call and then reports whether it was served or turned away.
func (s *server) submit(done func(served bool)) {
	switch {
	case s.busy < s.workers:
		s.serve(done)
	case s.room == 0 || len(s.queue) < s.room:
		s.queue = append(s.queue, done)
	default:
		done(false)
	}
}

func (s *server) serve(done func(bool)) {
	s.busy++
	s.clock.AfterFunc(s.service(), func() {
		s.busy--
		for s.busy < s.workers && len(s.queue) > 0 {
			next := s.queue[0]
			s.queue = s.queue[1:]
			s.serve(next)
		}
		done(true)
	})
}

func constant(d time.Duration) func() time.Duration { return func() time.Duration { return d } }

// exponential service times have a mean of d; nothing scatters more in practice.
func exponential(seed uint64, d time.Duration) func() time.Duration {
	rng := rand.New(rand.NewPCG(seed, 0))
	return func() time.Duration { return time.Duration(float64(d) * rng.ExpFloat64()) }
}

// load sends a call of priority p every so often until the clock shows until, through
// the limiter to the server.
func (r *rig) load(s *server, every, until time.Duration, p Priority) {
	var arrive func()
	arrive = func() {
		if permit, err := r.TryAcquire(p); err == nil {
			s.submit(func(served bool) {
				if served {
					permit.Success()
				} else {
					permit.Dropped()
				}
			})
		}
		if r.clock.Mono()+every <= until {
			r.clock.AfterFunc(every, arrive)
		}
	}
	r.clock.AfterFunc(0, arrive)
}

func do(l *Limiter, err error) error {
	return l.Do(context.Background(), func(context.Context) error { return err })
}
