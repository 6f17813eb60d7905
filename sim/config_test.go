package sim

import (
	"encoding"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
)

// problems returns what New finds wrong, one line each.
func problems(cfg Config) (list []string) {
	_, err := New(cfg)
	invalid, ok := errors.AsType[*switchgear.ConfigError](err)
	if !ok {
		return nil
	}
	for _, p := range invalid.Problems {
		list = append(list, p.String())
	}
	return list
}

// paths returns where New finds something wrong.
func paths(cfg Config) (list []string) {
	_, err := New(cfg)
	invalid, ok := errors.AsType[*switchgear.ConfigError](err)
	if !ok {
		return nil
	}
	for _, p := range invalid.Problems {
		list = append(list, p.Path)
	}
	return list
}

func TestDefaults(t *testing.T) {
	s, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	cfg := s.Config()
	equal(t, "Name", cfg.Name, "scenario")
	equal(t, "Duration", cfg.Duration, time.Minute)
	equal(t, "Generator", cfg.Generator, PCG)
	equal(t, "Rate", cfg.Load.Rate, 50)
	equal(t, "Row", cfg.Row, time.Second)
	equal(t, "Services", len(cfg.Services), 1)
	equal(t, "service's name", cfg.Services[0].Name, "A")
	equal(t, "Latency", cfg.Services[0].Latency.Mean, 20*time.Millisecond)
	equal(t, "Workers", cfg.Client.Pool.Workers, off)
	equal(t, "Timeout", cfg.Client.Call.Timeout, off)
	equal(t, "Refused", cfg.Client.Call.Refused, 500*time.Microsecond)
	equal(t, "Windows", len(cfg.Windows), 0)

	t.Run("a configuration with its defaults filled in is valid, and stays as it is", func(t *testing.T) {
		full := ReferenceConfig(true)
		full.Client.Call.Breaker = &breaker.Config{}
		full.Services = append(full.Services, Service{Instances: 3, Pool: Pool{Workers: 3}})
		for _, cfg := range []Config{{}, ReferenceConfig(true), full} {
			once, _, err := settle(cfg)
			if err != nil {
				t.Fatal(err)
			}
			twice, _, err := settle(once)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(once, twice) {
				t.Errorf("changed from\n%+v to\n%+v", once, twice)
			}
		}
	})
	t.Run("the caller's configuration is not touched", func(t *testing.T) {
		cfg := ReferenceConfig(true)
		before := inJSON(t, cfg)
		simulate(t, cfg, 1)
		equal(t, "config", inJSON(t, cfg), before)
	})
	t.Run("windows lie around all faults", func(t *testing.T) {
		s, err := New(Config{
			Client: Client{Call: Call{Timeout: time.Second}},
			Services: []Service{
				{Faults: []Fault{{From: 20 * time.Second, To: 30 * time.Second}}},
				{Faults: []Fault{{Kind: Slow, From: 10 * time.Second, To: 12 * time.Second}}},
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "windows", slices.Equal(s.Config().Windows, []Window{
			{"before", 0, 10 * time.Second}, {"fault", 10 * time.Second, 30 * time.Second}, {"after", 30 * time.Second, time.Minute},
		}), true)
	})
	t.Run("rows are never more than can be looked at", func(t *testing.T) {
		s, err := New(Config{Duration: 10 * time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "Row", s.Config().Row, 10*time.Second)
	})
}

func TestZ1(t *testing.T) {
	outage := []Service{{Faults: []Fault{{}}}}
	for name, tt := range map[string]struct {
		cfg  Config
		want []string
	}{
		"Z1: a duration":  {Config{Duration: 1}, []string{"Duration = 1ns: must be from 1ms to 720h0m0s"}},
		"Z1: a generator": {Config{Generator: 9}, []string{"Generator = 9: must be pcg or mt19937"}},
		"Z1: a rate":      {Config{Load: Load{Rate: 1e8}}, []string{"Load.Rate = 1e+08: must be from 0.001 to 1e+07"}},
		"Z1: more calls than can be numbered": {
			Config{Load: Load{Rate: 1e7}, Duration: time.Hour},
			[]string{"Load.Rate = 1e+07: must be at most 2.77778e+06: no more than 1e+10 calls in 1h0m0s"},
		},
		"Z1: no recorded arrivals": {Config{Load: Load{Kind: Recorded}}, []string{"Load.Arrivals = empty: must have at least one instant"}},
		"Z1: arrivals out of order": {
			Config{Load: Load{Kind: Recorded, Arrivals: []time.Duration{1, 3, 2}}},
			[]string{"Load.Arrivals[2] = 2ns: must not be negative, nor before the one it follows"},
		},
		"Z1: users who never think": {
			Config{Load: Load{Kind: Closed, Think: Distribution{Kind: Empirical, Values: []time.Duration{0, 0}}}},
			[]string{"Load.Think.Values = 0s: must be at least 300ns on average: no more than 1e+10 calls of 50 users in 1m0s, if they do nothing but think"},
		},
		"Z1: users who hardly think": {
			Config{Duration: time.Hour, Load: Load{Kind: Closed, Users: 1000, Think: Distribution{Mean: 359_999}}},
			[]string{"Load.Think.Mean = 359.999µs: must be at least 360µs on average: no more than 1e+10 calls of 1000 users in 1h0m0s, if they do nothing but think"},
		},
		"Z1: users who think just enough": {
			Config{Duration: time.Hour, Load: Load{Kind: Closed, Users: 1000, Think: Distribution{Mean: 360_000}}}, nil,
		},
		"Z1: nothing that users could think": {
			Config{Load: Load{Kind: Closed, Think: Distribution{Kind: Empirical}}},
			[]string{"Load.Think.Values = 0: must be from 1 to 1000000 values"},
		},
		"Z1: bursts of more calls than can be numbered": {
			Config{Duration: 24 * time.Hour, Load: Load{Kind: Bursts, Size: 1000, Every: time.Millisecond}},
			[]string{"Load.Size = 1000: must be at most 115: no more than 1e+10 calls in 24h0m0s"},
		},
		"Z1: bursts of just as many": {
			Config{Duration: 24 * time.Hour, Load: Load{Kind: Bursts, Size: 115, Every: time.Millisecond}}, nil,
		},
		"Z1: no values": {
			Config{Services: []Service{{Latency: Distribution{Kind: Empirical}}}},
			[]string{"Services[0].Latency.Values = 0: must be from 1 to 1000000 values"},
		},
		"Z1: places without workers": {
			Config{Client: Client{Pool: Pool{Queue: 5}}},
			[]string{"Client.Pool.Queue = 5: must be empty without Workers: nobody waits"},
		},
		"Z1: an outage without a timeout": {
			Config{Services: outage},
			[]string{"Client.Call.Timeout = off: must be set, or Total: the service it calls can have an outage, and nobody would wait for ever"},
		},
		"Z1: the last service calls nobody": {
			Config{Services: []Service{{Call: Call{Timeout: 1}}}},
			[]string{"Services[0].Call = set: must be empty: the last service calls nobody"},
		},
		"Z1: a breaker's own problems": {
			Config{Client: Client{Call: Call{Breaker: &breaker.Config{HalfOpen: breaker.HalfOpenConfig{Probes: -1}}}}},
			[]string{"Client.Call.Breaker.HalfOpen.Probes = -1: must be from 1 to 10000"},
		},
		"Z1: breakers without number": {
			Config{
				Client:   Client{Instances: 1000, Call: Call{PerInstance: true, Breaker: &breaker.Config{}}},
				Services: []Service{{Instances: 100}},
			},
			[]string{"Client.Call.Breaker = 100000: would make more breakers than 10000"},
		},
		"Z1: windows": {
			Config{Windows: []Window{{"x", 5, 5}, {"y", 0, time.Hour}}},
			[]string{
				"Windows[0] = 5ns to 5ns: must lie within Duration, 1m0s, and end after it begins",
				"Windows[1] = 0s to 1h0m0s: must lie within Duration, 1m0s, and end after it begins",
			},
		},
		"Z1: everything at once": {
			Config{
				Row: 1,
				Services: []Service{{
					ErrorRate: 0.5,
					Faults: []Fault{
						{Kind: Slow, From: 2, To: 1, Factor: 0.5},
						{Kind: Errors, Every: 5, For: 6, Share: off, Took: -1},
						{Kind: Fragile, Limit: -1, Down: 1},
					},
				}},
				Client: Client{Instances: -1, Call: Call{Timeout: time.Second, PerInstance: true}},
			},
			[]string{
				"Client.Instances = -1: must be from 1 to 10000",
				"Services[0].ErrorRate = 0.5: must be in percent, from 1 to 100, or Off; did you mean 50 %?",
				"Services[0].Faults[0].To = 1ns: must be later than From, and at most 720h0m0s",
				"Services[0].Faults[0].Factor = 0.5: must be from 1 to 1e+06",
				"Services[0].Faults[1].For = 6ns: must be from 1ns to Every, 5ns",
				"Services[0].Faults[1].Share = off: must be from 1 to 100 percent",
				"Services[0].Faults[1].Took = -1ns: must be from 0s to 720h0m0s",
				"Services[0].Faults[2].Limit = -1: must be from 1 to 10000000",
				"Services[0].Faults[2].Down = 1ns: must be from 1ms to 720h0m0s",
				"Client.Call.PerInstance = true: needs a Breaker",
				"Row = 1ns: must be from 16.666666ms to 720h0m0s: at most 3600 rows",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := problems(tt.cfg)
			if !slices.Equal(got, tt.want) {
				t.Errorf("got\n\t%q\nwant\n\t%q", got, tt.want)
			}
		})
	}
}

type enum interface {
	comparable
	encoding.TextMarshaler
	String() string
}

func checkEnum[E enum, P interface {
	*E
	encoding.TextUnmarshaler
}](t *testing.T, values []E, unknown E) {
	t.Helper()
	for _, v := range values {
		text, err := v.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "text", string(text), v.String())
		var back E
		if err := P(&back).UnmarshalText(text); err != nil {
			t.Fatal(err)
		}
		equal(t, "read back", back, v)
	}
	if _, err := unknown.MarshalText(); err == nil {
		t.Errorf("%v has a text", unknown)
	}
	var v E
	if err := P(&v).UnmarshalText([]byte("nonsense")); err == nil {
		t.Error("nonsense was read")
	}
}

func TestEnums(t *testing.T) {
	checkEnum(t, []Generator{PCG, MT19937}, Generator(9))
	checkEnum(t, []LoadKind{Poisson, Constant, Bursts, Closed, Recorded}, LoadKind(9))
	checkEnum(t, []DistributionKind{Exponential, LogNormal, Fixed, Empirical}, DistributionKind(9))
	checkEnum(t, []FaultKind{Outage, Errors, Slow, Throttle, Fragile}, FaultKind(9))
	checkEnum(t, []Outcome{Succeeded, Failed, TimedOut, Rejected, Shed}, Outcome(9))
	equal(t, "String", Outcome(9).String(), "outcome(9)")
	var k LoadKind
	equal(t, "error", k.UnmarshalText([]byte("x")).Error(), `sim: "x" is no load; there are poisson, constant, bursts, closed, recorded`)
}

func TestConfigIsData(t *testing.T) {
	cfg := ReferenceConfig(true)
	body, err := json.Marshal(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var back Config
	if err := json.Unmarshal(body, &back); err != nil {
		t.Fatal(err)
	}
	equal(t, "result", inJSON(t, simulate(t, back, 42)), inJSON(t, simulate(t, cfg, 42)))
}
