package scenario_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/sgyaml"
	"github.com/switchgear-go/switchgear/sim/scenario"
)

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\ngot  %v\nwant %v", what, got, want)
	}
}

func parse(t *testing.T, text string) *scenario.Document {
	t.Helper()
	d, err := scenario.Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestEveryMistakeIsReportedAtOnce(t *testing.T) {
	const text = `nmae: bad
scenario:
  duration: 60
  load: {kind: possion, rate: 50}
  client:
    pool: {workers: many}
    call:
      timeout: 2s
      timeout: 3s
      breaker:
        half_open: {probes: 5}
        failureRate: 0.5
        open: {wait: 1000h, automatic: yes}
  services:
    - faults:
        - {kind: outage, from: 20s, to: 10s}
        - outage
    - latency: *unknown
`
	_, err := scenario.Parse("bad.yaml", []byte(text))
	equal(t, "a reference to nothing", err.Error(), "bad.yaml:18:16: unknown anchor 'unknown' referenced")

	_, err = scenario.Parse("bad.yaml", []byte(strings.Replace(text, "*unknown", "!!map {}", 1)))
	equal(t, "all that can be read", err.Error(), strings.Join([]string{
		"bad.yaml:1:1: nmae: there is no such key; did you mean name?",
		"bad.yaml:3:13: duration: 60: must have a unit, as in 60s or 60ms",
		"bad.yaml:4:16: load.kind: possion: is no load; there are poisson, constant, bursts, closed, recorded",
		"bad.yaml:6:21: client.pool.workers: many: must be a whole number, such as 20",
		"bad.yaml:9:7: client.call.timeout: is given twice, first in line 8",
		"bad.yaml:11:9: client.call.breaker.half_open: there is no such key; did you mean client.call.breaker.halfOpen?",
		"bad.yaml:12:22: client.call.breaker.failureRate: 0.5: must be in percent, from 1 to 100, or off; did you mean 50 %?",
		"bad.yaml:13:22: client.call.breaker.open.wait: 1000h: must be from 1ns to 720h0m0s",
		"bad.yaml:13:40: client.call.breaker.open.automatic: yes: must be true or false",
		"bad.yaml:16:41: services[0].faults[0].to: 10s: must be later than From, and at most 720h0m0s",
		"bad.yaml:17:11: services[0].faults[1]: outage: must be a mapping",
		"bad.yaml:18:16: services[1].latency: !!map: tags are not allowed: the key says what a value is",
	}, "\n"))
	if !errors.Is(err, switchgear.ErrConfig) {
		t.Error("it does not match ErrConfig")
	}
}

func TestProblems(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"nothing", "", "x.yaml:1:1: the document is empty"},
		{"no scenario", "name: x\n", "x.yaml:1:1: scenario: must be there"},
		{"no mapping", "- a\n", "x.yaml:1:1: a list: must be a mapping"},
		{"an empty scenario", "scenario:\n", "x.yaml:1:10: scenario: has no value: {} is one with all defaults, null is none at all"},
		{"a scenario that is a list", "scenario: [a]\n", "x.yaml:1:11: scenario: a list: must be a mapping"},
		{"zeros that would be defaults", "scenario: {load: {rate: 0}, services: [{pool: {workers: 5, queue: 0}, faults: [{from: 0s, to: 1s, took: 0s}]}], client: {call: {timeout: 1s}}}\n", "" +
			"x.yaml:1:25: load.rate: 0: zero means the default here, 50: leave it out, or write off where that is allowed\n" +
			"x.yaml:1:67: services[0].pool.queue: 0: zero means the default here, 100: leave it out, or write off where that is allowed"},
		{"a zero in a variant", "scenario: {}\nvariants:\n  - name: a\n    set: {duration: 0s}\n",
			"x.yaml:4:21: duration: 0s: zero means the default here, 1m: leave it out, or write off where that is allowed"},
		{"a variant that sets something within null", "scenario: {client: {call: {breaker: null}}}\nvariants:\n  - name: a\n    set: {client.call.breaker.open.wait: 1s}\n",
			"x.yaml:4:42: client.call.breaker.open.wait: client.call.breaker is null, and there is nothing in it to set: set it to {} before"},
		{"a bound on what is absent", "scenario: {load: {kind: recorded}}\n",
			"x.yaml:1:18: load.arrivals: empty: must have at least one instant"},
		{"variants without names", "scenario: {}\nvariants: [{}, {name: a}, {name: a}]\n", "" +
			"x.yaml:2:12: variants[0].name: must be there, and differ from those of other variants\n" +
			"x.yaml:2:27: variants[2].name: must be there, and differ from those of other variants"},
		{"a variant's path", "scenario: {}\nvariants:\n  - name: a\n    set: {client.call.braker: {}}\n",
			"x.yaml:4:31: client.call.braker: there is no such key; did you mean client.call.breaker?"},
		{"a variant's value", "scenario: {}\nvariants:\n  - name: a\n    set: {load.rate: -1}\n",
			"x.yaml:4:22: load.rate: -1: must be from 0.001 to 1e+07"},
		{"a variant's index", "scenario: {services: [{}]}\nvariants:\n  - name: a\n    set: {\"services[1].instances\": 2}\n",
			"x.yaml:4:36: services[1].instances: services has 1 entries, and none with the number 1, counted from 0"},
		{"what variants share is said once", "scenario: {load: {rate: -1}}\nvariants: [{name: a}, {name: b}]\n",
			"x.yaml:1:25: load.rate: -1: must be from 0.001 to 1e+07"},
		{"too many variants", "scenario: {}\nvariants: [" + strings.Repeat("{},", scenario.MaxVariants+1) + "]\n",
			"x.yaml:2:11: variants: must be at most 32"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := scenario.Parse("x.yaml", []byte(tt.text))
			if err == nil {
				t.Fatal("no error")
			}
			equal(t, "problems", err.Error(), tt.want)
		})
	}
}

func TestWithoutVariantsThereIsOne(t *testing.T) {
	for _, tt := range []struct{ file, text, want string }{
		{"dir/calm.yaml", "scenario: {}", "calm"},
		{`c:\dir\calm.yml`, "scenario: {}", "calm"},
		{"calm.yaml", "name: storm\nscenario: {}", "storm"},
	} {
		d, err := scenario.Parse(tt.file, []byte(tt.text))
		if err != nil {
			t.Fatal(err)
		}
		s, err := d.Scenario()
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "name", s.Name, tt.want)
		equal(t, "variants", len(s.Variants), 1)
		equal(t, "variant", s.Variants[0].Name, tt.want)
		equal(t, "configuration", s.Variants[0].Config.Name, tt.want)
	}
}

const varied = `
title: two
teaches: |
  More than one.
scenario:
  client: {call: {timeout: 1s, breaker: {open: {wait: 5s}}}}
  services: [{faults: [{to: 10s}]}]
variants:
  - name: none
    set: {client.call.breaker: null}
  - name: quick
    set: {client.call.breaker.open.wait: 1s, client.call.breaker.open: {factor: 2}}
  - name: plain
`

func TestVariants(t *testing.T) {
	s, err := parse(t, varied).Scenario()
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "variants", len(s.Variants), 3)
	equal(t, "title", s.Title, "two")
	equal(t, "teaches", s.Teaches, "More than one.")
	equal(t, "no breaker", s.Variants[0].Config.Client.Call.Breaker == nil, true)
	open := s.Variants[1].Config.Client.Call.Breaker.Open
	equal(t, "what is around something is set before it", open.Wait, time.Second)
	equal(t, "and keeps the rest", open.Factor, 2)
	equal(t, "others are not changed", s.Variants[2].Config.Client.Call.Breaker.Open.Wait, 5*time.Second)
}

func TestSet(t *testing.T) {
	d := parse(t, varied)
	c, err := d.Set("client.call.breaker.open.wait", "7s")
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Scenario()
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "a variant without a breaker gets none", s.Variants[0].Config.Client.Call.Breaker == nil, true)
	equal(t, "a variant keeps what it sets", s.Variants[1].Config.Client.Call.Breaker.Open.Wait, time.Second)
	equal(t, "the others have it", s.Variants[2].Config.Client.Call.Breaker.Open.Wait, 7*time.Second)
	equal(t, "the title stays", c.Title(), d.Title())

	s, err = d.Scenario()
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "the document is as it was", s.Variants[2].Config.Client.Call.Breaker.Open.Wait, 5*time.Second)

	if c, err = c.Set("services[0].faults[0].to", "20s"); err != nil {
		t.Fatal(err)
	}
	if s, err = c.Scenario(); err != nil {
		t.Fatal(err)
	}
	equal(t, "settings add up", s.Variants[2].Config.Services[0].Faults[0].To, 20*time.Second)
	equal(t, "settings add up", s.Variants[2].Config.Client.Call.Breaker.Open.Wait, 7*time.Second)
}

func TestSetNamesTheNearestPath(t *testing.T) {
	d := parse(t, varied)
	for _, tt := range []struct{ path, value, want string }{
		{"client.call.braeker.open.wait", "1s", "client.call.braeker: there is no such key; did you mean client.call.breaker?"},
		{"breaker.open.wait", "1s", "breaker: there is no such key here; did you mean client.call.breaker?"},
		{"client.timeout", "1s", "client.timeout: there is no such key here; did you mean client.call.timeout?"},
		{"services[0].fault[0].to", "1s", "services[0].fault: there is no such key; did you mean services[0].faults?"},
		{"services[4].instances", "1", "services[4].instances: services has 1 entries, and none with the number 4, counted from 0"},
		{"services.instances", "1", "services.instances: services is a list"},
		{"client.call.timeout.x", "1", "client.call.timeout.x: client.call.timeout is a single value"},
		{"client..call", "1", "client..call: must be a path such as services[0].faults[1].to"},
		{"", "1", "1: needs a path such as client.call.timeout"},
		{"client.call.timeout", "", "client.call.timeout: the document is empty"},
		{"client.call.timeout", "1", "client.call.timeout: 1: must have a unit, as in 1s or 1ms"},
		{"client.call.timeout", "[", "client.call.timeout: [: "},
		{"load.rate", "-1", "load.rate: -1: must be from 0.001 to 1e+07"},
		{"load.rate", "0", "load.rate: 0: zero means the default here, 50: leave it out, or write off where that is allowed"},
		{"services[0].pool", "{workers: 1, queue: 0}", "services[0].pool.queue: 0: zero means the default here, 100: leave it out, or write off where that is allowed"},
	} {
		_, err := d.Set(tt.path, tt.value)
		if err == nil {
			t.Errorf("%s=%s: no error", tt.path, tt.value)
			continue
		}
		if got := err.Error(); got != tt.want && !(tt.value == "[" && strings.HasPrefix(got, tt.want)) {
			t.Errorf("%s=%s:\ngot  %s\nwant %s", tt.path, tt.value, got, tt.want)
		}
		if _, ok := errors.AsType[*sgyaml.Error](err); !ok {
			t.Errorf("%s=%s: %T", tt.path, tt.value, err)
		}
	}
}

func TestWhatIsNullStaysNull(t *testing.T) {
	d := parse(t, "scenario: {client: {call: {timeout: 1s, breaker: {}}}}")
	d, err := d.Set("client.call.breaker", "null")
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.Set("client.call.breaker.open.wait", "1s")
	equal(t, "problem", fmt.Sprint(err), "client.call.breaker.open.wait: client.call.breaker is null, and there is nothing in it to set: set it to {} before")
	if _, err = d.Set("client.call.budget.ratio", "20%"); err == nil || strings.Contains(err.Error(), "null") {
		t.Error("what is absent is taken for null:", err)
	}
}

func TestSetWithoutEffectIsAnError(t *testing.T) {
	d := parse(t, "scenario: {}\nvariants: [{name: a, set: {load: {rate: 1}}}, {name: b, set: {load.rate: 2}}]\n")
	_, err := d.Set("load.rate", "3")
	if err == nil {
		t.Fatal("no error")
	}
	equal(t, "problem", err.Error(), "load.rate: 3: would change nothing: each variant sets this itself")
	d = parse(t, "scenario: {}\nvariants: [{name: a, set: {load.rate: 1}}]\n")
	if _, err := d.Set("load.users", "3"); err != nil {
		t.Error("what is beside it can be set:", err)
	}
	_, err = d.Set("load.rates", "3")
	equal(t, "what begins alike is another", fmt.Sprint(err), "load.rates: there is no such key; did you mean load.rate?")
}
