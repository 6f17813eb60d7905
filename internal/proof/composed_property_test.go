package proof

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/switchgear-go/switchgear/hedge"
	"github.com/switchgear-go/switchgear/pipeline"
)

// Pipelines made at random, before a dependency that fails in every way, with callers
// that come and go as they like. Whatever happens, everything that was acquired is
// released, limits hold, what the policies counted adds up, and each answer finds its
// way to a caller or to the waste, once.
//
// Each case runs in virtual time, in a bubble of its own, on the blocking forms.

var (
	composedSeed  = flag.Uint64("composed.seed", 0, "the only case to run, or the first of -composed.cases")
	composedCases = flag.Int("composed.cases", 0, "how many cases to run")
)

// composedFirst is the first seed where none is given. The cases are the same each time,
// but for what chance and the scheduler do to things that happen in the same instant.
const composedFirst = 1

func TestComposed(t *testing.T) {
	first, n := uint64(composedFirst), 2500
	if testing.Short() || raceEnabled {
		n = 500
	}
	if *composedSeed != 0 {
		first, n = *composedSeed, 1
	}
	if *composedCases != 0 {
		n = *composedCases
	}
	var all ledger
	wrong := 0
	for seed := first; seed < first+uint64(n) && wrong < 3; seed++ {
		happened, ok := runComposed(t, seed)
		all.add(happened)
		if !ok {
			wrong++
		}
	}
	all.require(t, 400, composedHappens...)
}

// runComposed runs one case.
func runComposed(t *testing.T, seed uint64) (happened tally, ok bool) {
	defer func() {
		if r := recover(); r != nil { // by synctest, of goroutines that are left
			t.Errorf("case %d: %v", seed, r)
			panic(r)
		}
	}()
	c := &composedCase{seed: seed, rng: rand.New(rand.NewPCG(seed, 2)), tally: tally{}}
	synctest.Test(t, func(t *testing.T) {
		c.compose(t)
		c.play()
		c.check()
	})
	if len(c.wrong) > 0 {
		t.Errorf("case %d is wrong; again: go test -run 'TestComposed$' -composed.seed=%d\n%s\n  %s",
			seed, seed, c.describe(), strings.Join(c.wrong[:min(len(c.wrong), 12)], "\n  "))
	}
	return c.tally, len(c.wrong) == 0
}

// A composedCase is one pipeline, its dependency and its callers.
type composedCase struct {
	seed  uint64
	rng   *rand.Rand
	tally tally
	wrong []string // what is not as it must be

	composition
	start time.Time
	calls []*composedCall

	mu       sync.Mutex // guards what follows, and attempts
	attempts []*attempted
	running  int
	peak     int            // of running
	asked    map[asking]int // of the classifier
}

// violated notes that an invariant does not hold.
func (c *composedCase) violated(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wrong = append(c.wrong, fmt.Sprintf(format, args...))
}

// note counts that something happened.
func (c *composedCase) note(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tally.note(what)
}

// now is the time since the case began.
func (c *composedCase) now() time.Duration { return time.Since(c.start) }

// composedNever is later than everything that happens.
const composedNever = time.Duration(1<<63 - 1)

// A composedCall is one caller and what it saw.
type composedCall struct {
	c  *composedCase
	id int
	at time.Duration // when it begins
	p  *pipeline.Pipeline

	safe       bool // may be hedged
	open       bool // through pipeline.Open
	keepLimits bool
	hold       time.Duration // how long it reads the answer, if open

	// When the caller cancels, or its deadline passes; composedNever if it does not.
	cancelAt, deadlineAt time.Duration
	cause                error // of its cancelling, or nil

	faults []fault // of its attempts, over and over

	began, ended time.Duration
	returned     bool
	got          *answer
	err          error
	panicked     any
	attempts     []*attempted
}

func (k *composedCall) safeContext() (context.Context, context.CancelFunc) {
	ctx := context.Background()
	if k.safe {
		ctx = hedge.Safe(ctx)
	}
	cancels := []context.CancelFunc{}
	if k.deadlineAt != composedNever {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, k.c.start.Add(k.deadlineAt))
		cancels = append(cancels, cancel)
	}
	if k.cancelAt != composedNever {
		with, cancel := context.WithCancelCause(ctx)
		timer := time.AfterFunc(k.cancelAt-k.at, func() { cancel(k.cause) })
		ctx = with
		cancels = append(cancels, func() { timer.Stop(); cancel(nil) })
	}
	return ctx, func() {
		for _, cancel := range cancels {
			cancel()
		}
	}
}

// play makes all calls, and returns when they have returned and late functions have
// ended. The callers' contexts go on until the check is over.
func (c *composedCase) play() {
	c.start = time.Now()
	c.asked = map[asking]int{}
	c.drawCalls()
	var callers sync.WaitGroup
	for _, k := range c.calls {
		callers.Go(func() {
			time.Sleep(k.at)
			k.run()
		})
	}
	callers.Wait()
	time.Sleep(5 * time.Second) // for those left behind, and whatever waits or counts down
	synctest.Wait()
}

// run makes the call, on a goroutine that a Goexit may end.
func (k *composedCall) run() {
	var over sync.WaitGroup
	over.Go(func() {
		ctx, cancel := k.safeContext()
		k.c.cleanup(cancel)
		k.began = k.c.now()
		defer func() {
			if !k.returned {
				k.ended = k.c.now()
				k.panicked = recover()
			}
			k.checkEnded()
		}()
		call := pipeline.Call[*answer]{Func: k.serve, Check: checkAnswer, Discard: k.c.discard}
		if !k.open {
			k.got, k.err = pipeline.Run(ctx, k.p, call)
			k.returned, k.ended = true, k.c.now()
			return
		}
		got, end, err := pipeline.Open(ctx, k.p, call, k.keepLimits)
		k.got, k.err = got, err
		k.returned, k.ended = true, k.c.now()
		if err == nil {
			k.read(end)
		}
	})
	over.Wait()
}

// read uses an answer that goes on after the call.
func (k *composedCall) read(end func()) {
	time.Sleep(k.hold)
	k.checkOpen()
	end()
	k.checkClosed()
}

// cleanup keeps a context until the check is over.
func (c *composedCase) cleanup(cancel context.CancelFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cancels = append(c.cancels, cancel)
}

// drawCalls draws who calls when, how, and what becomes of it.
func (c *composedCase) drawCalls() {
	span := time.Duration(c.between(20, 300)) * ms
	for id := range c.between(20, 50) {
		k := &composedCall{
			c: c, id: id, p: c.pipelines[c.rng.IntN(len(c.pipelines))],
			at:   time.Duration(c.rng.Int64N(int64(span))).Truncate(ms / 2),
			safe: c.oneIn(2), open: c.oneIn(3) && !c.abandons(), keepLimits: c.oneIn(2),
			hold:     drawFrom(c, 0, ms, 30*ms, 200*ms),
			cancelAt: composedNever, deadlineAt: composedNever,
		}
		if c.oneIn(5) {
			k.cancelAt = k.at + time.Duration(c.rng.Int64N(int64(30*ms)))
			if c.oneIn(2) {
				k.cause = errLeft
			}
		}
		if c.oneIn(5) {
			k.deadlineAt = k.at + drawFrom(c, ms, 7*ms, time.Duration(c.rng.Int64N(int64(40*ms))), time.Duration(c.rng.Int64N(int64(40*ms))))
		}
		sick := c.oneIn(2)
		for range 16 {
			k.faults = append(k.faults, c.drawFault(sick))
		}
		c.calls = append(c.calls, k)
	}
}

// between returns a number from a to b.
func (c *composedCase) between(a, b int) int { return a + c.rng.IntN(b-a+1) }
func (c *composedCase) oneIn(n int) bool     { return c.rng.IntN(n) == 0 }

func drawFrom[T any](c *composedCase, values ...T) T { return values[c.rng.IntN(len(values))] }

// exit ends the goroutine.
func exit() { runtime.Goexit() }
