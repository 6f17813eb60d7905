package adaptive

import (
	"context"
)

// Acquire is [Limiter.TryAcquire] with the priority of ctx; see [WithPriority]. It
// does not wait, and uses ctx for nothing else.
func (l *Limiter) Acquire(ctx context.Context) (Permit, error) {
	return l.TryAcquire(PriorityOf(ctx))
}

// TryAcquire asks for permission to make one call of priority p. It returns a permit
// or a [*Rejection], at once.
func (l *Limiter) TryAcquire(p Priority) (Permit, error) {
	i := min(int(p), len(l.rules.shares)-1)
	share := l.rules.shares[i]
	for {
		s := l.state.Load()
		// The limit is at most a million, so neither product overflows.
		if (s&halfMask)*whole >= (s>>halfBits)*share {
			return Permit{}, l.reject(i, s)
		}
		if l.state.CompareAndSwap(s, s+1) {
			return Permit{l: l, start: l.clk.Mono(), inFlight: runningOf(s) + 1}, nil
		}
	}
}

// reject counts a refusal and returns it, anew only if its facts are.
func (l *Limiter) reject(i int, state uint64) *Rejection {
	level := &l.levels[i]
	level.rejected.Add(1)
	limit, running := limitOf(state), runningOf(state)
	if r := level.last.Load(); r != nil && r.Limit == limit && r.Running == running {
		return r
	}
	r := &Rejection{Name: l.name, Limit: limit, Running: running, Priority: Priority(i), Share: l.rules.cfg.Shares[i]}
	level.last.Store(r)
	return r
}
