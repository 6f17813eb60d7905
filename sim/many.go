package sim

import (
	"context"
	"runtime"
	"sync"
)

// Many runs a scenario once for each of count consecutive seeds, the first being
// first, on as many goroutines as there are processors to use, and hands each
// result over in order of the seeds. So what is made of the results is the same
// on any number of processors. each is never called by two goroutines at once.
//
// Many returns when all is done, at the first error of a run or of each, or with
// the context's error when ctx is done; what was handed over until then is
// complete.
func Many(ctx context.Context, cfg Config, first uint64, count int, each func(*Result) error) error {
	cfg, _, err := settle(cfg)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)

	workers := max(min(runtime.GOMAXPROCS(0), count), 1)
	// Seeds go round: run i is made by worker i mod workers, and waits for its
	// turn in a channel with little room, so that nobody runs far ahead.
	results := make([]chan *Result, workers)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel(nil)
	for w := range workers {
		results[w] = make(chan *Result, 4)
		wg.Go(func() {
			if err := runSome(ctx, cfg, first, w, workers, count, results[w]); err != nil {
				cancel(err)
			}
		})
	}
	for i := range count {
		select {
		case r := <-results[i%workers]:
			if err := each(r); err != nil {
				return err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// runSome makes every step-th run from the one with number from on.
func runSome(ctx context.Context, cfg Config, first uint64, from, step, count int, out chan<- *Result) error {
	s, err := New(cfg)
	if err != nil {
		return err
	}
	for i := from; i < count; i += step {
		r, err := s.Run(ctx, first+uint64(i))
		if err != nil {
			return err
		}
		select {
		case out <- r:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}
