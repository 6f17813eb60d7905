package schedule

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
)

// A Program is a few threads and what must be true of them. Explore asks for a new one
// for each run.
type Program struct {
	// Threads run concurrently.
	Threads []func()
	// Always, if not nil, is asked after each step. It must have no effect on the
	// threads.
	Always func() error
	// After, if not nil, is asked when all threads have ended.
	After func() error
}

// Options bound an exploration.
type Options struct {
	// Preemptions is how often a thread may be put aside that could have gone on; 0 is
	// for any number of times. Most bugs need one or two.
	Preemptions int
}

// A Report says what was explored.
type Report struct {
	Runs   int     // executions of the program from its beginning
	Steps  int     // in all runs
	States int     // different points that were reached
	Orders float64 // complete orders of steps that these stand for
	Depth  int     // steps of the longest run
}

func (r Report) String() string {
	return fmt.Sprintf("%d states, %.3g orders, in %d runs of up to %d steps", r.States, r.Orders, r.Runs, r.Depth)
}

// maxThreads is how many threads a program may have.
const maxThreads = 4

// A point is a place in the tree of schedules: the hashes of all threads after the step
// that leads there, and for a bounded exploration the preemptions that are left.
type point struct {
	hashes [maxThreads]uint64
	left   int
}

// A choice is one thread's next step at some point.
type choice struct {
	thread int
	to     point
}

// A fork is a point with choices left.
type fork struct {
	taken choice
	todo  []choice
}

type explorer struct {
	options Options
	report  Report
	root    point
	seen    map[point][]point // where each point leads
	stack   []fork

	// unguarded are kinds of variables that are also stored to without the lock under
	// which some are loaded, so that a load is a step of its own.
	unguarded map[any]bool
}

// Explore runs the programs that make returns in every order. It returns the first
// error, with the order that led to it.
func Explore(o Options, make func() Program) (Report, error) {
	exploring = true
	defer func() { exploring = false }()
	e := explorer{options: o, seen: map[point][]point{}, unguarded: map[any]bool{}}
	for {
		err := e.once(make())
		if found, ok := errors.AsType[*notGuarded](err); ok { // all over again
			e.unguarded[found.kind] = true
			e.report, e.seen, e.stack = Report{}, map[point][]point{}, nil
			continue
		}
		if err != nil {
			return e.report, fmt.Errorf("%w\nsteps that lead there:%s", err, e.steps(make))
		}
		if !e.back() {
			break
		}
	}
	e.report.States = len(e.seen)
	e.report.Orders = e.orders()
	return e.report, nil
}

// run is one execution of a program.
type run struct {
	threads  []*thread
	steps    int
	returned uint64 // hash of the operations that have ended
	traced   bool   // threads note where their steps stand in the code

	unguarded map[any]bool
}

func (e *explorer) start(p Program, traced bool) *run {
	if len(p.Threads) > maxThreads {
		panic(fmt.Sprintf("schedule: %d threads, at most %d are possible", len(p.Threads), maxThreads))
	}
	r := &run{traced: traced, unguarded: e.unguarded}
	for i, body := range p.Threads {
		r.threads = append(r.threads, r.start(i, body))
	}
	return r
}

func (r *run) point() (p point) {
	for i, t := range r.threads {
		p.hashes[i] = t.hash
	}
	return p
}

// once runs the program along the stack, and from there wherever nothing was before.
func (e *explorer) once(p Program) (err error) {
	e.report.Runs++
	defer func() {
		running = nil
		switch r := recover().(type) {
		case nil:
		case *notGuarded:
			err = r
		default:
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	r := e.start(p, false)
	last, here := -1, e.begin(r)
	for depth := 0; ; depth++ {
		if depth == len(e.stack) {
			todo, ended := e.choices(r, here, last)
			if ended {
				break
			}
			if len(todo) == 0 { // all that can come has come before
				r.finish()
				return nil
			}
			e.stack = append(e.stack, fork{todo[0], todo[1:]})
		}
		c := e.stack[depth].taken
		if t := r.threads[c.thread]; !t.enabled() || c.to.hashes[c.thread] != t.next() {
			return fmt.Errorf("schedule: the program did something else with the same schedule, at step %d", depth)
		}
		if depth == len(e.stack)-1 {
			e.seen[c.to] = nil
		}
		if err := e.advance(r, p, c.thread); err != nil {
			return err
		}
		last, here = c.thread, c.to
		e.report.Depth = max(e.report.Depth, depth+1)
	}
	if p.After != nil {
		return p.After()
	}
	return nil
}

// begin returns the point before the first step.
func (e *explorer) begin(r *run) point {
	p := r.point()
	p.left = e.options.Preemptions
	if len(e.seen) == 0 {
		e.root, e.seen[p] = p, nil
	}
	return p
}

func (e *explorer) advance(r *run, p Program, thread int) error {
	before := r.steps
	r.threads[thread].turn()
	e.report.Steps += r.steps - before
	if p.Always != nil {
		return p.Always()
	}
	return nil
}

// choices returns the steps that are possible now and lead to points not seen before,
// and whether all threads have ended. The thread that has just run comes first.
func (e *explorer) choices(r *run, here point, last int) (todo []choice, ended bool) {
	ended = true
	record := len(e.seen[here]) == 0
	for k := range r.threads {
		if last >= 0 { // last, and then the others
			k = (last + k) % len(r.threads)
		}
		t := r.threads[k]
		ended = ended && t.ended
		if !t.enabled() {
			continue
		}
		to := r.point()
		to.hashes[k] = t.next()
		to.left = here.left
		if e.options.Preemptions > 0 && last >= 0 && k != last && r.threads[last].enabled() {
			if here.left == 0 {
				continue
			}
			to.left--
		}
		if record {
			e.seen[here] = append(e.seen[here], to)
		}
		if _, old := e.seen[to]; !old {
			todo = append(todo, choice{k, to})
		}
	}
	if !ended && len(todo) == 0 && len(e.seen[here]) == 0 {
		panic("deadlock: no thread can go on")
	}
	return todo, ended
}

// finish lets the threads of a run that is of no more interest come to their end.
func (r *run) finish() {
	for t := r.any(); t != nil; t = r.any() {
		t.turn()
	}
}

// any returns a thread that can go on, or nil.
func (r *run) any() *thread {
	for _, t := range r.threads {
		if t.enabled() {
			return t
		}
	}
	return nil
}

// back goes back to the last point with a choice left, and takes it.
func (e *explorer) back() bool {
	for len(e.stack) > 0 {
		top := &e.stack[len(e.stack)-1]
		for len(top.todo) > 0 {
			c := top.todo[0]
			top.todo = top.todo[1:]
			if _, old := e.seen[c.to]; !old {
				top.taken = c
				return true
			}
		}
		e.stack = e.stack[:len(e.stack)-1]
	}
	return false
}

// orders counts the complete orders of steps: the ways from the root to an end.
func (e *explorer) orders() float64 {
	counts := make(map[point]float64, len(e.seen))
	var count func(p point) float64
	count = func(p point) float64 {
		if n, ok := counts[p]; ok {
			return n
		}
		n := 0.0
		for _, to := range e.seen[p] {
			n += count(to)
		}
		if len(e.seen[p]) == 0 {
			n = 1
		}
		counts[p] = n
		return n
	}
	return count(e.root)
}

// steps runs the failing order again and writes down where in the code its steps stand.
func (e *explorer) steps(make func() Program) string {
	var b strings.Builder
	func() {
		defer func() {
			running = nil
			_ = recover() // the failure itself
		}()
		p := make()
		r := e.start(p, true)
		for depth := 0; ; depth++ {
			t := r.any()
			if depth < len(e.stack) {
				t = r.threads[e.stack[depth].taken.thread]
			}
			if t == nil {
				return
			}
			fmt.Fprintf(&b, "\n\tthread %d: %s", t.index, t.where())
			if e.advance(r, p, t.index) != nil {
				return
			}
		}
	}()
	return b.String()
}
