package retry_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/backoff"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/retry"
)

// A step is how one attempt of a random call goes.
type step struct {
	takes     time.Duration
	ends      string        // good, bad, final, refused
	hint      time.Duration // of a bad or a refused one
	known     bool          // a refusal says when to come back
	cancelled bool          // the caller gives up while the attempt is under way
	abandoned bool          // or while the next one is waited for
}

// A story is a random call: more steps than are made.
type story struct {
	cfg      retry.Config
	deadline time.Duration // 0: none
	steps    []step
}

func anyDuration(r *rand.Rand, most time.Duration) time.Duration {
	return time.Duration(r.Int64N(int64(most))) * time.Duration(r.IntN(4)) / 3 / ms * ms
}

func anyStory(r *rand.Rand, jitter bool) story {
	var s story
	s.cfg.Attempts = []int{off, 1, 2, 3, 8}[r.IntN(5)]
	s.cfg.MaxElapsed = []time.Duration{off, off, 3 * time.Second, 30 * time.Second}[r.IntN(4)]
	s.cfg.MaxHint = []time.Duration{off, 2 * time.Second, time.Minute}[r.IntN(3)]
	s.cfg.WaitRejected = r.IntN(2) == 0
	s.cfg.Backoff = backoff.Config{Initial: time.Second, Max: 5 * time.Second, Jitter: backoff.None, Spread: off}
	if jitter {
		s.cfg.Backoff.Jitter = backoff.Jitter(r.IntN(4))
		s.cfg.Backoff.Spread = []switchgear.Percent{off, 20, 100}[r.IntN(3)]
	}
	if r.IntN(3) == 0 {
		s.deadline = 1 + anyDuration(r, 40*time.Second)
	}
	for range 12 {
		st := step{takes: anyDuration(r, time.Second), cancelled: r.IntN(20) == 0, abandoned: r.IntN(20) == 0}
		st.ends = []string{"good", "final", "refused", "refused", "bad", "bad", "bad", "bad", "bad", "bad"}[r.IntN(10)]
		if st.ends == "refused" || r.IntN(3) == 0 {
			st.hint = anyDuration(r, 4*time.Second)
		}
		st.known = r.IntN(3) > 0
		s.steps = append(s.steps, st)
	}
	s.steps = append(s.steps, step{ends: "good"}) // so that every story ends
	return s
}

func (s step) err() error {
	switch s.ends {
	case "good":
		return nil
	case "final":
		return errFinal
	case "refused":
		return &refusal{s.hint, s.known}
	}
	return switchgear.WithRetryAfter(errDown, s.hint)
}

// An ending is how a call went.
type ending struct {
	began  []time.Duration
	limit  retry.Limit
	tokens int
}

const capacity, cost = 20, 3

// expected is the ending of a story without chance, told step by step in the plainest
// way. tokens is what the budget holds.
func (s story) expected(tokens int) ending {
	var e ending
	attempts := s.cfg.Attempts
	if attempts == off {
		attempts = ever
	}
	now := time.Duration(0)
	for i, st := range s.steps {
		e.began = append(e.began, now)
		now += st.takes
		first := i == 0
		switch {
		case st.ends == "good" && first:
			tokens = min(tokens+1, capacity)
		case !first && (st.ends == "good" || st.ends == "refused"):
			tokens = min(tokens+cost, capacity)
		}
		e.tokens = tokens
		if st.ends == "good" {
			return e
		}
		late := s.deadline > 0 && now >= s.deadline
		if st.cancelled || late {
			e.limit = retry.ByCancellation
			if late {
				e.limit = retry.ByDeadline
			}
			return e
		}
		delay := min(time.Second<<i, 5*time.Second)
		switch {
		case st.ends == "final":
			return e
		case st.ends == "refused":
			if !s.cfg.WaitRejected || !st.known {
				e.limit = retry.ByRefusal
				return e
			}
			if st.hint > 0 {
				delay = max(st.hint, ms)
			}
		}
		if i+1 >= attempts {
			e.limit = retry.ByAttempts
			return e
		}
		if st.ends == "bad" && s.cfg.MaxHint != off {
			if st.hint > s.cfg.MaxHint {
				e.limit = retry.ByHint
				return e
			}
			delay = max(delay, st.hint)
		}
		switch {
		case s.cfg.MaxElapsed != off && now+delay >= s.cfg.MaxElapsed:
			e.limit = retry.ByElapsed
			return e
		case s.deadline > 0 && now+delay >= s.deadline:
			e.limit = retry.ByDeadline
			return e
		case tokens < cost:
			e.limit = retry.ByBudget
			return e
		}
		tokens -= cost
		if st.abandoned {
			e.limit, e.tokens = retry.ByCancellation, tokens+cost
			return e
		}
		now += delay
	}
	return e
}

// live makes the call on a real retry in virtual time, and checks on the way what
// must hold of every call, with or without chance.
func (s story) live(t *testing.T, r *retry.Retry, clk *clock.Virtual) ending {
	t.Helper()
	cfg := r.Config()
	var e ending
	zero := clk.Mono()
	parent, cancel := context.WithCancel(background)
	defer cancel()
	ctx := parent
	if s.deadline > 0 {
		ctx = virtualDeadline{parent, clk, clk.Now().Add(s.deadline)}
	}
	l := r.Begin()
	for i, st := range s.steps {
		now := clk.Mono() - zero
		e.began = append(e.began, now)
		equal(t, "number of the attempt", l.Attempt(), i+1)
		if i > 0 && (cfg.Attempts != off && i+1 > cfg.Attempts || cfg.MaxElapsed != off && now >= cfg.MaxElapsed || s.deadline > 0 && now >= s.deadline) {
			t.Errorf("attempt %d begins at %v", i+1, now)
		}
		clk.Advance(st.takes)
		err := st.err()
		if err == nil {
			l.Done(switchgear.Success)
			break
		}
		gone := s.deadline > 0 && ctx.Err() != nil // by the deadline
		if st.cancelled && !gone {
			cancel()
			ctx = parent
		}
		before := clk.Mono()
		delay, ok := l.Next(ctx, err, switchgear.Judge(ctx, err, clk.Now, nil))
		equal(t, "time spent deciding", clk.Mono()-before, 0)
		if !ok {
			matches(t, l.Err(err), err)
			var limited *retry.Error
			if errors.As(l.Err(err), &limited) {
				equal(t, "limit in the error", limited.Limit, l.Limit())
				equal(t, "attempts in the error", limited.Attempts, i+1)
			} else if l.Limit() != retry.NoLimit && l.Limit() != retry.ByRefusal {
				t.Errorf("%v: %v is no *Error", l.Limit(), l.Err(err))
			}
			break
		}
		hint := st.hint
		if st.ends == "bad" && cfg.MaxHint == off {
			hint = 0
		}
		most := max(cfg.Backoff.Max, hint+time.Duration(float64(hint)*float64(max(cfg.Backoff.Spread, 0))/100))
		if delay < max(cfg.Backoff.Floor, hint) || delay > most {
			t.Errorf("delay %v after a hint of %v", delay, hint)
		}
		if st.abandoned {
			matches(t, l.Abandon(context.Canceled, err), err, context.Canceled, retry.ErrExhausted)
			break
		}
		clk.Advance(delay)
	}
	e.limit = l.Limit()
	return e
}

func TestRandomCalls(t *testing.T) {
	for _, jitter := range []bool{false, true} {
		t.Run(fmt.Sprint("jitter=", jitter), func(t *testing.T) {
			random := seeded(t)
			seen := map[retry.Limit]int{}
			for range 300 {
				clk := clock.NewVirtual(start)
				b := budgetOf(t, clk, budget.Config{Kind: budget.Quota, Quota: budget.QuotaConfig{Capacity: capacity, Cost: cost}})
				tokens := capacity
				for range 20 {
					s := anyStory(random, jitter)
					r := made(t, s.cfg, retry.WithClock(clk), retry.WithBudget(b), retry.WithRandom(random.Float64))
					got := s.live(t, r, clk)
					seen[got.limit]++
					if !jitter {
						want := s.expected(tokens)
						tokens = want.tokens
						got.tokens = int(b.Snapshot().Available)
						equal(t, "ending", got, want)
					}
					c := r.Counters()
					ended := c.Final + c.Recovered + c.GaveUp.Attempts + c.GaveUp.Elapsed + c.GaveUp.Budget +
						c.GaveUp.Deadline + c.GaveUp.Hint + c.GaveUp.Refused + c.GaveUp.Cancelled
					if len(got.began) == 1 && s.steps[0].ends == "good" {
						ended++ // good at once, which has no counter
					}
					equal(t, "calls ended", ended, 1)
					equal(t, "attempts", c.Attempts, uint64(len(got.began)))
					in := b.Snapshot()
					equal(t, "withdrawals out", in.InUse, 0)
					equal(t, "withdrawals", in.Granted, in.Settled+in.Cancelled)
					if t.Failed() {
						t.Fatalf("%+v", s)
					}
				}
			}
			for l := retry.NoLimit; l <= retry.ByCancellation; l++ {
				if seen[l] < 20 {
					t.Errorf("%v ended only %d calls", l, seen[l])
				}
			}
		})
	}
}
