package report

import (
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/sim"
	"github.com/switchgear-go/switchgear/sim/scenario"
)

func settled(t *testing.T, cfg sim.Config) sim.Config {
	t.Helper()
	s, err := sim.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s.Config()
}

func TestDifferencesNameAPartThatIsMissingOnce(t *testing.T) {
	quick := sim.ReferenceConfig(true)
	quick.Client.Call.Breaker.Open.Wait = time.Second
	quick.Load.Rate = 80
	runs := []Run{
		{Config: settled(t, sim.ReferenceConfig(false))},
		{Config: settled(t, sim.ReferenceConfig(true))},
		{Config: settled(t, quick)},
	}
	var got []string
	list, left := differences(runs)
	for _, d := range list {
		got = append(got, d.Path+" "+strings.Join(d.Values, " "))
	}
	want := []string{
		"client.call.breaker — yes yes",
		"client.call.breaker.open.maxWait — 50s 10s",
		"client.call.breaker.open.wait — 5s 1s",
		"load.rate 50 50 80",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") || left != 0 {
		t.Errorf("got %d more and\n%s", left, strings.Join(got, "\n"))
	}
	if list, _ := differences([]Run{runs[1], runs[1]}); len(list) > 0 {
		t.Errorf("equal ones differ in %v", list)
	}
}

func TestDifferencesAreBounded(t *testing.T) {
	a := sim.ReferenceConfig(true)
	b := sim.ReferenceConfig(true)
	for i := range 50 {
		a.Services[0].Faults = append(a.Services[0].Faults, sim.Fault{From: time.Duration(i), To: time.Hour, Share: 10})
		b.Services[0].Faults = append(b.Services[0].Faults, sim.Fault{From: time.Duration(i + 1), To: time.Hour, Share: 20})
	}
	list, left := differences([]Run{{Config: settled(t, a)}, {Config: settled(t, b)}})
	if len(list) != maxDifferences || left != 2*50-maxDifferences {
		t.Errorf("%d, and %d more", len(list), left)
	}
}

func TestDocumentCanBeRunAgain(t *testing.T) {
	half := sim.ReferenceConfig(true)
	half.Client.Pool = sim.Pool{Workers: 5}
	for name, cfg := range map[string]sim.Config{"with breaker": sim.ReferenceConfig(true), "none": sim.ReferenceConfig(false), "yes": {}, "": half} {
		want := settled(t, cfg)
		text, left := document(name, want)
		doc, err := scenario.Parse("page.yaml", []byte(text))
		if err != nil || left != 0 {
			t.Fatal(err, left)
		}
		s, err := doc.Scenario()
		if err != nil {
			t.Fatal(err)
		}
		got := settled(t, s.Variants[0].Config)
		if a, b := marshalled(got), marshalled(want); a != b {
			t.Errorf("got %s\nwant %s", a, b)
		}
		if name != "" && s.Name != name {
			t.Errorf("its name is %q", s.Name)
		}
	}
}

func TestDocumentIsBounded(t *testing.T) {
	cfg := sim.ReferenceConfig(true)
	cfg.Load = sim.Load{Kind: sim.Recorded, Arrivals: make([]time.Duration, 1000)}
	cfg = settled(t, cfg)
	if text, left := document("x", cfg); left != 1000-longList || len(text) > 4000 {
		t.Errorf("%d are left out of %d bytes", left, len(text))
	}
	if len(cfg.Load.Arrivals) != 1000 {
		t.Error("the configuration itself has been cut")
	}
}
