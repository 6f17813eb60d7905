package pipeline

import (
	"context"
	"sync/atomic"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/hedge"
)

type hedgeLayer struct{ h *hedge.Hedge }

func (l hedgeLayer) run(ctx context.Context, f *flight, i int) error {
	if l.h.BeginPlain(ctx) {
		return l.plain(ctx, f, i)
	}
	var (
		bad  latecomers
		best *flight // that the caller gets
		made atomic.Int64
	)
	defer func() { bad.close(best) }()
	outer := ctx
	still := f.job.fork() // f itself may have gone on when a late attempt begins
	held, err := hedge.Hold(ctx, l.h, drop, func(ctx context.Context) (*flight, error) {
		fork := still.job.fork()
		a, _ := switchgear.AttemptOf(ctx)
		fork.made, fork.hedged = a.Number-1, a.Hedge
		for n := made.Load(); n < int64(a.Number) && !made.CompareAndSwap(n, int64(a.Number)); n = made.Load() {
		}
		returned := false
		defer fork.unwind(&returned)
		var err error
		if fork.open {
			err = fork.lasting(ctx, outer, i)
		} else {
			err = fork.next(ctx, i)
		}
		returned = true
		if err != nil {
			bad.keep(fork)
		}
		return fork, err
	})
	f.made = max(f.made, int(made.Load()))
	if err != nil {
		f.judged = false
		if best = held.Value; best == nil {
			best = bad.newest()
		}
		if best != nil {
			f.job.adopt(best)
		}
		if _, several := err.(*hedge.Error); several || ctx.Err() != nil {
			f.judged = false // what was said of one attempt does not hold for them all
		}
		return err
	}
	f.job.adopt(held.Value)
	if f.open {
		f.kept = append(f.kept, held.Release)
	} else {
		held.Release()
	}
	return nil
}

// plain makes a call that is not hedged. In a race each attempt needs a place of its own
// for its answer, and this one does not.
func (l hedgeLayer) plain(ctx context.Context, f *flight, i int) error {
	returned := false
	defer func() {
		if !returned {
			unwound(recover(), l.h.EndPlain)
		}
	}()
	err := f.next(ctx, i)
	ended := f.outcome(ctx, err)
	returned = true
	l.h.EndPlain(ended)
	return err
}
