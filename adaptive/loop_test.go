package adaptive

import (
	"fmt"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
)

// The closed loop: a limiter before a server whose capacity is known, under twice the
// load that the server can bear, in virtual time. The server needs 200 ms for a call,
// on average, so the limit that fills it without a queue is the number of its
// workers. The server's queue is bounded and turns away what does not fit, unless a test
// says otherwise.

const (
	workers = 40
	service = 200 * ms
	double  = service / workers / 2 // between two calls: twice what the server can bear
)

func loop(t *testing.T, cfg Config, room int, times func() time.Duration) (*rig, *server) {
	r := newRig(t, cfg)
	return r, &server{clock: r.clock, workers: workers, room: room, service: times}
}

// settled runs the loop and returns the lowest and the highest limit of its last minute.
func (r *rig) settled(d time.Duration) (least, most int) {
	r.clock.Advance(d - time.Minute)
	least, most = r.Limit(), r.Limit()
	for range 60 {
		r.clock.Advance(time.Second)
		least, most = min(least, r.Limit()), max(most, r.Limit())
	}
	return least, most
}

func TestLoopFindsTheCapacity(t *testing.T) {
	for _, c := range []struct {
		name  string
		times func() time.Duration
		cfg   Config
		// The limit stays between this, in percent of the number of workers, and what
		// fills the workers and the queue.
		least int
	}{
		{"ByGradient, constant", constant(service), Config{}, 100},
		{"ByGradient, exponential", exponential(1, service), Config{}, 100},
		{"ByVegas, constant", constant(service), Config{Algorithm: ByVegas}, 100},
		{"ByVegas, exponential", exponential(1, service), Config{Algorithm: ByVegas}, 40},
		{"ByAIMD, constant", constant(service), Config{Algorithm: ByAIMD}, 100},
		{"ByAIMD, exponential", exponential(1, service), Config{Algorithm: ByAIMD}, 100},
	} {
		t.Run(c.name, func(t *testing.T) {
			const room = 10
			r, s := loop(t, c.cfg, room, c.times)
			r.load(s, double, 10*time.Minute, Critical)
			check := func(what string, capacity int) {
				t.Helper()
				least, most := r.settled(3 * time.Minute)
				if least < capacity*c.least/100 || most > capacity+room+2 {
					t.Errorf("%s: the limit was from %d to %d, with %d workers", what, least, most, capacity)
				}
			}
			check("at first", workers)
			s.workers = workers / 2
			check("half the capacity", workers/2)
			s.workers = workers
			check("all of it again", workers)
		})
	}
}

// Where nothing is ever dropped, only durations speak.
func TestLoopByDurationsAlone(t *testing.T) {
	for _, c := range []struct {
		algorithm   Algorithm
		least, most int // in percent of the number of workers, for two minutes
	}{
		{ByGradient, 90, 240},
		{ByVegas, 100, 150},
	} {
		t.Run(c.algorithm.String(), func(t *testing.T) {
			r, s := loop(t, Config{Algorithm: c.algorithm}, 0, constant(service))
			r.load(s, double, time.Hour, Critical)
			least, most := r.settled(2 * time.Minute)
			within(t, "lowest", least, workers*c.least/100, workers*c.most/100)
			within(t, "highest", most, workers*c.least/100, workers*c.most/100)
			s.workers = workers / 2
			_, most = r.settled(2 * time.Minute)
			within(t, "with half the workers", most, workers/2, least-1)
		})
	}
	t.Run("ByAIMD, by its timeout", func(t *testing.T) {
		r, s := loop(t, Config{Algorithm: ByAIMD, AIMD: AIMDConfig{Timeout: 2 * service}}, 0, constant(service))
		r.load(s, double, time.Hour, Critical)
		// The timeout allows one call in the queue for each at work.
		least, most := r.settled(5 * time.Minute)
		within(t, "lowest", least, workers*8/5, workers*2+10)
		within(t, "highest", most, workers*8/5, workers*2+10)
	})
}

// What the documentation says about a load that never lets up.
func TestLoopCreeps(t *testing.T) {
	at := func(cfg Config, instants ...time.Duration) (limits []int) {
		r := newRig(t, cfg)
		s := &server{clock: r.clock, workers: workers, service: constant(time.Second)}
		r.load(s, time.Second/workers/2, 2*time.Hour, Critical)
		for _, d := range instants {
			r.clock.AdvanceTo(d)
			limits = append(limits, r.Limit())
		}
		return limits
	}
	t.Run("ByGradient grows about e-fold in LongWindow / (2 × (Tolerance − 1)) steps", func(t *testing.T) {
		limits := at(Config{Max: 100_000}, 20*time.Minute, 30*time.Minute)
		within(t, "growth in percent", limits[1]*100/limits[0], 200, 350)
	})
	t.Run("ByGradient stays below Max", func(t *testing.T) {
		equal(t, "limit", at(Config{}, 30*time.Minute), []int{200})
	})
	t.Run("ByVegas grows by about Beta with each probe", func(t *testing.T) {
		// A probe comes after 23 steps for each unit of the limit, which is every
		// quarter of an hour at first.
		limits := at(Config{Algorithm: ByVegas}, 10*time.Minute, time.Hour)
		within(t, "limit before the first probe", limits[0], workers, workers+6)
		within(t, "limit after an hour", limits[1], limits[0], workers+6+4*6)
	})
	t.Run("ByVegas without probes does not", func(t *testing.T) {
		limits := at(Config{Algorithm: ByVegas, Vegas: VegasConfig{Probe: off}}, 10*time.Minute, time.Hour)
		within(t, "limit", limits[0], workers, workers+6)
		within(t, "limit after an hour", limits[1], workers, workers+6)
	})
}

// Why ByGradient is the default: with few calls and durations that scatter, the
// shortest one says nothing about the rest.
func TestLoopDefaultBearsScatter(t *testing.T) {
	busy := func(a Algorithm) int {
		r := newRig(t, Config{Algorithm: a})
		s := &server{clock: r.clock, workers: workers, room: 10, service: exponential(1, time.Second)}
		r.load(s, time.Second/workers/2, time.Hour, Critical)
		_, most := r.settled(5 * time.Minute)
		return most
	}
	within(t, "ByGradient", busy(ByGradient), workers, workers+12)
	within(t, "ByVegas", busy(ByVegas), 1, workers/2)
}

func TestLoopSheds(t *testing.T) {
	t.Run("background before normal before critical", func(t *testing.T) {
		r, s := loop(t, Config{}, 10, constant(service))
		// Each level alone asks for 60 % of the capacity.
		for i, p := range []Priority{Critical, Normal, Background} {
			offset := time.Duration(i) * ms / 3
			r.clock.AfterFunc(offset, func() { r.load(s, service*10/6/workers, time.Hour, p) })
		}
		r.clock.Advance(2 * time.Minute)
		before := r.Counters().RejectedBy
		r.clock.Advance(2 * time.Minute)
		after := r.Counters().RejectedBy
		calls := int(2 * time.Minute / (service * 10 / 6 / workers))
		shed := make([]int, 3)
		for i := range shed {
			shed[i] = int(after[i]-before[i]) * 100 / calls
		}
		t.Logf("shed in percent: %v", shed)
		within(t, "critical calls shed, in percent", shed[Critical], 0, 1)
		within(t, "background calls shed, in percent", shed[Background], 50, 100)
		if shed[Normal] > shed[Background] {
			t.Errorf("more normal calls shed than background calls: %v", shed)
		}
	})
	t.Run("a load that the server can bear is let through whole, once the limit is found", func(t *testing.T) {
		for a := ByGradient; a <= ByAIMD; a++ {
			r, s := loop(t, Config{Algorithm: a}, 10, constant(service))
			r.load(s, 3*double, time.Hour, Critical) // two thirds
			r.clock.Advance(time.Minute)
			before := r.Counters().Rejected
			r.clock.Advance(10 * time.Minute)
			equal(t, fmt.Sprint(a, ": rejected"), r.Counters().Rejected-before, 0)
		}
	})
}

// Two limiters on one server: additive increase and multiplicative decrease bring them
// to equal shares, however unequal they begin.
func TestLoopIsFair(t *testing.T) {
	a := newRig(t, Config{Algorithm: ByAIMD, Initial: 40, Window: WindowConfig{Time: service, Samples: 1}})
	b := newRig(t, Config{Algorithm: ByAIMD, Initial: 4, Window: WindowConfig{Time: service, Samples: 1}}, WithClock(a.clock))
	b.clock = a.clock
	s := &server{clock: a.clock, workers: workers, room: 4, service: exponential(1, service)}
	a.load(s, double, 10*time.Minute, Critical)
	a.clock.AfterFunc(double/2, func() { b.load(s, double, 10*time.Minute, Critical) })
	a.clock.Advance(5 * time.Minute)
	var sumA, sumB int
	for range 300 {
		a.clock.Advance(time.Second)
		sumA += a.Limit()
		sumB += b.Limit()
	}
	within(t, "mean limit of the one", sumA/300, workers/3, workers*2/3)
	within(t, "mean limit of the other", sumB/300, workers/3, workers*2/3)
	within(t, "their ratio in percent", sumA*100/sumB, 75, 133)
}

func TestLoopAfterAnOutage(t *testing.T) {
	for a := ByGradient; a <= ByAIMD; a++ {
		t.Run(a.String(), func(t *testing.T) {
			r := newRig(t, Config{Algorithm: a, Initial: 100})
			for range 100 {
				r.flight(time.Second, switchgear.Failure)
				r.flight(ms, switchgear.Failure)
			}
			equal(t, "limit in an outage of minutes", r.Limit(), 1)
			for i := range 200 {
				r.flight(time.Second, switchgear.Success)
				if r.Limit() >= 20 {
					t.Logf("back at 20 after %d steps", i)
					break
				}
			}
			within(t, "limit afterwards", r.Limit(), 20, 200)
		})
	}
}
