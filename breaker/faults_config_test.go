package breaker_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/evidence"
)

// K58 and K59: configuration.

// changes holds one change for each field of Config. None may get lost.
var changes = map[string]func(*breaker.Config){
	"Window.Calls":        func(c *breaker.Config) { c.Window.Calls = 77 },
	"Window.Length":       func(c *breaker.Config) { c.Window.Length = 7 * time.Second },
	"Window.Buckets":      func(c *breaker.Config) { c.Window.Buckets = 7 },
	"MinimumCalls":        func(c *breaker.Config) { c.MinimumCalls = 7 },
	"FailureRate":         func(c *breaker.Config) { c.FailureRate = 7.77 },
	"SlowCall.Duration":   func(c *breaker.Config) { c.SlowCall.Duration = 7 },
	"SlowCall.Rate":       func(c *breaker.Config) { c.SlowCall = breaker.SlowCallConfig{Duration: 1, Rate: 7} },
	"ConsecutiveFailures": func(c *breaker.Config) { c.ConsecutiveFailures = 7 },
	"FailureCount":        func(c *breaker.Config) { c.FailureCount = 7 },
	"Evidence":            func(c *breaker.Config) { c.Evidence = &evidence.Config{Sick: 0.77} },
	"SlowEvidence": func(c *breaker.Config) {
		c.SlowCall.Duration, c.SlowEvidence = 1, &evidence.Config{Sick: 0.77}
	},
	"Grace":               func(c *breaker.Config) { c.Grace = 7 },
	"EnoughTime":          func(c *breaker.Config) { c.EnoughTime = 7 },
	"Open.Wait":           func(c *breaker.Config) { c.Open.Wait = 7 },
	"Open.Factor":         func(c *breaker.Config) { c.Open.Factor = 7 },
	"Open.MaxWait":        func(c *breaker.Config) { c.Open.MaxWait = 77 * time.Minute },
	"Open.Jitter":         func(c *breaker.Config) { c.Open.Jitter = 7 },
	"Open.MaxHint":        func(c *breaker.Config) { c.Open.MaxHint = 7 },
	"Open.Automatic":      func(c *breaker.Config) { c.Open.Automatic = true },
	"HalfOpen.Probes":     func(c *breaker.Config) { c.HalfOpen.Probes = 7 },
	"HalfOpen.Verdict":    func(c *breaker.Config) { c.HalfOpen.Verdict = breaker.ByStreak },
	"HalfOpen.Successes":  func(c *breaker.Config) { c.HalfOpen.Verdict, c.HalfOpen.Successes = breaker.ByStreak, 7 },
	"HalfOpen.MaxWait":    func(c *breaker.Config) { c.HalfOpen.MaxWait = 7 },
	"HalfOpen.ProbeLimit": func(c *breaker.Config) { c.HalfOpen.ProbeLimit = 7 },
}

// fields calls do for each field of a configuration, sections opened up.
func fields(v reflect.Value, path string, do func(path string, v reflect.Value)) {
	for i := range v.NumField() {
		name, f := path+v.Type().Field(i).Name, v.Field(i)
		if f.Kind() == reflect.Struct {
			fields(f, name+".", do)
		} else {
			do(name, f)
		}
	}
}

func faultChangedParameter(t *testing.T) {
	unchanged := breaker.Must(breaker.New("stock", breaker.Config{})).Config()
	values := map[string]any{}
	fields(reflect.ValueOf(unchanged), "", func(path string, v reflect.Value) { values[path] = v.Interface() })
	equal(t, "fields with a change", len(changes), len(values))
	for path, change := range changes {
		var cfg breaker.Config
		change(&cfg)
		b, err := breaker.New("stock", cfg)
		if err != nil {
			t.Errorf("%s changed: %v", path, err)
			continue
		}
		found := false
		fields(reflect.ValueOf(b.Config()), "", func(p string, v reflect.Value) {
			if p == path {
				found = !reflect.DeepEqual(v.Interface(), values[p])
			}
		})
		if !found {
			t.Errorf("%s: the change is not in effect", path)
		}
	}
}

func faultBadValues(t *testing.T) {
	for _, c := range []struct {
		path   string
		value  any
		change func(*breaker.Config)
	}{
		{"Open.Wait", -time.Second, func(c *breaker.Config) { c.Open.Wait = -time.Second }},
		{"Window.Length", -time.Second, func(c *breaker.Config) { c.Window.Length = -time.Second }},
		{"Open.Factor", 0.5, func(c *breaker.Config) { c.Open.Factor = 0.5 }},
		{"Open.Factor", math.NaN(), func(c *breaker.Config) { c.Open.Factor = math.NaN() }},
		{"Open.Factor", -1.0, func(c *breaker.Config) { c.Open.Factor = -1 }},
		{"FailureRate", -1.0, func(c *breaker.Config) { c.FailureRate = -1 }},
		{"FailureRate", 101.0, func(c *breaker.Config) { c.FailureRate = 101 }},
		{"FailureRate", math.NaN(), func(c *breaker.Config) { c.FailureRate = switchgear.Percent(math.NaN()) }},
		{"HalfOpen.Probes", -1, func(c *breaker.Config) { c.HalfOpen.Probes = -1 }},
		{"HalfOpen.MaxWait", -time.Second, func(c *breaker.Config) { c.HalfOpen.MaxWait = -time.Second }},
	} {
		var cfg breaker.Config
		c.change(&cfg)
		_, err := breaker.New("stock", cfg)
		problem, ok := errors.AsType[*switchgear.ConfigError](err)
		if !ok || len(problem.Problems) != 1 {
			t.Errorf("%s = %v: got error %v, want one problem", c.path, c.value, err)
			continue
		}
		equal(t, "path", problem.Problems[0].Path, c.path)
		equal(t, "value of "+c.path, fmt.Sprint(problem.Problems[0].Value), fmt.Sprint(c.value))
	}
	d := breaker.Must(breaker.New("stock", breaker.Config{})).Config() // all zeros
	equal(t, "Open.Wait", d.Open.Wait, 30*time.Second)
	equal(t, "Window.Length", d.Window.Length, time.Minute)
	equal(t, "Open.Factor", d.Open.Factor, 1)
	equal(t, "FailureRate", d.FailureRate, 50)
	equal(t, "HalfOpen.Probes", d.HalfOpen.Probes, 5)
}
