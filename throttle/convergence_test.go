package throttle_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/throttle"
)

// A backend accepts so many calls a second and refuses the rest. It has a queue of half
// a second, without which no load that comes by chance could use all of its capacity.
// Its answers take 50 ms. A capacity of 0 is an outage.
type backend struct {
	clock    *clock.Virtual
	capacity int
	free     time.Duration // when it accepts the next call

	wanted, sent, accepted int
}

func (b *backend) call(p throttle.Permit) {
	b.sent++
	o := switchgear.Failure
	if now := b.clock.Mono(); b.capacity > 0 && now >= b.free {
		b.accepted++
		o = switchgear.Success
		b.free = max(b.free, now-500*time.Millisecond) + time.Second/time.Duration(b.capacity)
	}
	b.clock.AfterFunc(50*time.Millisecond, func() { p.Done(o) })
}

// offer has so many calls a second wanted, for so long, and returns how many calls a
// second were sent and accepted.
func (b *backend) offer(th *throttle.Throttle, perSecond int, length time.Duration) (sent, accepted float64) {
	b.wanted, b.sent, b.accepted = 0, 0, 0
	for end := b.clock.Mono() + length; b.clock.Mono() < end; {
		b.wanted++
		if p, err := th.Acquire(context.Background()); err == nil {
			b.call(p)
		}
		b.clock.Advance(time.Second / time.Duration(perSecond))
	}
	return float64(b.sent) / length.Seconds(), float64(b.accepted) / length.Seconds()
}

func newBackend(t *testing.T, cfg throttle.Config, capacity int) (*throttle.Throttle, *backend) {
	t.Helper()
	b := &backend{clock: clock.NewVirtual(start), capacity: capacity}
	rnd := rand.New(rand.NewPCG(1, 2))
	th, err := throttle.New("stock", cfg, throttle.WithClock(b.clock), throttle.WithRandom(rnd.Float64))
	if err != nil {
		t.Fatal(err)
	}
	return th, b
}

// near checks that got is want, give or take so many percent of it.
func near(t *testing.T, what string, got, want, percent float64) {
	t.Helper()
	if math.Abs(got-want) > want*percent/100 {
		t.Errorf("%s: got %.1f, want %.1f ± %v %%", what, got, want, percent)
	}
}

// What the book promises: however many calls are wanted, the dependency receives about
// K times as many as it accepts, and goes on accepting all that it can.
func TestConvergence(t *testing.T) {
	const capacity = 100
	for _, tt := range []struct {
		k          float64
		maxRefusal switchgear.Percent
		load       int // times capacity
		want       float64
	}{
		{2, 90, 1, 1},
		{2, 90, 2, 2},
		{2, 90, 5, 2},
		{2, 90, 10, 2},
		{1.1, 90, 10, 1.1},
		{1.5, 90, 10, 1.5},
		{4, 90, 10, 4},
		{2, off, 40, 2},
		{2, 90, 40, 4}, // no more than 90 % are refused, which leaves a tenth of the load
	} {
		t.Run(fmt.Sprintf("%d times the capacity, K = %v, MaxRefusal = %v", tt.load, tt.k, tt.maxRefusal), func(t *testing.T) {
			th, b := newBackend(t, throttle.Config{K: tt.k, MaxRefusal: tt.maxRefusal, Window: 20 * time.Second, Buckets: 20}, capacity)
			b.offer(th, tt.load*capacity, time.Minute) // to settle down
			sent, accepted := b.offer(th, tt.load*capacity, 30*time.Second)
			near(t, "accepted a second", accepted, capacity, 5)
			near(t, "sent a second", sent, tt.want*capacity, 10)
		})
	}
}

// In an outage MaxRefusal keeps a share of the calls going, and so the throttle finds
// out when it is over. From then on what is let through multiplies until it is all.
func TestOutageAndRecovery(t *testing.T) {
	const load = 200
	th, b := newBackend(t, throttle.Config{}, 10*load)
	sent, accepted := b.offer(th, load, 3*time.Minute)
	equal(t, "sent while all is well", sent, load)
	near(t, "accepted while all is well", accepted, load, 1)

	b.capacity = 0
	b.offer(th, load, 4*time.Minute)
	sent, _ = b.offer(th, load, time.Minute)
	near(t, "sent in an outage", sent, load/10, 10)

	b.capacity = 10 * load
	b.offer(th, load, 4*time.Minute)
	sent, _ = b.offer(th, load, time.Minute)
	equal(t, "sent two windows after the outage", sent, load)
}
