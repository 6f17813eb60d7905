package retry_test

import (
	"context"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/backoff"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/retry"
)

// Whatever is called on a loop, in whatever order: it ends at most once, never
// exceeds its attempts, and leaves nothing withdrawn behind.
func FuzzLoop(f *testing.F) {
	f.Add([]byte{}, int64(0), uint8(0))
	f.Add([]byte{1, 1, 1, 1, 1}, int64(time.Second), uint8(3))
	f.Add([]byte{1, 2, 3, 4, 5, 6, 0, 1, 4}, int64(-1), uint8(1))
	f.Add([]byte{2, 2, 3, 4, 4, 0}, int64(1<<62), uint8(200))
	f.Fuzz(func(t *testing.T, script []byte, hint int64, attempts uint8) {
		clk := clock.NewVirtual(start)
		b := budgetOf(t, clk, budget.Config{Kind: budget.Quota, Quota: budget.QuotaConfig{Capacity: 10, Cost: 3}})
		cfg := retry.Config{Attempts: int(attempts), WaitRejected: hint%2 == 0, Backoff: backoff.Config{Jitter: backoff.Jitter(attempts % 4)}}
		r := made(t, cfg, retry.WithClock(clk), retry.WithBudget(b), retry.WithRandom(func() float64 { return float64(attempts) / 255 }))
		most := r.Config().Attempts
		l := r.Begin()
		next := func(err error, j switchgear.Judgement) {
			before := l.Attempt()
			delay, ok := l.Next(background, err, j)
			if ok != (delay > 0) || ok != (l.Attempt() == before+1) || l.Attempt() > most {
				t.Fatalf("attempt %d of %d: next %v, %v", l.Attempt(), most, delay, ok)
			}
			if wait := j.NotBefore; ok && delay < wait {
				t.Fatalf("delay %v after a hint of %v", delay, wait)
			}
			if !ok && err != nil {
				matches(t, l.Err(err), err)
			}
			clk.Advance(min(delay, time.Hour))
		}
		for _, op := range script {
			switch op % 7 {
			case 0:
				l.Done(switchgear.Outcome(op / 7))
			case 1:
				next(errDown, again)
			case 2:
				next(errDown, switchgear.Judgement{Health: switchgear.Failure, Repeat: switchgear.RepeatYes, NotBefore: time.Duration(hint)})
			case 3:
				full := &refusal{time.Duration(hint), op > 100}
				next(full, switchgear.Judge(background, full, nil, nil))
			case 4:
				_ = l.Abandon(context.Canceled, errDown)
			case 5:
				next(nil, switchgear.Judgement{Health: switchgear.Outcome(op / 7), Repeat: switchgear.Repeat(op / 14)})
			case 6:
				next(errFinal, never)
			}
		}
		l.Done(switchgear.Success)
		in, c := b.Snapshot(), r.Counters()
		equal(t, "withdrawals out", in.InUse, 0)
		ended := c.Final + c.GaveUp.Attempts + c.GaveUp.Budget + c.GaveUp.Deadline + c.GaveUp.Hint + c.GaveUp.Refused + c.GaveUp.Cancelled
		if ended+c.Recovered > 1 {
			t.Errorf("ended more than once: %+v", c)
		}
	})
}
