package sghttp

import (
	"errors"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/evidence"
)

func TestConfigDefaults(t *testing.T) {
	cfg := newTransport(t, nil, Config{}).cfg
	equal(t, "MaxBreakers", cfg.MaxBreakers, 1024)
	equal(t, "IdleAfter", cfg.IdleAfter, 5*time.Minute)
	equal(t, "JudgeBody", cfg.JudgeBody, false)
	equal(t, "SyntheticResponse", cfg.SyntheticResponse, false)
	equal(t, "Breaker.MinimumCalls", cfg.Breaker.MinimumCalls, 20)
}

// K59 and rule Z1: no value is accepted that makes no sense, none is silently
// replaced, and everything wrong is told at once.
func TestConfigProblems(t *testing.T) {
	problems := func(t *testing.T, cfg Config) []string {
		t.Helper()
		_, err := NewTransport(nil, cfg)
		matches(t, "NewTransport", err, switchgear.ErrConfig)
		invalid, ok := errors.AsType[*switchgear.ConfigError](err)
		if !ok {
			t.Fatalf("got %T, want a *ConfigError", err)
		}
		var lines []string
		for _, p := range invalid.Problems {
			lines = append(lines, p.String())
		}
		return lines
	}
	t.Run("all at once, with the paths of nested fields, in the order of the fields", func(t *testing.T) {
		got := problems(t, Config{
			Breaker: breaker.Config{
				MinimumCalls: -1,
				Open:         breaker.OpenConfig{Wait: -time.Second},
			},
			MaxBreakers: -1,
			IdleAfter:   -time.Second,
			Statuses:    map[int]switchgear.Outcome{99: switchgear.Success, 404: 17, 1000: switchgear.Undecided},
		})
		equal(t, "problems", got, []string{
			"Breaker.MinimumCalls = -1: must be from 1 to 1000000000",
			"Breaker.Open.Wait = -1s: must be from 1ns to 720h0m0s",
			"MaxBreakers = -1: must be from 1 to 100000",
			"IdleAfter = -1s: must be from 1ns to 720h0m0s",
			"Statuses[99] = success: must be for a status code from 100 to 999",
			"Statuses[404] = undecided: must be success, failure or ignored",
			"Statuses[1000] = undecided: must be for a status code from 100 to 999",
			"Statuses[1000] = undecided: must be success, failure or ignored",
		})
	})
	t.Run("nothing here can be switched off", func(t *testing.T) {
		got := problems(t, Config{MaxBreakers: off, IdleAfter: off})
		equal(t, "number of problems", len(got), 2)
	})
	t.Run("bounds", func(t *testing.T) {
		newTransport(t, nil, Config{MaxBreakers: 1, IdleAfter: 1})
		newTransport(t, nil, Config{MaxBreakers: 100_000, IdleAfter: 720 * time.Hour})
		got := problems(t, Config{MaxBreakers: 100_001, IdleAfter: 720*time.Hour + 1})
		equal(t, "number of problems", len(got), 2)
	})
	t.Run("the message names the policy", func(t *testing.T) {
		_, err := NewTransport(nil, Config{MaxBreakers: -7})
		equal(t, "message", err.Error(), `sghttp "transport": invalid configuration: MaxBreakers = -7: must be from 1 to 100000`)
	})
}

// K60: what the caller does with his value afterwards changes nothing.
func TestConfigIsCopied(t *testing.T) {
	cfg := Config{
		Breaker:  breaker.Config{Evidence: &evidence.Config{}},
		Statuses: map[int]switchgear.Outcome{404: switchgear.Failure},
	}
	r := newRig(t, answers(404), cfg)
	cfg.Breaker.Evidence.Healthy = 0.1
	cfg.Statuses[404] = switchgear.Ignored

	r.get("http://api.example/")
	counted(t, r.only(), 0, 1, 0)
	equal(t, "healthy", float64(r.only().Config().Evidence.Healthy), 0.01)
}

// What a breaker reports as its configuration makes an equal breaker. The
// transport relies on it when it keeps a copy with all defaults filled in.
func TestEffectiveConfigIsAFixedPoint(t *testing.T) {
	for name, cfg := range map[string]breaker.Config{
		"defaults": {},
		"plain":    plain(),
		"much": {
			Window:              breaker.WindowConfig{Calls: 5},
			MinimumCalls:        10,
			SlowCall:            breaker.SlowCallConfig{Duration: time.Second},
			ConsecutiveFailures: 3,
			Evidence:            &evidence.Config{},
			SlowEvidence:        &evidence.Config{},
			Open:                breaker.OpenConfig{Factor: 2, Jitter: off, MaxHint: off},
			HalfOpen:            breaker.HalfOpenConfig{Verdict: breaker.ByStreak, ProbeLimit: off, MaxWait: time.Minute},
		},
	} {
		once := must(breaker.New(name, cfg)).Config()
		twice := must(breaker.New(name, once)).Config()
		equal(t, name, twice, once)
	}
}

func TestWithBreakerConfig(t *testing.T) {
	perKey := func(key Key) breaker.Config {
		switch key.Host {
		case "fragile.example":
			return breaker.Config{ConsecutiveFailures: 1}
		case "wrong.example":
			return breaker.Config{MinimumCalls: -1}
		}
		return breaker.Config{}
	}
	r := newRig(t, fails(errDown), Config{Breaker: breaker.Config{ConsecutiveFailures: 2}}, WithBreakerConfig(perKey))

	t.Run("a key has its own", func(t *testing.T) {
		r.get("http://fragile.example/")
		equal(t, "state", r.of("fragile.example").State(), breaker.Open)
	})
	t.Run("one that is not valid is reported, and the transport's is used", func(t *testing.T) {
		r.get("http://wrong.example/")
		equal(t, "state", r.of("wrong.example").State(), breaker.Closed)
		r.get("http://wrong.example/")
		equal(t, "state", r.of("wrong.example").State(), breaker.Open)
		equal(t, "warnings", r.warnings(), []string{
			`breaker "wrong.example": invalid configuration: MinimumCalls = -1: must be from 1 to 1000000000; the transport's configuration takes its place`,
		})
	})
	t.Run("a panic in the function reaches the caller and leaves nothing behind", func(t *testing.T) {
		calls := 0
		r := newRig(t, answers(200), Config{MaxBreakers: 1}, WithBreakerConfig(func(Key) breaker.Config {
			if calls++; calls == 1 {
				panic("boom")
			}
			return breaker.Config{}
		}))
		func() {
			defer func() { equal[any](t, "panic", recover(), "boom") }()
			r.get("http://api.example/")
		}()
		equal(t, "keys", r.keys(), []string{})
		code, _ := r.get("http://api.example/")
		equal(t, "status of the next call", code, 200)
		equal(t, "unprotected", r.Counters().Unprotected, 0)
	})
}

func TestWithBreaker(t *testing.T) {
	errMine := errors.New("my own mistake")
	r := newRig(t, fails(errMine), Config{}, WithBreaker(breaker.WithClassifier(func(err error) switchgear.Outcome {
		if errors.Is(err, errMine) {
			return switchgear.Ignored
		}
		return switchgear.Undecided
	})))
	r.get("http://api.example/")
	counted(t, r.only(), 0, 0, 1)
}
