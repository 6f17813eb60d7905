package sweep

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/switchgear-go/switchgear/sim"
)

// Bounds of a sweep.
const (
	MaxPoints = 1000
	MaxSeeds  = 100_000
)

// Run makes seeds runs of each point, on all processors, and returns the table of
// them. There must be from 1 to [MaxPoints] points, and from 1 to [MaxSeeds] seeds,
// which are consecutive from first on. If progress is not nil, it is called after each run,
// by one goroutine at a time, with the number of runs done and that of all; it should be
// quick.
//
// If a point is not valid, Run returns its [*switchgear.ConfigError] and no table.
// When ctx is done it returns the rows so far and the context's error; when a run
// fails, the rows of the runs before that one, and its error.
func Run(ctx context.Context, points []Point, first uint64, seeds int, progress func(done, total int)) (*Table, error) {
	s, err := newSweep(points, first, seeds, progress)
	if err != nil {
		return nil, err
	}
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), s.total) {
		workers.Go(func() { s.work(ctx) })
	}
	workers.Wait()
	return s.table(), s.err
}

// A sweep is a list of jobs, the seeds of the first point, then those of the second,
// and so on. Workers take them in this order. So only the rows of the newest jobs
// are in progress, and all jobs before one that failed are done.
type sweep struct {
	points   []Point
	first    uint64
	seeds    int
	total    int
	progress func(done, total int)

	mu     sync.Mutex // guards the rest
	next   int        // job
	done   int        // how many
	rows   []row
	err    error
	failed int // the first job that failed
}

func newSweep(points []Point, first uint64, seeds int, progress func(done, total int)) (*sweep, error) {
	if n := len(points); n < 1 || n > MaxPoints {
		return nil, fmt.Errorf("sweep: %d points: must be from 1 to %d", n, MaxPoints)
	}
	if seeds < 1 || seeds > MaxSeeds {
		return nil, fmt.Errorf("sweep: %d seeds: must be from 1 to %d", seeds, MaxSeeds)
	}
	for i := range points {
		p := &points[i]
		if !sameKeys(p.Settings, points[0].Settings) {
			return nil, fmt.Errorf("sweep: settings %v: must have the keys of the first, %v", p, &points[0])
		}
		if _, err := sim.New(p.Config); err != nil {
			return nil, p.wrap(err)
		}
	}
	total := len(points) * seeds
	return &sweep{
		points: points, first: first, seeds: seeds, total: total, progress: progress,
		rows: make([]row, len(points)), failed: total,
	}, nil
}

// work does jobs until there are no more. It leaves it to the runs to notice that ctx
// is done.
func (s *sweep) work(ctx context.Context) {
	var r runner
	for {
		job, ok := s.take()
		if !ok {
			return
		}
		point := job / s.seeds
		c, err := r.run(ctx, point, &s.points[point], s.first+uint64(job%s.seeds))
		s.finish(ctx, job, c, err)
	}
}

// take returns the next job, if there is one and it is still wanted.
func (s *sweep) take() (job int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == s.total || s.err != nil {
		return 0, false
	}
	job = s.next
	s.next++
	if job%s.seeds == 0 {
		s.rows[job/s.seeds].begin(s.seeds)
	}
	return job, true
}

// finish files what became of a job.
func (s *sweep) finish(ctx context.Context, job int, c [columns]float64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()): // stopped, not failed
		if s.err == nil {
			s.err = context.Cause(ctx)
		}
		return
	case err != nil:
		if job < s.failed {
			s.err, s.failed = err, job
		}
		return
	}
	s.rows[job/s.seeds].add(job%s.seeds, c)
	if s.rows[job/s.seeds].left == 0 {
		s.rows[job/s.seeds].end(s.points[job/s.seeds].Settings)
	}
	s.done++
	if s.progress != nil {
		s.progress(s.done, s.total)
	}
}

// table returns the rows that there are.
func (s *sweep) table() *Table {
	t := &Table{Points: len(s.points), FirstSeed: s.first, Seeds: s.seeds, Rows: []Row{}, Keys: []string{}}
	for _, setting := range s.points[0].Settings {
		t.Keys = append(t.Keys, setting.Key)
	}
	for i := range s.rows {
		r := &s.rows[i]
		if i*s.seeds > s.failed {
			break
		}
		r.end(s.points[i].Settings)
		if r.sum.Runs > 0 {
			t.Rows = append(t.Rows, r.sum)
		}
	}
	return t
}
