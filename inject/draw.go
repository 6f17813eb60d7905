package inject

import (
	"context"
	"time"
)

// An Effect is what is to be done to a call: first the wait, and then at most one of
// the others. If there is none, the call is made after the wait.
type Effect struct {
	// Delay is how long to wait before anything else; 0 for not at all. A call
	// whose context ends meanwhile has failed.
	Delay time.Duration
	// Err is the error with which the call fails, without being made: an [*Error],
	// or nil if it does not fail. If Hang is set it fails only then, and if Panic
	// is set it panics with Err.
	Err error
	// Hang is how long to wait before the call fails, or until its context ends;
	// 0 for not at all.
	Hang time.Duration
	// Panic is whether the call panics.
	Panic bool
}

// Draw decides about one call, and counts it: it returns what is to be done to the
// call, and whether that is anything. ctx is where the call's key is found. Draw does
// not wait; it is for code that keeps the time itself, and a few lines below [Do].
func (i *Injector) Draw(ctx context.Context) (Effect, bool) {
	p := i.cur.Load()
	if p == nil {
		return Effect{}, false
	}
	return i.draw(ctx, p)
}

func (i *Injector) draw(ctx context.Context, p *period) (e Effect, struck bool) {
	// The timer may be late.
	if i.clk.Mono() >= p.until {
		return e, false
	}
	number := p.calls.Add(1)
	i.tally.calls.Add(1)
	key := ""
	if i.keyed {
		key = i.key(ctx)
	}
	for n := range i.faults {
		f := &i.faults[n]
		if !f.about(key) || !i.strikes(f, number, n) {
			continue
		}
		if !struck {
			i.tally.disturbed.Add(1)
		}
		i.tally.struck[n].Add(1)
		struck = true
		if f.kind == Latency {
			if e.Delay == 0 {
				i.tally.kinds[Latency].Add(1)
			}
			e.Delay += f.delay
			continue
		}
		i.tally.kinds[f.kind].Add(1)
		e.Err, e.Panic = f.err, f.kind == Panic
		if f.kind == Hang {
			e.Hang = i.cfg.MaxHang
		}
		break
	}
	return e, struck
}

// about reports whether f is about calls with this key.
func (f *fault) about(key string) bool {
	if f.keys == nil {
		return true
	}
	_, ok := f.keys[key]
	return ok
}

// strikes decides by chance. Never and always are decided without it, so that neither
// depends on how a source of chance rounds.
func (i *Injector) strikes(f *fault, number uint64, n int) bool {
	const all = 100_00
	switch {
	case f.hundredths == 0:
		return false
	case f.hundredths == all:
		return true
	case i.random != nil:
		return i.random()*all < float64(f.hundredths)
	}
	return chance(i.cfg.Seed, number, uint64(n)) < uint64(f.hundredths)
}

// chance returns a number below 10,000 that looks drawn and is a function of its
// arguments, so that there is no state to share and no order to keep. It takes them
// in one after the other with the mixing step of SplitMix64 (Steele, Lea and Flood,
// Fast Splittable Pseudorandom Number Generators, 2014).
func chance(seed, number, fault uint64) uint64 {
	x := mix(mix(mix(seed)+number) + fault)
	// The upper half times the range keeps the shares exact to one in 2^32.
	return x >> 32 * 100_00 >> 32
}

func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
