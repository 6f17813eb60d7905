package retry_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/retry"
)

// nobody is a caller without a context.
var nobody context.Context

func TestLoop(t *testing.T) {
	t.Run("counts the attempts", func(t *testing.T) {
		r := made(t, retry.Config{Backoff: plain})
		l := r.Begin()
		equal(t, "first", l.Attempt(), 1)
		for _, n := range []int{2, 3} {
			_, ok := l.Next(background, errDown, again)
			equal(t, "again", ok, true)
			equal(t, "next", l.Attempt(), n)
			equal(t, "limit", l.Limit(), retry.NoLimit)
		}
		_, ok := l.Next(background, errDown, again)
		equal(t, "again", ok, false)
		equal(t, "last", l.Attempt(), 3)
		equal(t, "limit", l.Limit(), retry.ByAttempts)
	})
	t.Run("ends once", func(t *testing.T) {
		clk := clock.NewVirtual(start)
		b := budgetOf(t, clk, budget.Config{Kind: budget.Throttling})
		r := made(t, retry.Config{Backoff: plain}, retry.WithBudget(b))
		for _, end := range []func(l *retry.Loop){
			func(l *retry.Loop) { l.Done(switchgear.Failure) },
			func(l *retry.Loop) { l.Next(background, errFinal, never) },
			func(l *retry.Loop) {
				l.Next(nobody, errDown, again)
				equal(t, "", l.Abandon(nil, errDown) != nil, true)
			},
		} {
			before, tokens := r.Counters(), b.Snapshot().Available
			l := r.Begin()
			end(&l)
			end(&l)
			l.Done(switchgear.Failure)
			if delay, ok := l.Next(background, errDown, again); ok || delay != 0 {
				t.Errorf("another attempt after the end")
			}
			_ = l.Abandon(context.Canceled, errDown)
			after := r.Counters()
			equal(t, "ended", after.Final+after.GaveUp.Cancelled-before.Final-before.GaveUp.Cancelled, 1)
			equal(t, "tokens", b.Snapshot().Available, tokens-1)
			equal(t, "withdrawals out", b.Snapshot().InUse, 0)
		}
	})
	t.Run("the zero Loop has ended", func(t *testing.T) {
		var l retry.Loop
		_, ok := l.Next(background, errDown, again)
		equal(t, "again", ok, false)
		l.Done(switchgear.Success)
		equal(t, "wait", l.Wait(background, time.Hour), nil)
		equal(t, "error", l.Err(errDown), errDown)
		equal(t, "abandoned", l.Abandon(context.Canceled, errDown), errDown)
		equal(t, "attempt", l.Attempt(), 0)
	})
	t.Run("a bad result need not be an error", func(t *testing.T) {
		r := made(t, retry.Config{Attempts: 2, Backoff: plain})
		l := r.Begin()
		delay, ok := l.Next(background, nil, again)
		equal(t, "again", ok, true)
		equal(t, "delay", delay, time.Second)
		_, ok = l.Next(background, nil, again)
		equal(t, "again", ok, false)
		equal(t, "limit", l.Limit(), retry.ByAttempts)
		equal(t, "error", l.Err(nil), nil)
	})
	t.Run("a wait for a bad result that is abandoned is an error", func(t *testing.T) {
		r := made(t, retry.Config{Backoff: plain})
		l := r.Begin()
		l.Next(background, nil, again)
		e := gaveUp(t, l.Abandon(context.Canceled, nil), retry.ByCancellation, 1)
		matches(t, e, context.Canceled)
		equal(t, "last", e.Last, nil)
	})
	t.Run("a caller without a context never gives up", func(t *testing.T) {
		r := made(t, retry.Config{Backoff: plain})
		l := r.Begin()
		_, ok := l.Next(nobody, errDown, again)
		equal(t, "again", ok, true)
	})
	t.Run("a judgement that decides nothing ends the loop", func(t *testing.T) {
		r := made(t, retry.Config{Backoff: plain})
		l := r.Begin()
		_, ok := l.Next(background, errDown, switchgear.Judgement{})
		equal(t, "again", ok, false)
		equal(t, "error", l.Err(errDown), errDown)
	})
	t.Run("an attempt given up without an outcome says nothing", func(t *testing.T) {
		b := budgetOf(t, clock.NewVirtual(start), budget.Config{Kind: budget.Throttling})
		r := made(t, retry.Config{Backoff: plain}, retry.WithBudget(b))
		l := r.Begin()
		l.Done(switchgear.Undecided)
		equal(t, "tokens", b.Snapshot().Available, 10)
		equal(t, "final", r.Counters().Final, 1)
	})
	t.Run("what is abandoned without a wait made one attempt", func(t *testing.T) {
		b := budgetOf(t, clock.NewVirtual(start), budget.Config{})
		r := made(t, retry.Config{Backoff: plain}, retry.WithBudget(b))
		l := r.Begin()
		gaveUp(t, l.Abandon(context.DeadlineExceeded, errDown), retry.ByDeadline, 1)
	})
	t.Run("abandoned after a refusal, it tells the error before", func(t *testing.T) {
		r := made(t, retry.Config{Attempts: 5, WaitRejected: true, Backoff: plain})
		l := r.Begin()
		full := &refusal{time.Second, true}
		l.Next(background, errDown, again)
		l.Next(background, full, switchgear.Judge(background, full, nil, nil))
		e := gaveUp(t, l.Abandon(context.Canceled, full), retry.ByCancellation, 2)
		equal(t, "earlier", e.Earlier, errDown)
	})
}

func TestError(t *testing.T) {
	hinted := switchgear.WithRetryAfter(errDown, time.Hour)
	for _, tt := range []struct {
		err  retry.Error
		want string
	}{
		{retry.Error{Limit: retry.ByAttempts, Attempts: 3, Last: errDown},
			`retry "stock" gave up after 3 attempts, as many as are allowed; last error: connection refused`},
		{retry.Error{Limit: retry.ByAttempts, Attempts: 1, Last: errDown},
			`retry "stock" gave up after 1 attempt, as many as are allowed; last error: connection refused`},
		{retry.Error{Limit: retry.ByElapsed, Attempts: 7, Elapsed: 13_123_456_789, Last: errDown},
			`retry "stock" gave up after 7 attempts in 13.1s: the next would have begun too late; last error: connection refused`},
		{retry.Error{Limit: retry.ByElapsed, Attempts: 1, Elapsed: 1_234_567_890, Last: errDown},
			`retry "stock" gave up after 1 attempt in 1.235s: the next would have begun too late; last error: connection refused`},
		{retry.Error{Limit: retry.ByElapsed, Attempts: 1, Elapsed: 1_234_567, Last: errDown},
			`retry "stock" gave up after 1 attempt in 1.234567ms: the next would have begun too late; last error: connection refused`},
		{retry.Error{Limit: retry.ByBudget, Attempts: 1, Last: errDown, Cause: budget.ErrExhausted},
			`retry "stock" gave up after 1 attempt: the budget has nothing left; last error: connection refused; cause: budget: exhausted`},
		{retry.Error{Limit: retry.ByDeadline, Attempts: 2, Last: errDown, Cause: context.DeadlineExceeded},
			`retry "stock" gave up after 2 attempts: the caller's deadline leaves no time; last error: connection refused; cause: context deadline exceeded`},
		{retry.Error{Limit: retry.ByHint, Attempts: 1, Hint: time.Hour, Last: hinted},
			`retry "stock" gave up after 1 attempt: the dependency asks for a wait of 1h0m0s; last error: connection refused`},
		{retry.Error{Limit: retry.ByRefusal, Attempts: 2, Last: &refusal{}, Earlier: errDown},
			`retry "stock" gave up after 2 attempts: the last was refused; last error: bulkhead "stock" is full; earlier error: connection refused`},
		{retry.Error{Limit: retry.ByCancellation, Attempts: 1, Last: errDown, Cause: context.Canceled},
			`retry "stock" gave up after 1 attempt: the caller gave up; last error: connection refused; cause: context canceled`},
	} {
		t.Run(tt.err.Limit.String(), func(t *testing.T) {
			tt.err.Name = "stock"
			equal(t, "text", tt.err.Error(), tt.want)
			matches(t, &tt.err, retry.ErrExhausted, tt.err.Last)
			equal(t, "Last comes first", tt.err.Unwrap()[0], tt.err.Last)
			for _, err := range []error{tt.err.Earlier, tt.err.Cause} {
				if err != nil {
					matches(t, &tt.err, err)
				}
			}
		})
	}
	t.Run("an Error without anything in it", func(t *testing.T) {
		e := &retry.Error{}
		equal(t, "text", e.Error(), `retry "" gave up after 0 attempts`)
		equal(t, "chain", len(e.Unwrap()), 0)
		equal(t, "matches what it has not", errors.Is(e, errDown), false)
	})
	t.Run("marks at the call site are seen through it", func(t *testing.T) {
		r := newRig(t, retry.Config{Backoff: plain})
		err := r.run(background, failing(ever, switchgear.MarkRepeatable(switchgear.MarkIgnored(errDown))))
		gaveUp(t, err, retry.ByAttempts, 3)
		equal(t, "health", switchgear.JudgeError(background, err, r.clk.Now, false), switchgear.Ignored)
	})
}

func TestLimitNames(t *testing.T) {
	for n, name := range []string{"none", "attempts", "elapsed", "budget", "deadline", "hint", "refused", "cancelled"} {
		text, err := retry.Limit(n).MarshalText()
		equal(t, "error", err, nil)
		equal(t, "text", string(text), name)
		l := retry.Limit(200)
		equal(t, "error", l.UnmarshalText(text), nil)
		equal(t, "read back", l, retry.Limit(n))
	}
	_, err := retry.Limit(8).MarshalText()
	equal(t, "written", err == nil, false)
	equal(t, "string", retry.Limit(8).String(), "Limit(8)")
	l := retry.ByHint
	for _, bad := range []string{"", "Hint", "Limit(8)"} {
		equal(t, "read", l.UnmarshalText([]byte(bad)) == nil, false)
	}
	equal(t, "left alone", l, retry.ByHint)
}
