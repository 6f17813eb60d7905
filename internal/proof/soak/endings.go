package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
)

// An ending is one way for a protected call to end that an error and a context tell, and
// what rules C1 make of it.
type ending struct {
	name string
	err  error
	ctx  context.Context

	plain      kind // without a classifier
	classified kind // with the breaker's classifier, which is judgeError
	judged     kind // with the call's classifier, which is judgeResult
	bomb       bool // both classifiers panic
}

// always is an ending of one kind whoever judges.
func always(name string, k kind, ctx context.Context, err error) ending {
	return ending{name: name, err: err, ctx: ctx, plain: k, classified: k, judged: k}
}

var (
	errDown   = errors.New("down")
	errBenign = errors.New("not found")       // a success by both classifiers
	errSkip   = errors.New("never sent")      // ignored by both
	errOdd    = errors.New("odd")             // the breaker's classifier returns what is no outcome
	errBomb   = errors.New("classifier bomb") // both panic
	errBoom   = errors.New("boom")            // what protected functions panic with
	errLocal  = fmt.Errorf("own queue is full: %w", switchgear.ErrRejected)
)

// judgeError is the classifier of breakers that have one.
func judgeError(err error) switchgear.Outcome {
	switch err {
	case errBenign:
		return switchgear.Success
	case errSkip:
		return switchgear.Ignored
	case errOdd:
		return switchgear.Outcome(77)
	case errBomb:
		panic(errBomb)
	}
	return switchgear.Undecided
}

// bad is the result that judgeResult takes for a failure although there is no error.
const (
	good = 7
	bad  = -7
)

// judgeResult is the classifier of calls that have one.
func judgeResult(v int, err error) switchgear.Outcome {
	if v == bad && err == nil {
		return switchgear.Failure
	}
	return judgeError(err)
}

// kindOf names the kinds of errors in the records of trips, for breakers that are given it.
func kindOf(err error) string {
	switch err {
	case errDown:
		return "down"
	case errOdd:
		panic("no kind")
	}
	return breaker.ErrorKind(err)
}

// coded has a status, for the kinds of errors in a trip record.
type coded int

func (c coded) Error() string { return fmt.Sprintf("status %d", int(c)) }

func (c coded) StatusCode() int { return int(c) }

// explosive cannot say what it is.
type explosive struct{}

func (explosive) Error() string { panic("no text") }

// badHint cannot say when to come back.
type badHint struct{ error }

func (badHint) RetryAfter() (time.Duration, bool) { panic("no hint") }

// nosy looks at the breaker when it is asked for its text, which is allowed since no lock
// is held then.
type nosy struct{ s *subject }

func (n nosy) Error() string { return fmt.Sprintf("while %v", n.s.b.Snapshot().State) }

// quitting ends the goroutine that asks for its text.
type quitting struct{ s *subject }

func (q quitting) Error() string {
	if q.s.mayQuit.Load() {
		q.s.quits.Add(1)
		runtime.Goexit()
	}
	return "quitting"
}

// stale is a context whose deadline has passed without its noticing (C1).
type stale struct{ context.Context }

func (stale) Deadline() (time.Time, bool) { return longPast, true }

// patient is one with all the time in the world.
type patient struct{ context.Context }

func (patient) Deadline() (time.Time, bool) { return farAhead, true }

var (
	longPast = time.Date(2001, time.January, 1, 0, 0, 0, 0, time.UTC)
	farAhead = time.Date(2101, time.January, 1, 0, 0, 0, 0, time.UTC)
)

// endings are the ways in which calls end in one round, by what they are mostly taken for.
type endings struct {
	succeed, fail, ignore []ending
}

// newEndings returns them; hints are waits that some failures ask for.
func newEndings(hints []time.Duration) *endings {
	bg := context.Background()
	gone, cancel := context.WithCancel(bg)
	cancel()
	expired, cancel := context.WithDeadline(bg, longPast)
	cancel()

	e := &endings{
		succeed: []ending{
			always("answer after the cancellation", success, gone, nil),
			always("answer after the deadline", success, expired, nil),
			always("marked success", success, bg, switchgear.MarkSuccess(errDown)),
			always("marked success, by a caller who has gone", success, gone, switchgear.MarkSuccess(context.Canceled)),
		},
		ignore: []ending{
			always("marked ignored", ignored, bg, switchgear.MarkIgnored(errDown)),
			always("refused locally", ignored, bg, errLocal),
			always("caller gave up", ignored, gone, context.Canceled),
			{"skipped", errSkip, bg, failure, ignored, ignored, false},
		},
		fail: []ending{
			always("down", failure, bg, errDown),
			always("down while the caller has time", failure, patient{bg}, errDown),
			always("down after the cancellation", failure, gone, errDown),
			always("cancelled by nobody", failure, bg, context.Canceled),
			always("marked failure", failure, gone, switchgear.MarkFailure(context.Canceled)),
			always("status", failure, bg, coded(503)),
			always("explosive", failure, bg, explosive{}),
			always("bad hint", failure, bg, badHint{errDown}),
			always("deadline", either, expired, context.DeadlineExceeded),
			always("deadline that only the connection has noticed", either, stale{bg}, errDown),
			{"benign", errBenign, bg, failure, success, success, false},
			{"odd", errOdd, bg, failure, failure, failure, false},
			{"bomb", errBomb, bg, failure, failure, failure, true},
		},
	}
	for _, d := range hints {
		e.fail = append(e.fail, always("hint", failure, bg, switchgear.WithRetryAfter(coded(429), d)))
	}
	return e
}
