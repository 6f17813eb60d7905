package sgslog_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/sgslog"
)

func TestNew(t *testing.T) {
	_, err := sgslog.New(nil, sgslog.Config{Burst: -1, Every: 1, MaxText: 63, MaxNames: -1, Queue: 1_000_001})
	invalid, _ := errors.AsType[*switchgear.ConfigError](err)
	if invalid == nil {
		t.Fatalf("got %v", err)
	}
	var paths []string
	for _, p := range invalid.Problems {
		paths = append(paths, p.Path)
	}
	equal(t, "paths", paths, []string{"Logger", "Burst", "Every", "MaxText", "MaxNames", "Queue"})
	_, err = sgslog.New(nil, sgslog.Config{})
	equal(t, "without a logger", errors.Is(err, switchgear.ErrConfig), true)
	defer func() { equal(t, "Must panicked", recover() != nil, true) }()
	sgslog.Must(sgslog.New(nil, sgslog.Config{}))
}

func TestRate(t *testing.T) {
	// send sends events with a gap between them, and returns their states as written.
	type step struct {
		n   int
		gap time.Duration
	}
	for _, c := range []struct {
		name    string
		burst   int
		steps   []step
		want    []any // states
		leftOut []any
	}{
		{"a burst is written whole", 3, []step{{3, 0}}, []any{"1", "2", "3"}, []any{nil, nil, nil}},
		{"of more the newest, a little later", 3, []step{{10, 0}}, []any{"1", "2", "3", "10"}, []any{nil, nil, nil, uint64(6)}},
		{"one too many is only late", 3, []step{{4, 0}}, []any{"1", "2", "3", "4"}, []any{nil, nil, nil, nil}},
		{"at the pace of one a second all are written", 1, []step{{5, time.Second}}, []any{"1", "2", "3", "4", "5"}, []any{nil, nil, nil, nil, nil}},
		{"at twice the pace every other one", 1, []step{{6, time.Second / 2}}, []any{"1", "2", "4", "6"}, []any{nil, nil, uint64(1), uint64(1)}},
		{"after a rest there is a burst again", 2, []step{{2, 0}, {0, 2 * time.Second}, {2, 0}}, []any{"1", "2", "3", "4"}, []any{nil, nil, nil, nil}},
		{"a long rest is worth no more than one burst", 2, []step{{1, 0}, {0, time.Hour}, {5, 0}}, []any{"1", "2", "3", "6"}, []any{nil, nil, nil, uint64(2)}},
		{"after half a rest half of one", 2, []step{{2, 0}, {0, time.Second}, {3, 0}}, []any{"1", "2", "3", "5"}, []any{nil, nil, nil, uint64(1)}},
	} {
		inBubble(t, c.name, func(t *testing.T) {
			var j journal
			l := j.listen(t, sgslog.Config{Burst: c.burst})
			i := 0
			for _, s := range c.steps {
				for range max(s.n, 1) {
					if s.n > 0 {
						i++
						l.OnEvent(transition("a", "x", fmt.Sprint(i)))
						synctest.Wait()
					}
					time.Sleep(s.gap)
					synctest.Wait()
				}
			}
			time.Sleep(time.Hour)
			synctest.Wait()
			equal(t, "written", j.to(), c.want)
			var leftOut []any
			for _, line := range j.all() {
				leftOut = append(leftOut, line.attrs["left_out"])
			}
			equal(t, "left out", leftOut, c.leftOut)
			addsUp(t, l)
		})
	}
	inBubble(t, "no event overtakes one that was left out", func(t *testing.T) {
		c := clock.NewVirtual(start)
		var j journal
		l := j.listen(t, sgslog.Config{Burst: 1}, sgslog.WithClock(c))
		c.AfterFunc(time.Second, func() { l.OnEvent(transition("a", "x", "3")) }) // before the listener's own timer
		l.OnEvent(transition("a", "x", "1"))
		l.OnEvent(transition("a", "x", "2"))
		c.Advance(time.Second)
		synctest.Wait()
		equal(t, "written", j.to(), []any{"1", "3"})
		equal(t, "left out", j.all()[1].attrs["left_out"], any(uint64(1)))
		addsUp(t, l)
	})
	inBubble(t, "each source, name and kind is counted by itself", func(t *testing.T) {
		var j journal
		l := j.listen(t, sgslog.Config{Burst: 1})
		for range 3 {
			l.OnEvent(event.Event{Source: "s", Name: "n", Kind: "k"})
			l.OnEvent(event.Event{Source: "t", Name: "n", Kind: "k"})
			l.OnEvent(event.Event{Source: "s", Name: "o", Kind: "k"})
			l.OnEvent(event.Event{Source: "s", Name: "n", Kind: "l"})
		}
		synctest.Wait()
		equal(t, "lines", len(j.all()), 4)
		time.Sleep(time.Second)
		synctest.Wait()
		equal(t, "lines", len(j.all()), 8)
		addsUp(t, l)
	})
	inBubble(t, "names for which there is no room are counted together, and quiet ones make room", func(t *testing.T) {
		var j journal
		l := j.listen(t, sgslog.Config{Burst: 1, MaxNames: 2})
		for i := range 100 {
			l.OnEvent(transition(fmt.Sprint(i), "x", "y"))
		}
		synctest.Wait()
		equal(t, "lines", len(j.all()), 3)
		time.Sleep(time.Minute)
		synctest.Wait()
		equal(t, "lines", len(j.all()), 4)
		for i := range 2 {
			l.OnEvent(transition(fmt.Sprint("later ", i), "x", "y"))
		}
		synctest.Wait()
		equal(t, "lines", len(j.all()), 6)
		addsUp(t, l)
	})
}

// With a Burst of 5,000 and an Every of 30 days, both within their bounds, the instant up
// to which lines may be written once overflowed, and not one line was ever written.
func TestBoundsDoNotOverflow(t *testing.T) {
	const every = 30 * 24 * time.Hour
	for _, burst := range []int{1_000, 1_001, 5_000, 10_000} {
		inBubble(t, fmt.Sprint(burst), func(t *testing.T) {
			var j journal
			c := clock.NewVirtual(start)
			l, err := sgslog.New(slog.New(&j), sgslog.Config{Burst: burst, Every: every, Queue: 20_000}, sgslog.WithClock(c))
			equal(t, "refused", err != nil, burst > 1_000)
			if err != nil {
				equal(t, "names field and bound", strings.Contains(err.Error(), "Burst") && strings.Contains(err.Error(), "1000"), true)
				return
			}
			for range burst + 2 {
				l.OnEvent(transition("a", "x", "y"))
			}
			synctest.Wait()
			equal(t, "lines", len(j.all()), burst)
			c.Advance(every - 1)
			synctest.Wait()
			equal(t, "lines", len(j.all()), burst)
			c.Advance(1)
			synctest.Wait()
			equal(t, "lines", len(j.all()), burst+1)
			addsUp(t, l)
		})
	}
}

// What the documentation says about names beyond MaxNames: it once promised that the last
// line of each told of what is in force.
func TestNamesBeyondTheBoundShareTheirLines(t *testing.T) {
	inBubble(t, "the newest of all is written", func(t *testing.T) {
		var j journal
		l := j.listen(t, sgslog.Config{Burst: 1, MaxNames: 1})
		for _, name := range []string{"own", "a", "b", "c"} {
			l.OnEvent(transition(name, "CLOSED", "OPEN"))
		}
		l.OnEvent(transition("own", "OPEN", "CLOSED"))
		time.Sleep(time.Minute)
		synctest.Wait()
		var names []any
		for _, line := range j.all() {
			names = append(names, line.attrs["name"])
		}
		slices.SortFunc(names, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
		equal(t, "names", names, []any{"a", "c", "own", "own"})
		addsUp(t, l)
	})
}

// K67: a breaker that is open for 60 s, at 1,000 calls a second.
func TestK67NoLinePerRejectedCall(t *testing.T) {
	const seconds, rate = 60, 1_000
	inBubble(t, "K67: a breaker tells of it twice or thrice", func(t *testing.T) {
		var j journal
		l := j.listen(t, sgslog.Config{})
		b := must(breaker.New("stock", breaker.Config{
			Window: breaker.WindowConfig{Calls: 10}, MinimumCalls: 4,
			Open:     breaker.OpenConfig{Wait: seconds * time.Second, Jitter: off},
			HalfOpen: breaker.HalfOpenConfig{Probes: 1},
		}, breaker.WithListener(l)))
		for range 4 {
			_ = b.Do(t.Context(), func(context.Context) error { return errDown })
		}
		for range seconds * rate {
			_ = b.Do(t.Context(), func(context.Context) error { return nil })
			time.Sleep(time.Second / rate)
		}
		_ = b.Do(t.Context(), func(context.Context) error { return nil })
		synctest.Wait()
		equal(t, "lines", j.to(), []any{"OPEN", "HALF_OPEN", "CLOSED"})
		equal(t, "refused", j.all()[1].attrs["refused"], any(uint64(seconds*rate)))
	})
	inBubble(t, "K67: even a policy that tells of each call gets a line a second", func(t *testing.T) {
		var j journal
		l := j.listen(t, sgslog.Config{})
		for range seconds * rate {
			l.OnEvent(event.Event{Source: "custom", Name: "stock", Kind: "refused"})
			time.Sleep(time.Second / rate)
		}
		synctest.Wait()
		if n := len(j.all()); n < seconds || n > 10+seconds+1 {
			t.Errorf("%d lines", n)
		}
		equal(t, "timers that were waited for", l.Close(t.Context()), nil)
		addsUp(t, l)
	})
}

func TestHandlerHarmsNothing(t *testing.T) {
	inBubble(t, "one that hangs blocks no call, and loses the oldest, which is told", func(t *testing.T) {
		release := make(chan struct{})
		j := journal{before: func() error { <-release; return nil }}
		l := j.listen(t, sgslog.Config{Queue: 4})
		for i := range 10 {
			l.OnEvent(transition(fmt.Sprint(i), "x", fmt.Sprint(i)))
			synctest.Wait()
		}
		equal(t, "lost", l.Counters().Lost, 5)
		close(release)
		synctest.Wait()
		equal(t, "written", j.to(), []any{"0", "6", "7", "8", "9"})
		equal(t, "told", j.all()[1].attrs["lost"], any(uint64(5)))
		equal(t, "told once", j.all()[2].attrs["lost"], nil)
		addsUp(t, l)
	})
	inBubble(t, "one that hangs for ever lets Close end with its context", func(t *testing.T) {
		release := make(chan struct{})
		j := journal{before: func() error { <-release; return nil }}
		l := j.listen(t, sgslog.Config{})
		for range 5 {
			l.OnEvent(transition("a", "x", "y"))
		}
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		equal(t, "Close", l.Close(ctx), error(context.DeadlineExceeded))
		close(release)
		synctest.Wait()
		addsUp(t, l)
	})
	inBubble(t, "a full disk costs the lines, and is counted", func(t *testing.T) {
		full := true
		j := journal{before: func() error {
			if full {
				return errors.New("no space left on device")
			}
			return nil
		}}
		l := j.listen(t, sgslog.Config{})
		for range 3 {
			l.OnEvent(transition("a", "x", "y"))
		}
		synctest.Wait()
		full = false
		l.OnEvent(transition("a", "y", "z"))
		synctest.Wait()
		equal(t, "written", j.to(), []any{"z"})
		equal(t, "counters", l.Counters(), sgslog.Counters{Heard: 4, Written: 1, Failed: 3})
	})
	inBubble(t, "one that panics or ends its goroutine costs that line", func(t *testing.T) {
		bad := []func(){func() { panic("boom") }, runtime.Goexit, func() {}}
		i := 0
		j := journal{before: func() error { i++; bad[min(i-1, 2)](); return nil }}
		l := j.listen(t, sgslog.Config{})
		for n := range 3 {
			l.OnEvent(transition("a", "x", fmt.Sprint(n)))
		}
		synctest.Wait()
		equal(t, "written", j.to(), []any{"2"})
		equal(t, "panics", l.Counters().Panics, 2)
		addsUp(t, l)
	})
	inBubble(t, "a level that is not wanted is not written", func(t *testing.T) {
		j := journal{least: slog.LevelWarn}
		l := j.listen(t, sgslog.Config{})
		l.OnEvent(transition("a", "OPEN", "CLOSED"))
		l.OnEvent(transition("a", "CLOSED", "OPEN"))
		synctest.Wait()
		equal(t, "written", j.to(), []any{"OPEN"})
		equal(t, "disabled", l.Counters().Disabled, 1)
		addsUp(t, l)
	})
}

func TestClose(t *testing.T) {
	inBubble(t, "writes what was left out, and leaves no timer", func(t *testing.T) {
		c := clock.NewVirtual(start)
		var j journal
		l := j.listen(t, sgslog.Config{Burst: 1}, sgslog.WithClock(c), sgslog.WithClock(nil))
		for i := range 5 {
			l.OnEvent(transition("a", "x", fmt.Sprint(i)))
		}
		equal(t, "timers", c.Pending(), 1)
		equal(t, "Close", l.Close(t.Context()), nil)
		equal(t, "timers", c.Pending(), 0)
		equal(t, "written", j.to(), []any{"0", "4"})
		equal(t, "left out", j.all()[1].attrs["left_out"], any(uint64(3)))
		l.OnEvent(transition("a", "x", "late"))
		equal(t, "Close again", l.Close(t.Context()), nil)
		equal(t, "written", len(j.all()), 2)
		equal(t, "lost", l.Counters().Lost, 1)
		for range 3 {
			l.OnEvent(transition("a", "x", "late"))
		}
		equal(t, "timers", c.Pending(), 0)
		equal(t, "lost", l.Counters().Lost, 4)
		addsUp(t, l)
	})
	inBubble(t, "at rest there is neither a goroutine nor a timer", func(t *testing.T) {
		c := clock.NewVirtual(start)
		var j journal
		l := j.listen(t, sgslog.Config{Burst: 1}, sgslog.WithClock(c))
		for i := range 5 {
			l.OnEvent(transition("a", "x", fmt.Sprint(i)))
		}
		c.Advance(time.Second)
		synctest.Wait()
		equal(t, "timers", c.Pending(), 0)
		equal(t, "written", j.to(), []any{"0", "4"})
		// The bubble would notice a goroutine that stays: there is no Close here.
	})
}

// Many policies at once: every event is accounted for, and the last line of each name
// is its newest event.
func TestStress(t *testing.T) {
	var j journal
	l := j.listen(t, sgslog.Config{Burst: 3, Every: time.Millisecond})
	const workers, events = 8, 2_000
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for i := range events {
				l.OnEvent(transition(fmt.Sprint(w), "x", fmt.Sprint(i)))
			}
		})
	}
	all.Wait()
	equal(t, "Close", l.Close(context.Background()), nil)
	equal(t, "heard", l.Counters().Heard, workers*events)
	addsUp(t, l)
	last := map[any]any{}
	for _, line := range j.all() {
		last[line.attrs["name"]] = line.attrs["to"]
	}
	for w := range workers {
		equal(t, "newest", last[fmt.Sprint(w)], any(fmt.Sprint(events-1)))
	}
	if l.Counters().LeftOut == 0 {
		t.Error("the test tests nothing")
	}
}
