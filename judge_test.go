package switchgear_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	sg "github.com/switchgear-go/switchgear"
)

var (
	errDown = errors.New("connection refused")
	noon    = time.Date(2030, time.May, 1, 12, 0, 0, 0, time.UTC)
	atNoon  = func() time.Time { return noon }
)

func TestJudge(t *testing.T) {
	background := context.Background()
	cancelled, cancel := context.WithCancel(background)
	cancel()
	expired, cancelExpired := context.WithDeadline(background, noon.Add(-time.Second))
	defer cancelExpired()
	soon, cancelSoon := context.WithDeadline(background, noon.AddDate(1000, 0, 0))
	defer cancelSoon()

	refused := fmt.Errorf("stock: %w", sg.ErrRejected)
	says := func(health sg.Outcome, repeat sg.Repeat, wait time.Duration) func(error) sg.Judgement {
		return func(error) sg.Judgement { return sg.Judgement{Health: health, Repeat: repeat, NotBefore: wait} }
	}
	for _, c := range []struct {
		rule     string
		ctx      context.Context
		err      error
		classify func(error) sg.Judgement
		want     sg.Judgement
	}{
		{"no error is a success, whatever the classifier says", background, nil, says(sg.Failure, sg.RepeatYes, 1), sg.Judgement{Health: sg.Success, Repeat: sg.RepeatNever}},
		{"no error is a success, also for a caller that has gone", cancelled, nil, nil, sg.Judgement{Health: sg.Success, Repeat: sg.RepeatNever}},
		{"C1.6: an error is a failure, worth another attempt", background, errDown, nil, sg.Judgement{Health: sg.Failure, Repeat: sg.RepeatYes}},
		{"no context is a caller that stays", nil, errDown, nil, sg.Judgement{Health: sg.Failure, Repeat: sg.RepeatYes}},

		{"C1.1: a mark decides about health; what is ignored is not repeated", background, sg.MarkIgnored(errDown), says(sg.Failure, 0, 0), sg.Judgement{Health: sg.Ignored, Repeat: sg.RepeatNever}},
		{"C1.1: nor is a success", background, sg.MarkSuccess(errDown), nil, sg.Judgement{Health: sg.Success, Repeat: sg.RepeatNever}},
		{"C1.1: unless the mark for that says so", background, sg.MarkRepeatable(sg.MarkSuccess(errDown)), nil, sg.Judgement{Health: sg.Success, Repeat: sg.RepeatYes}},
		{"a final failure is a failure", background, fmt.Errorf("put: %w", sg.MarkFinal(errDown)), says(0, sg.RepeatYes, 0), sg.Judgement{Health: sg.Failure, Repeat: sg.RepeatNever}},
		{"the outermost mark counts", background, sg.MarkRepeatable(sg.MarkFinal(errDown)), nil, sg.Judgement{Health: sg.Failure, Repeat: sg.RepeatYes}},

		{"C1.2: a refusal says nothing and is not repeated", background, refused, says(sg.Failure, sg.RepeatYes, 0), sg.Judgement{Health: sg.Ignored, Repeat: sg.RepeatNever}},
		{"C1.2: unless it is marked", background, sg.MarkRepeatable(refused), nil, sg.Judgement{Health: sg.Ignored, Repeat: sg.RepeatYes}},

		{"C1.3: the caller gave up", cancelled, fmt.Errorf("get: %w", context.Canceled), says(0, sg.RepeatYes, 0), sg.Judgement{Health: sg.Ignored, Repeat: sg.RepeatNever}},
		{"C1.3: another error is one, but the caller is gone", cancelled, sg.MarkRepeatable(errDown), nil, sg.Judgement{Health: sg.Failure, Repeat: sg.RepeatNever}},
		{"C1.4: the caller's deadline has passed", expired, context.DeadlineExceeded, says(sg.Ignored, sg.RepeatYes, 0), sg.Judgement{Health: sg.Failure, Repeat: sg.RepeatNever}},
		{"C1.6: the dependency's own timeout", soon, context.DeadlineExceeded, nil, sg.Judgement{Health: sg.Failure, Repeat: sg.RepeatYes}},

		{"C1.5: the classifier gives both answers", background, errDown, says(sg.Success, sg.RepeatYes, time.Second), sg.Judgement{Health: sg.Success, Repeat: sg.RepeatYes, NotBefore: time.Second}},
		{"C1.5: or one", background, errDown, says(0, sg.RepeatNever, 0), sg.Judgement{Health: sg.Failure, Repeat: sg.RepeatNever}},
		{"C1.5: or none", background, errDown, says(0, 0, 0), sg.Judgement{Health: sg.Failure, Repeat: sg.RepeatYes}},
		{"C1.5: or nonsense", background, errDown, says(99, 99, -1), sg.Judgement{Health: sg.Failure, Repeat: sg.RepeatYes}},

		{"a hint", background, sg.WithRetryAfter(errDown, time.Minute), nil, sg.Judgement{Health: sg.Failure, Repeat: sg.RepeatYes, NotBefore: time.Minute}},
		{"a classifier's own hint comes first", background, sg.WithRetryAfter(errDown, time.Minute), says(0, 0, time.Second), sg.Judgement{Health: sg.Failure, Repeat: sg.RepeatYes, NotBefore: time.Second}},
		{"a hint of the past is none", background, ago{}, nil, sg.Judgement{Health: sg.Failure, Repeat: sg.RepeatYes}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			if got := sg.Judge(c.ctx, c.err, atNoon, c.classify); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

// ago is an error with a careless hint.
type ago struct{}

func (ago) Error() string                     { return "busy" }
func (ago) RetryAfter() (time.Duration, bool) { return -time.Second, true }

func TestJudgeError(t *testing.T) {
	// A clock that is ahead of the context's timer stands for a connection that was given
	// the deadline itself, and was the first to notice.
	ctx, cancel := context.WithDeadline(context.Background(), noon.AddDate(1000, 0, 0))
	defer cancel()
	later := func() time.Time { return noon.AddDate(1000, 0, 0) }
	sooner := func() time.Time { return later().Add(-1) }
	for _, c := range []struct {
		rule    string
		now     func() time.Time
		hurried bool
		want    sg.Outcome
	}{
		{"C1.4: at the deadline", later, false, sg.Failure},
		{"C1.4: a nanosecond before it", sooner, false, sg.Undecided},
		{"C1.4: at the deadline, with too little time from the start", later, true, sg.Ignored},
		{"C1.4: that matters only at the deadline", sooner, true, sg.Undecided},
	} {
		t.Run(c.rule, func(t *testing.T) {
			if got := sg.JudgeError(ctx, errDown, c.now, c.hurried); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
	if got := sg.JudgeError(ctx, nil, later, true); got != sg.Undecided {
		t.Errorf("no error: got %v, want undecided", got)
	}
}

func TestRepeatMarks(t *testing.T) {
	for name, mark := range map[string]func(error) error{"repeatable": sg.MarkRepeatable, "final": sg.MarkFinal} {
		err := mark(errDown)
		if !errors.Is(err, errDown) || err.Error() != errDown.Error() {
			t.Errorf("%s: got %v, which hides the error", name, err)
		}
		if mark(nil) != nil {
			t.Errorf("%s: got an error out of none", name)
		}
	}
	names := fmt.Sprint(sg.RepeatUndecided, sg.RepeatNever, sg.RepeatYes)
	if want := "undecided never yes"; names != want {
		t.Errorf("names: got %q, want %q", names, want)
	}
}

func TestAttempt(t *testing.T) {
	type key struct{}
	ctx := context.WithValue(context.Background(), key{}, "kept")
	if a, ok := sg.AttemptOf(ctx); ok || a != (sg.Attempt{Number: 1}) {
		t.Errorf("outside of one: got %+v, %v", a, ok)
	}
	outer := sg.WithAttempt(ctx, sg.Attempt{Number: 2, Hedge: true})
	inner := sg.WithAttempt(outer, sg.Attempt{Number: 1, Probe: true})
	if a, ok := sg.AttemptOf(outer); !ok || a != (sg.Attempt{Number: 2, Hedge: true}) {
		t.Errorf("outer: got %+v, %v", a, ok)
	}
	if a, ok := sg.AttemptOf(inner); !ok || a != (sg.Attempt{Number: 1, Probe: true}) {
		t.Errorf("inner: got %+v, %v", a, ok)
	}
	if inner.Value(key{}) != "kept" {
		t.Error("a value of the context is lost")
	}
	if n := testing.AllocsPerRun(100, func() { sg.WithAttempt(ctx, sg.Attempt{Number: 1}) }); n > 1 {
		t.Errorf("allocations: got %v, want at most 1", n)
	}
}
