package retry_test

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/backoff"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/retry"
)

func TestDefaults(t *testing.T) {
	r := made(t, retry.Config{})
	want := retry.Config{
		Attempts: 3, MaxElapsed: off, MaxHint: time.Minute,
		Backoff: backoff.Must(backoff.New(backoff.Config{})).Config(),
	}
	equal(t, "config", r.Config(), want)
	equal(t, "made again from it", made(t, r.Config()).Config(), want)
	equal(t, "name", r.Name(), "stock")
	equal(t, "warnings", len(r.Warnings()), 0)
	equal(t, "events", len(r.Events()), 0)
	equal(t, "must", retry.Must(retry.New("stock", retry.Config{})).Config(), want)
	defer func() { equal(t, "panicked", recover() != nil, true) }()
	retry.Must(retry.New("stock", retry.Config{Attempts: -1}))
}

// bounds says for each field which values it takes.
var bounds = []struct {
	field     string
	good, bad []any
}{
	{"Attempts", []any{1, 2, 10_000, off}, []any{-1, 10_001, math.MaxInt32, -1<<31 + 1}},
	{"MaxElapsed", []any{time.Duration(1), month, time.Duration(off)}, []any{time.Duration(-1), -time.Second, month + 1, time.Duration(math.MaxInt64)}},
	{"MaxHint", []any{time.Duration(1), month, time.Duration(off)}, []any{time.Duration(-1), -time.Second, month + 1, time.Duration(math.MinInt64)}},
	{"WaitRejected", []any{true, false}, nil},
	{"Backoff", []any{backoff.Config{Kind: backoff.Constant}}, []any{
		backoff.Config{Initial: -1}, backoff.Config{Factor: 0.5}, backoff.Config{Factor: math.NaN()},
		backoff.Config{Max: -time.Second}, backoff.Config{Floor: -1}, backoff.Config{Spread: -1},
	}},
}

func TestBounds(t *testing.T) {
	covered := map[string]bool{}
	for _, b := range bounds {
		covered[b.field] = true
		t.Run("K59: "+b.field, func(t *testing.T) {
			with := func(value any) retry.Config {
				var cfg retry.Config
				reflect.ValueOf(&cfg).Elem().FieldByName(b.field).Set(reflect.ValueOf(value))
				return cfg
			}
			for _, value := range b.good {
				if _, err := retry.New("stock", with(value)); err != nil {
					t.Errorf("%v is refused: %v", value, err)
				}
			}
			for _, value := range b.bad {
				r, err := retry.New("stock", with(value))
				equal(t, "retry beside an error", r, nil)
				matches(t, err, switchgear.ErrConfig)
				c, ok := errors.AsType[*switchgear.ConfigError](err)
				if !ok || len(c.Problems) != 1 {
					t.Fatalf("%+v: got %v, want one problem", value, err)
				}
				path := c.Problems[0].Path
				equal(t, "path", path[:len(b.field)], b.field)
				equal(t, "policy and name", c.Policy+" "+c.Name, "retry stock")
			}
		})
	}
	for f := range reflect.TypeFor[retry.Config]().Fields() {
		if !covered[f.Name] {
			t.Errorf("no test for the bounds of %s", f.Name)
		}
	}
}

func TestEverythingIsReportedAtOnce(t *testing.T) {
	_, err := retry.New("stock", retry.Config{Attempts: -1, MaxElapsed: -1, MaxHint: -1, Backoff: backoff.Config{Initial: -1, Factor: 0.5}})
	equal(t, "error", err.Error(), `retry "stock": invalid configuration: `+
		`Attempts = -1: must be from 1 to 10000, or Off; `+
		`MaxElapsed = -1ns: must be from 1ns to 720h0m0s, or Off; `+
		`MaxHint = -1ns: must be from 1ns to 720h0m0s, or Off; `+
		`Backoff.Initial = -1ns: must be from 1µs to 720h0m0s; `+
		`Backoff.Factor = 0.5: must be from 1 to 100`)
}

func TestWarnings(t *testing.T) {
	warned := func(t *testing.T, cfg retry.Config, opts ...retry.Option) []string {
		var heard []event.Event
		clk := clock.NewVirtual(start)
		r := made(t, cfg, append(opts, retry.WithClock(clk), retry.WithListener(event.Func(func(e event.Event) { heard = append(heard, e) })))...)
		equal(t, "heard and remembered", heard, r.Events())
		var paths []string
		for i, w := range r.Warnings() {
			paths = append(paths, w.Path)
			e := heard[i]
			equal(t, "event", e, event.Event{Seq: uint64(i + 1), Time: start, Source: "retry", Name: "stock", Kind: event.Warning, Reason: w.String()})
		}
		return paths
	}
	t.Run("K30: nothing bounds the loop but the caller", func(t *testing.T) {
		unbounded := retry.Config{Attempts: off}
		equal(t, "warned of", warned(t, unbounded), []string{"Attempts"})
		equal(t, "with a budget", warned(t, unbounded, retry.WithBudget(budgetOf(t, clock.NewVirtual(start), budget.Config{}))), nil)
		equal(t, "with a limit", warned(t, retry.Config{Attempts: off, MaxElapsed: time.Hour}), nil)
	})
	t.Run("no second attempt fits", func(t *testing.T) {
		cfg := retry.Config{MaxElapsed: 100 * ms, Backoff: backoff.Config{Jitter: backoff.None}}
		equal(t, "warned of", warned(t, cfg), []string{"MaxElapsed"})
		cfg.Backoff.Jitter = backoff.Full
		equal(t, "with jitter", warned(t, cfg), nil)
		equal(t, "without retries", warned(t, retry.Config{Attempts: 1, MaxElapsed: 1}), nil)
	})
	t.Run("options that were given nil leave the defaults", func(t *testing.T) {
		r := made(t, retry.Config{}, nil, retry.WithClock(nil), retry.WithRandom(nil), retry.WithListener(nil), retry.WithClassifier(nil), retry.WithBudget(nil))
		l := r.Begin()
		_, ok := l.Next(background, errDown, again)
		equal(t, "again", ok, true)
	})
}

func TestCountersInDocuments(t *testing.T) {
	r := newRig(t, retry.Config{Backoff: plain})
	_ = r.run(background, failing(ever, errDown))
	text, err := json.Marshal(r.Snapshot())
	equal(t, "error", err, nil)
	equal(t, "text", string(text), `{"waiting":0,"counters":{"calls":1,"attempts":3,"retries":2,"recovered":0,"final":0,`+
		`"gave_up":{"attempts":1,"elapsed":0,"budget":0,"deadline":0,"hint":0,"refused":0,"cancelled":0}}}`)
}
