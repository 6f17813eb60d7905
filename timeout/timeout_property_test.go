package timeout_test

import (
	"context"
	"errors"
	"math/rand"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/switchgear-go/switchgear/timeout"
)

// A scene is one call with everything that may end it. Times are in milliseconds;
// -1 stands for never. The three parties act at times that differ in their
// remainder by four, so that no two are at the same instant, save for the function
// and the limit: that tie is decided by the rule.
type scene struct {
	limit    int // 4n
	minimum  int
	takes    int // 4n: the function's own time
	heeds    bool
	deadline int // 4n+1: the caller's
	cancel   int // 4n+2
	result   error
	abandon  bool
}

func randomScene(r *rand.Rand) scene {
	s := scene{
		limit: 4 * (1 + r.Intn(10)), minimum: -1, takes: 4 * r.Intn(15), heeds: r.Intn(2) == 0,
		deadline: -1, cancel: -1, abandon: r.Intn(2) == 0,
	}
	if r.Intn(2) == 0 {
		s.deadline = 4*r.Intn(12) + 1
	}
	if r.Intn(3) == 0 {
		s.cancel = 4*r.Intn(12) + 2
	}
	if r.Intn(4) == 0 {
		s.minimum = 1 + r.Intn(s.limit)
	}
	if r.Intn(2) == 0 {
		s.result = errDown
	}
	return s
}

// An ending is how a call must end: when, and as what.
type ending struct {
	at       int
	rejected bool
	timedOut bool
	err      error // otherwise
	left     bool  // the function is left behind
}

// model says how s must end, by going through the milliseconds.
func (s scene) model() ending {
	if s.deadline >= 0 && s.minimum > 0 && s.deadline < s.minimum {
		return ending{rejected: true}
	}
	if !s.heeds && !s.abandon && s.cancel >= 0 && s.cancel < s.takes && (s.deadline < 0 || s.deadline > s.cancel) {
		// Nobody has looked at the context before the end, when the caller had gone.
		return ending{at: s.takes, err: s.result}
	}
	told := error(nil) // what the function's context says
	limited := false   // and that it says so because of the limit
	for now := 0; ; now++ {
		switch {
		case told != nil:
		case now == s.limit:
			told, limited = context.DeadlineExceeded, true
		case now == s.deadline:
			told = context.DeadlineExceeded
		case now == s.cancel:
			told = context.Canceled
		}
		ends := now == s.takes || (s.heeds && told != nil)
		if told != nil && s.abandon {
			// Whoever is told first at this instant, the function or Do, the
			// call ends now and the verdict is the same.
			return ending{at: now, timedOut: limited, err: told, left: !ends}
		}
		if !ends {
			continue
		}
		err := s.result
		if now != s.takes {
			err = told
		}
		return ending{at: now, timedOut: limited, err: err}
	}
}

// play makes the call.
func (s scene) play(w *world) (ending, timeout.Counters) {
	cfg := timeout.Config{Limit: time.Duration(s.limit) * ms, Abandon: s.abandon}
	if s.minimum > 0 {
		cfg.Minimum = time.Duration(s.minimum) * ms
	}
	to := w.new(cfg)
	ctx, cancel := context.Background(), func() {}
	if s.deadline >= 0 {
		ctx, cancel = w.caller(time.Duration(s.deadline) * ms)
	}
	ctx, leave := context.WithCancel(ctx)
	stop := func() bool { return false }
	if s.cancel >= 0 {
		stop = w.AfterFunc(time.Duration(s.cancel)*ms, leave).Stop
	}
	var over sync.WaitGroup
	over.Add(1)
	var err error
	var took time.Duration
	w.run(func() {
		begin := w.Mono()
		err = to.Do(ctx, func(ctx context.Context) error {
			defer over.Done()
			if !s.heeds {
				ctx = context.Background()
			}
			if err := w.sleep(ctx, time.Duration(s.takes)*ms); err != nil {
				return err
			}
			return s.result
		})
		took = w.Mono() - begin
		if errors.Is(err, timeout.ErrRejected) {
			over.Done() // the function did not run
		}
	})
	e := ending{
		at:       int(took / ms),
		rejected: errors.Is(err, timeout.ErrRejected),
		timedOut: errors.Is(err, timeout.ErrTimeout),
		left:     to.Snapshot().Abandoned == 1,
		err:      err,
	}
	if e.rejected || e.timedOut {
		e.err = nil
	}
	w.run(over.Wait)
	synctest.Wait()
	stop()
	leave()
	cancel()
	return e, to.Counters()
}

// Every call ends when the naive model says, as what it says, on both clocks, and
// the counters agree.
func TestAgainstModel(t *testing.T) {
	seed := rand.Int63()
	t.Logf("seed %d", seed)
	worlds(t, func(t *testing.T, w *world) {
		r := rand.New(rand.NewSource(seed))
		for range 1000 {
			s := randomScene(r)
			want := s.model()
			got, counters := s.play(w)
			if want.timedOut || want.rejected {
				want.err = nil
			}
			// Where Do and the function wake at the same instant, either may be
			// first.
			if s.abandon && (s.heeds || s.takes == s.limit) {
				want.left, got.left = false, false
			}
			if got != want {
				t.Fatalf("%+v:\n got %+v\nwant %+v", s, got, want)
			}
			equal(t, "timed out", counters.TimedOut == 1, want.timedOut)
			equal(t, "rejected", counters.Rejected == 1, want.rejected)
			equal(t, "late", counters.Late, counters.Abandoned)
			if t.Failed() {
				t.Fatalf("%+v", s)
			}
		}
	})
}
