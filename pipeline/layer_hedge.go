package pipeline

import (
	"context"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/hedge"
)

type hedgeLayer struct{ h *hedge.Hedge }

func (l hedgeLayer) run(ctx context.Context, f *flight, i int) error {
	if l.h.BeginPlain(ctx) {
		return l.plain(ctx, f, i)
	}
	f.shared = true
	var bad latecomers
	defer bad.close()
	outer := ctx
	still := f.job.fork() // f itself may have gone on when a late attempt begins
	held, err := hedge.Hold(ctx, l.h, drop, func(ctx context.Context) (*flight, error) {
		fork := still.job.fork()
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
	if err != nil {
		f.judged = false
		if last := bad.take(); last != nil {
			f.job.adopt(last)
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
	ended := switchgear.Ignored // if it does not return
	defer func() { l.h.EndPlain(ended) }()
	err := f.next(ctx, i)
	ended = f.outcome(ctx, err)
	return err
}
