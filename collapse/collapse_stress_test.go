package collapse_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/switchgear-go/switchgear/collapse"
)

// Nobody leaves: there is never more than one execution of a key, nobody gets the
// result of one that had ended before they came, and what is said to be one caller's
// own is.
func TestStressNobodyLeaves(t *testing.T) {
	noLeak(t)
	const workers, keys = 16, 4
	each := scale(2000, 500)
	g := collapse.Must(collapse.New[int, uint64]("items", collapse.Config{}))
	var running [keys]atomic.Int32
	var returned [keys]atomic.Uint64 // the newest execution whose result somebody has
	var executions atomic.Uint64
	var receivers, shared sync.Map // by execution: *atomic.Int32, bool
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for range each {
				key := rand.IntN(keys)
				old := returned[key].Load()
				v, wasShared, err := g.Do(context.Background(), key, func(context.Context) (uint64, error) {
					if running[key].Add(1) != 1 {
						t.Error("two executions of one key")
					}
					runtime.Gosched()
					running[key].Add(-1)
					return executions.Add(1), nil
				})
				if err != nil || v <= old {
					t.Errorf("got %d, %v, having come after %d", v, err, old)
				}
				for old = returned[key].Load(); old < v && !returned[key].CompareAndSwap(old, v); {
					old = returned[key].Load()
				}
				n, _ := receivers.LoadOrStore(v, new(atomic.Int32))
				n.(*atomic.Int32).Add(1)
				if was, loaded := shared.LoadOrStore(v, wasShared); loaded && was != wasShared {
					t.Errorf("execution %d is shared for one caller and not for another", v)
				}
			}
		})
	}
	wg.Wait()
	var got uint64
	receivers.Range(func(v, n any) bool {
		c := n.(*atomic.Int32).Load()
		got += uint64(c)
		if was, _ := shared.Load(v); was != (c > 1) {
			t.Errorf("execution %d: %d callers, shared %v", v, c, was)
		}
		return true
	})
	c := g.Counters()
	equal(t, "calls", c.Started+c.Joined, uint64(workers*each))
	equal(t, "executions", c.Started, executions.Load())
	equal(t, "results", got, uint64(workers*each))
	equal(t, "snapshot", g.Snapshot(), collapse.Snapshot{})
}

// Callers leave, functions panic and exit, keys are forgotten, and the bound is
// reached: nobody hangs, everybody gets a result of the right key, the counters add
// up, and nothing is left.
func TestStressEverything(t *testing.T) {
	noLeak(t)
	const workers, keys = 16, 6
	each := scale(1500, 300)
	g := collapse.Must(collapse.New[int, int]("items", collapse.Config{MaxKeys: 4}))
	var calls, left, executions atomic.Uint64
	fn := func(key int) func(context.Context) (int, error) {
		return func(ctx context.Context) (int, error) {
			executions.Add(1)
			switch rand.IntN(12) {
			case 0:
				panic(key)
			case 1:
				runtime.Goexit()
			case 2:
				for ctx.Err() == nil && rand.IntN(50) != 0 {
					runtime.Gosched()
				}
			default:
				runtime.Gosched()
			}
			return key, nil
		}
	}
	once := func() {
		key := rand.IntN(keys)
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		defer func() {
			if r := recover(); r != nil && r != key {
				t.Errorf("key %d panics with %v", key, r)
			}
		}()
		switch rand.IntN(8) {
		case 0, 1, 2:
			go cancel()
		case 3:
			g.Forget(key)
		}
		calls.Add(1)
		v, _, err := g.Do(ctx, key, fn(key))
		switch {
		case err == nil && v != key:
			t.Errorf("key %d got %d", key, v)
		case err == context.Canceled:
			left.Add(1)
		case err != nil && err != collapse.ErrExited:
			t.Errorf("key %d: %v", key, err)
		}
	}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for range each {
				once()
				if s := g.Snapshot(); s.Keys > 4 || s.Keys > s.Running || s.Abandoned > s.Running || s.Waiting < 0 || s.Waiting > workers {
					t.Errorf("snapshot %+v", s)
				}
			}
		})
	}
	wg.Wait()
	for g.Snapshot().Running > 0 {
		runtime.Gosched() // executions that were abandoned
	}
	c := g.Counters()
	equal(t, "executions", c.Started, executions.Load())
	// A context may be done before the call: then nothing is counted.
	if c.Started+c.Joined > calls.Load() || c.Started+c.Joined+left.Load() < calls.Load() || c.Left > left.Load() || c.Abandoned > c.Left {
		t.Errorf("counters %+v of %d calls, %d of them left", c, calls.Load(), left.Load())
	}
	equal(t, "snapshot", g.Snapshot(), collapse.Snapshot{})
}

// Places under load: each callback comes exactly once, or the place was left.
func TestStressPlaces(t *testing.T) {
	const workers = 8
	each := scale(3000, 500)
	g := collapse.Must(collapse.New[int, int]("items", collapse.Config{}))
	var told, left, joined atomic.Uint64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := range each {
				p, leader := g.Join(i % 3)
				joined.Add(1)
				p.Wait(func(v int, _ bool, err error) {
					if v != i%3 || err != nil {
						t.Errorf("key %d got %d, %v", i%3, v, err)
					}
					told.Add(1)
				})
				if rand.IntN(3) == 0 && p.Leave() {
					left.Add(1)
				}
				if leader {
					runtime.Gosched()
					p.Finish(i%3, nil)
				}
			}
		})
	}
	wg.Wait()
	equal(t, "told or left", told.Load()+left.Load(), joined.Load())
	equal(t, "snapshot", g.Snapshot(), collapse.Snapshot{})
}
