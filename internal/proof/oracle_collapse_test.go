package proof

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sync/singleflight"
	"pgregory.net/rapid"

	"github.com/switchgear-go/switchgear/collapse"
)

// A crowd is a schedule of calls that meet. Callers come in waves, so that those of one
// wave really run at the same time; executions last half a tick longer than a number of
// ticks, so that none ends while a wave comes.
type crowd struct {
	waves      []wave
	executions map[string][]execution // what the first, second, … of a key does
}

type wave struct {
	at      time.Duration
	key     string
	callers int
	forget  bool // the key, instead of calling
}

type execution struct {
	lasts time.Duration
	ends  string // value, error or panic
}

const tick = 10 * time.Millisecond

func drawCrowd(t *rapid.T) crowd {
	c := crowd{executions: map[string][]execution{}}
	at := time.Duration(0)
	for i := range 2 + pick(t, "waves", 1, 3, 8, 20) {
		at += tick*pick[time.Duration](t, "pause", 1, 0, 2, 5) + 1 // no two at one instant
		w := wave{at: at, key: pick(t, "key", "a", "b", "c"), callers: pick(t, "callers", 1, 2, 5, 20), forget: i > 0 && oneIn(t, 6, "forget")}
		c.waves = append(c.waves, w)
		c.executions[w.key] = append(c.executions[w.key], execution{
			lasts: tick*pick[time.Duration](t, "ticks", 1, 0, 2, 5, 10) + tick/2,
			ends:  pick(t, "end", "value", "value", "error", "panic"),
		})
	}
	return c
}

// A told is what one caller got.
type told struct {
	wave   int
	value  string // of the execution
	err    string
	panics string
	shared bool
}

// play has a group play the schedule, and returns what all callers were told, and how
// many executions each key had.
func (c crowd) play(t *testing.T, do func(key string, fn func() (string, error)) (string, bool, error), forget func(key string)) (all []told, executed map[string]int) {
	executed = map[string]int{}
	synctest.Test(t, func(*testing.T) {
		var mu sync.Mutex
		var callers sync.WaitGroup
		call := func(number int, key string) {
			got := told{wave: number}
			defer func() {
				if r := recover(); r != nil {
					// The oracle adds the stack.
					got.panics, _, _ = strings.Cut(fmt.Sprint(r), "\n")
				}
				mu.Lock()
				all = append(all, got)
				mu.Unlock()
			}()
			var err error
			got.value, got.shared, err = do(key, func() (string, error) {
				mu.Lock()
				n := executed[key]
				executed[key]++
				mu.Unlock()
				e := c.executions[key][n]
				time.Sleep(e.lasts)
				name := fmt.Sprintf("%s %d", key, n)
				switch e.ends {
				case "panic":
					panic(name)
				case "error":
					return name, errors.New(name)
				}
				return name, nil
			})
			if err != nil {
				got.err = err.Error()
			}
		}
		start := time.Now()
		for i, w := range c.waves {
			time.Sleep(w.at - time.Since(start))
			if w.forget {
				forget(w.key)
				continue
			}
			for range w.callers {
				callers.Go(func() { call(i, w.key) })
			}
		}
		callers.Wait()
	})
	// Which caller of a wave is the first, and so the one not counted as a duplicate, is
	// chance, but what each of them is told is not.
	slices.SortFunc(all, func(a, b told) int {
		return cmp.Compare(fmt.Sprintf("%3d %v", a.wave, a), fmt.Sprintf("%3d %v", b.wave, b))
	})
	return all, executed
}

// TestOracleCollapse plays random schedules of concurrent calls to a group and to
// golang.org/x/sync/singleflight: every caller gets the same value, error, panic and
// shared flag, and every key has as many executions.
//
// Left out, because the two differ on purpose: callers that leave (the oracle knows no
// contexts), and functions that end their goroutine, which ends the callers' there and is
// an error here.
func TestOracleCollapse(t *testing.T) {
	var ledger ledger
	rapid.Check(t, func(r *rapid.T) {
		tally := tally{}
		c := drawCrowd(r)
		group := collapse.Must(collapse.New[string, string]("items", collapse.Config{}))
		got, executed := c.play(t, func(key string, fn func() (string, error)) (string, bool, error) {
			return group.Do(context.Background(), key, func(context.Context) (string, error) { return fn() })
		}, func(key string) {
			if group.Forget(key) {
				tally.note("forgotten")
			}
		})

		var flight singleflight.Group
		want, wantExecuted := c.play(t, func(key string, fn func() (string, error)) (string, bool, error) {
			v, err, shared := flight.Do(key, func() (any, error) { return fn() })
			return v.(string), shared, err
		}, flight.Forget)

		if !maps.Equal(executed, wantExecuted) {
			r.Fatalf("executions: got %v, want %v, of %+v", executed, wantExecuted, c.waves)
		}
		if !slices.Equal(got, want) {
			r.Fatalf("callers were told\n%+v, want\n%+v", got, want)
		}
		total := 0
		for _, n := range executed {
			total += n
		}
		counters := group.Counters()
		if counters.Started != uint64(total) || counters.Started+counters.Joined != uint64(len(want)) {
			r.Fatalf("%d calls, %d executions: got %+v", len(want), total, counters)
		}
		for _, one := range want {
			switch {
			case one.panics != "":
				tally.note("panic")
			case one.err != "":
				tally.note("error")
			case one.shared:
				tally.note("shared")
			default:
				tally.note("alone")
			}
		}
		waves := map[string]int{} // by the execution's name: joined by a later wave
		for _, one := range want {
			name := cmp.Or(one.value, one.panics)
			if first, ok := waves[name]; ok && first != one.wave {
				tally.note("joined later")
			} else {
				waves[name] = one.wave
			}
		}
		ledger.add(tally)
	})
	ledger.require(t, 50, "panic", "error", "shared", "alone", "joined later", "forgotten")
}
