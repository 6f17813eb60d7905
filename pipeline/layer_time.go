package pipeline

import (
	"context"

	"github.com/switchgear-go/switchgear/timeout"
)

type limitLayer struct {
	t *timeout.Timeout
	k kind // total or attemptLimit
}

func (l limitLayer) run(ctx context.Context, f *flight, i int) error {
	if l.t.Config().Abandon {
		return l.abandon(ctx, f, i)
	}
	if f.open {
		return l.open(ctx, f, i)
	}
	h, err := l.t.Context(ctx)
	if err != nil {
		return f.refused(err)
	}
	defer h.Release()
	err = f.next(h.Ctx, i)
	return f.limited(err, h.End(err))
}

// open is run for an answer that goes on after the call.
func (l limitLayer) open(ctx context.Context, f *flight, i int) error {
	h, err := l.t.Open(ctx)
	if err != nil {
		return f.refused(err)
	}
	defer h.Release()
	err = f.next(h.Ctx, i)
	if err != nil && !f.job.answered() {
		return f.limited(err, h.End(err))
	}
	// Also a bad answer is one that the caller may get.
	end, verdict := h.Keep(nil, f.keepLimits)
	if verdict != nil {
		return f.limited(err, verdict)
	}
	f.kept = append(f.kept, end)
	return err
}

// limited returns the verdict on a call that ended in err. If the verdict is that it took
// too long, its answer came too late and is as good as none.
func (f *flight) limited(err, verdict error) error {
	if late, ok := verdict.(*timeout.Error); ok {
		if inner, ok := err.(*timeout.Error); !ok || inner != late {
			f.judged = false
			if f.job.answered() {
				f.job.discard()
			}
		}
	}
	return verdict
}

// abandon is run for functions that ignore their context. Such a function may go on when
// its caller has gone, and so needs a place of its own for what it leaves.
func (l limitLayer) abandon(ctx context.Context, f *flight, i int) error {
	type ending struct {
		fork *flight
		err  error
	}
	var (
		late latecomers
		mine *flight // that the caller gets
	)
	defer func() { late.close(mine) }()
	fork := f.job.fork() // here, since f may have gone on when the function begins
	e, err := timeout.Do(ctx, l.t, func(ctx context.Context) (ending, error) {
		returned := false
		defer fork.unwind(&returned)
		err := fork.next(ctx, i)
		returned = true
		late.keep(fork)
		return ending{fork, err}, err
	})
	f.judged = false
	if mine = e.fork; mine == nil {
		return err
	}
	f.job.adopt(mine)
	return f.limited(e.err, err)
}
