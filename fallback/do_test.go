package fallback_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/fallback"
)

func TestDo(t *testing.T) {
	ctx := context.Background()
	never := func(error) bool { return false }
	for _, tt := range []struct {
		name     string
		call     func(context.Context) (string, error)
		handlers []fallback.Handler[string]
		want     string
		err      string
	}{
		{"the call succeeds", answers("live"), []fallback.Handler[string]{fallback.Value("spare")}, "live", ""},
		{"a value", fails(errDown), []fallback.Handler[string]{fallback.Value("spare")}, "spare", ""},
		{"a function", fails(errDown), []fallback.Handler[string]{fallback.Func(fn(answers("spare")))}, "spare", ""},
		{"no handlers", fails(errDown), nil, "partial", "connection refused"},
		{"no cause matches: the call's result is untouched", fails(errDown),
			[]fallback.Handler[string]{fallback.Value("spare", fallback.Rejected, fallback.Timeout)}, "partial", "connection refused"},
		{"any one of the causes suffices", fails(refusal{}),
			[]fallback.Handler[string]{fallback.Value("spare", fallback.Timeout, fallback.Rejected)}, "spare", ""},
		{"the first that matches", fails(refusal{}), []fallback.Handler[string]{
			fallback.Value("late", fallback.Timeout), fallback.Value("refused", fallback.Rejected), fallback.Value("last"),
		}, "refused", ""},
		{"an answer is not replaced", fails(switchgear.MarkSuccess(errNotFound)), []fallback.Handler[string]{fallback.Value("spare")},
			"partial", "no such item"},
		{"unless that is asked for", fails(switchgear.MarkSuccess(errNotFound)),
			[]fallback.Handler[string]{fallback.Value("spare", fallback.Any)}, "spare", ""},
		{"a cause of one's own", fails(errDown), []fallback.Handler[string]{
			fallback.Value("spare", func(err error) bool { return strings.Contains(err.Error(), "refused") }),
		}, "spare", ""},
		{"a handler's failure is what the next is asked about", fails(errDown), []fallback.Handler[string]{
			fallback.Func(fn(fails(refusal{})), fallback.Is(errDown)),
			fallback.Value("not this", fallback.Is(errDown)),
			fallback.Value("spare", fallback.Rejected),
		}, "spare", ""},
		{"everything fails", fails(errDown), []fallback.Handler[string]{
			fallback.Func(fn(fails(errOther))).Named("disk"), fallback.Func(fn(fails(refusal{}))),
		}, "", `connection refused; fallback "disk" failed too: disk full; fallback "func" failed too: breaker "stock" is OPEN`},
		{"a chain", fails(errDown), []fallback.Handler[string]{
			fallback.Chain(provider("a", fails(errDown)), provider("b", answers("b")), provider("c", answers("c"))),
		}, "b", ""},
		{"a chain goes on while the cause matches", fails(refusal{}), []fallback.Handler[string]{
			fallback.Chain(provider("a", fails(refusal{})), provider("b", fails(errDown)), provider("c", answers("c"))).When(fallback.Rejected),
		}, "", `breaker "stock" is OPEN; fallback "a" failed too: breaker "stock" is OPEN; fallback "b" failed too: connection refused`},
		{"after a chain the list goes on", fails(errDown), []fallback.Handler[string]{
			fallback.Chain(provider("", fails(errDown)), provider("", fails(errOther))),
			fallback.Value("spare", fallback.Is(errOther)),
		}, "spare", ""},
		{"a chain's providers have names by default", fails(errDown), []fallback.Handler[string]{
			fallback.Chain(provider("", fails(errDown)), provider("", fails(errOther))).Named("mirror"),
		}, "", `connection refused; fallback "mirror/provider 1" failed too: connection refused; fallback "mirror/provider 2" failed too: disk full`},
		{"what is nil matches nothing", fails(errDown), []fallback.Handler[string]{
			{}, fallback.Func[string](nil), fallback.Chain(provider("a", nil)), fallback.Value("no", nil), fallback.Value("no", never, nil),
		}, "partial", "connection refused"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v, err := fallback.Do(ctx, tt.call, tt.handlers...)
			equal(t, "answer", v, tt.want)
			text := ""
			if err != nil {
				text = err.Error()
			}
			equal(t, "error", text, tt.err)
		})
	}
}

func TestFuncGetsTheErrorThatMatched(t *testing.T) {
	var saw []error
	see := func(err error) func(context.Context, error) (string, error) {
		return func(_ context.Context, cause error) (string, error) {
			saw = append(saw, cause)
			return "", err
		}
	}
	_, err := fallback.Do(context.Background(), fails(errDown), fallback.Func(see(errOther)), fallback.Func(see(refusal{})))
	equal(t, "causes", saw, []error{errDown, errOther})

	t.Run("the error matches everything that went wrong", func(t *testing.T) {
		for _, target := range []error{errDown, errOther, switchgear.ErrRejected} {
			equal(t, target.Error(), errors.Is(err, target), true)
		}
		equal(t, "and nothing else", errors.Is(err, errNotFound), false)
		e, ok := errors.AsType[*fallback.Error](err)
		equal(t, "facts", ok, true)
		equal(t, "call", e.Call, errDown)
		equal(t, "fallbacks", e.Fallbacks, []fallback.Failed{{Name: "func", Err: errOther}, {Name: "func", Err: refusal{}}})
	})
	t.Run("a hint of the call comes before one of a fallback", func(t *testing.T) {
		hinted := func(d time.Duration) error { return switchgear.WithRetryAfter(errDown, d) }
		_, err := fallback.Do(context.Background(), fails(hinted(time.Second)), fallback.Func(fn(fails(hinted(time.Hour)))))
		wait, known := switchgear.RetryAfter(err)
		equal(t, "known", known, true)
		equal(t, "wait", wait, time.Second)
	})
}

func TestCallerIsGone(t *testing.T) {
	t.Run("cancelled: nothing is done", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		v, err := fallback.Do(ctx, func(context.Context) (string, error) {
			cancel()
			return "partial", errDown
		}, fallback.Value("spare", fallback.Any))
		equal(t, "answer", v, "partial")
		equal(t, "error", err, errDown)
	})
	t.Run("cancelled between two providers: the second is not asked", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		second := false
		_, err := fallback.Do(ctx, fails(errDown), fallback.Chain(
			provider("a", func(ctx context.Context) (string, error) { cancel(); return "", ctx.Err() }),
			provider("b", func(context.Context) (string, error) { second = true; return "b", nil }),
		), fallback.Value("spare", fallback.Any))
		equal(t, "second provider asked", second, false)
		equal(t, "error matches the call's", errors.Is(err, errDown), true)
		equal(t, "error matches the cancellation", errors.Is(err, context.Canceled), true)
	})
	t.Run("deadline passed: no function is started, a value is given", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), -1)
		defer cancel()
		started := false
		v, err := fallback.Do(ctx, func(ctx context.Context) (string, error) { return "", ctx.Err() },
			fallback.Func(func(context.Context, error) (string, error) { started = true; return "func", nil }),
			fallback.Chain(provider("a", func(context.Context) (string, error) { started = true; return "a", nil })),
			fallback.Value("spare"))
		equal(t, "answer", v, "spare")
		equal(t, "error", err, nil)
		equal(t, "a function was started", started, false)
	})
	t.Run("somebody else's cancellation is a failure like another", func(t *testing.T) {
		v, err := fallback.Do(context.Background(), fails(context.Canceled), fallback.Value("spare"))
		equal(t, "answer", v, "spare")
		equal(t, "error", err, nil)
	})
	t.Run("a call that succeeds all the same has succeeded", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		v, err := fallback.Do(ctx, answers("live"), fallback.Value("spare"))
		equal(t, "answer", v, "live")
		equal(t, "error", err, nil)
	})
}

func TestPanicIsNoCause(t *testing.T) {
	boom := func(context.Context) (string, error) { panic("boom") }
	exit := func(context.Context) (string, error) { runtime.Goexit(); return "", nil }
	bad := func(error) bool { panic("boom") }
	for name, f := range map[string]*fallback.Fallback[string]{
		"call":    fallback.Must(fallback.New("price", fallback.Value("spare", fallback.Any))),
		"handler": fallback.Must(fallback.New("price", fallback.Func(fn(boom)), fallback.Value("spare", fallback.Any))),
		"cause":   fallback.Must(fallback.New("price", fallback.Value("spare", bad))),
	} {
		t.Run(name, func(t *testing.T) {
			call := fails(errDown)
			if name == "call" {
				call = boom
			}
			func() {
				defer func() { equal(t, "recovered", recover(), any("boom")) }()
				_, _ = f.Do(context.Background(), call)
			}()
			equal(t, "calls that got an error", f.Counters().Failed, 0)
		})
	}
	t.Run("so is a Goexit", func(t *testing.T) {
		f := fallback.Must(fallback.New("price", fallback.Value("spare", fallback.Any)))
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = f.Do(context.Background(), exit)
			t.Error("Do returned")
		}()
		<-done
		equal(t, "counters", f.Counters(), fallback.Counters{Handlers: []fallback.HandlerCounters{{Name: "value"}}})
	})
}

func TestAllocations(t *testing.T) {
	ctx := context.Background()
	f := fallback.Must(fallback.New("price", fallback.Func(fn(answers("spare")), fallback.Rejected), fallback.Value("last")))
	live, down := answers("live"), fails(errDown)
	equal(t, "allocations of a call that succeeds", testing.AllocsPerRun(100, func() { _, _ = f.Do(ctx, live) }), 0)
	equal(t, "allocations of a value", testing.AllocsPerRun(100, func() { _, _ = f.Do(ctx, down) }), 0)
	equal(t, "allocations without counters", testing.AllocsPerRun(100, func() {
		_, _ = fallback.Do(ctx, live, fallback.Value("spare"))
	}), 0)
}
