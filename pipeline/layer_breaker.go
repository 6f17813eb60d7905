package pipeline

import (
	"context"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/hedge"
)

type breakerLayer struct {
	b      *breaker.Breaker
	around bool // a retry is inside
}

func (l *breakerLayer) run(ctx context.Context, f *flight, i int) error {
	if err := l.b.AcquireInto(ctx, &f.permit); err != nil {
		return f.refused(err)
	}
	defer f.permit.Unwind()
	f.around = l.around
	if f.permit.Probe() {
		hedge.NoMore(ctx)
		ctx = probing(ctx)
	}
	err := f.next(ctx, i)
	if err == nil {
		f.permit.Success()
		return nil
	}
	f.permit.Settle(f.health(ctx, err), err)
	return err
}

// health is what an error of the call says to a breaker that admitted it.
func (f *flight) health(ctx context.Context, err error) switchgear.Outcome {
	if hedge.Lost(ctx) {
		// We cut it off, so its error says nothing. But one that had been slow by then
		// was slow, or a dependency that hangs would never be seen to.
		if f.permit.Slow() {
			return switchgear.Success
		}
		return switchgear.Ignored
	}
	j := f.judge(ctx, err)
	if f.permit.Hurried() {
		if o := switchgear.JudgeError(ctx, err, f.p.clk.Now, true); o != switchgear.Undecided {
			f.judgement.Health = o // for the policies further out as well
			return o
		}
	}
	return j.Health
}

// probing returns ctx for an attempt that is a probe.
func probing(ctx context.Context) context.Context {
	a, _ := switchgear.AttemptOf(ctx)
	a.Probe = true
	return switchgear.WithAttempt(ctx, a)
}
