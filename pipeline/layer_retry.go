package pipeline

import (
	"context"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/retry"
)

type retryLayer struct{ r *retry.Retry }

func (l retryLayer) run(ctx context.Context, f *flight, i int) error {
	loop := l.r.Begin()
	defer loop.Unwind()
	for {
		err := f.next(f.numbered(ctx), i)
		if err == nil {
			loop.Done(switchgear.Success)
			return nil
		}
		j := f.judge(ctx, err)
		if f.around && (f.permit.Probe() || !f.permit.Current()) {
			// Inside a breaker: a probe is one attempt, and a loop whose period has ended
			// has nothing left to tell.
			loop.Done(j.Health)
			return err
		}
		delay, again := loop.Next(ctx, err, j)
		if !again {
			return loop.Err(err)
		}
		drop(f)
		if gone := loop.Wait(ctx, delay); gone != nil {
			return loop.Abandon(gone, err)
		}
	}
}

// numbered returns the context of the next attempt. Those of hedges count too. The first
// is spared a context, unless there is another loop around this one, whose number is
// not meant.
func (f *flight) numbered(ctx context.Context) context.Context {
	f.made++
	a := switchgear.Attempt{Number: f.made, Hedge: f.hedged, Probe: f.around && f.permit.Probe()}
	if f.made == 1 && !a.Probe {
		if _, inside := switchgear.AttemptOf(ctx); !inside {
			return ctx
		}
	}
	return switchgear.WithAttempt(ctx, a)
}
