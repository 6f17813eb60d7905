package demo

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

// document is the JSON that programs may rely on.
type document struct {
	Version *string `json:"version"`
	Speed   *int    `json:"speed"`
	Pass    *bool   `json:"pass"`
	Acts    []struct {
		Act      int               `json:"act"`
		Title    string            `json:"title"`
		Pass     *bool             `json:"pass"`
		Expected map[string]any    `json:"expected"`
		Measured map[string]any    `json:"measured"`
		Verdicts map[string]string `json:"verdicts"`
		Requests []map[string]any  `json:"requests"`
		Events   []map[string]any  `json:"events"`
		Ledger   map[string]any    `json:"ledger"`
	} `json:"acts"`
}

// decode reads a report and refuses fields that are not in the document.
func decode(t *testing.T, r *Report) document {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	in := json.NewDecoder(strings.NewReader(string(text)))
	in.DisallowUnknownFields()
	var d document
	if err := in.Decode(&d); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return d
}

func TestReportAsJSON(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		report, err := Play(t.Context(), Config{Speed: 10, Version: "v1.2.3", network: newPipes().network()})
		if err != nil {
			t.Fatal(err)
		}
		d := decode(t, report)
		if d.Version == nil || *d.Version != "v1.2.3" || d.Speed == nil || *d.Speed != 10 || d.Pass == nil || !*d.Pass {
			t.Errorf("version, speed, pass are %v, %v, %v", d.Version, d.Speed, d.Pass)
		}
		if len(d.Acts) != Acts {
			t.Fatalf("%d acts, want %d", len(d.Acts), Acts)
		}
		for i, a := range d.Acts {
			if a.Act != i+1 || a.Title == "" || a.Pass == nil || !*a.Pass {
				t.Errorf("act %d: act, title, pass are %v, %q, %v", i+1, a.Act, a.Title, a.Pass)
			}
			keys := slices.Sorted(maps.Keys(a.Expected))
			if len(keys) == 0 || len(keys) != len(report.Acts[i].Checks) {
				t.Errorf("act %d: %d expected values for %d checks", i+1, len(keys), len(report.Acts[i].Checks))
			}
			if !slices.Equal(keys, slices.Sorted(maps.Keys(a.Measured))) || !slices.Equal(keys, slices.Sorted(maps.Keys(a.Verdicts))) {
				t.Errorf("act %d: expected, measured and verdicts have different keys", i+1)
			}
			for key, v := range a.Verdicts {
				if v != "pass" {
					t.Errorf("act %d: the verdict on %s is %q", i+1, key, v)
				}
			}
		}
		if got := d.Acts[0].Measured["wall_s"]; got != 6.0 {
			t.Errorf("act 1: wall_s = %v, want 6 seconds", got)
		}
		if got, ok := d.Acts[0].Expected["wall_s"].([]any); !ok || len(got) != 2 || got[0] != 6.0 || got[1] != 6.5 {
			t.Errorf("act 1: the band of wall_s is %v, want [6, 6.5]", d.Acts[0].Expected["wall_s"])
		}
		if got := d.Acts[3].Requests; len(got) != 12 || got[5]["before"] != "half_open" || got[5]["end_s"] != 1.65 {
			t.Errorf("act 4: the requests are %v", got)
		}
		if got := d.Acts[5].Events; len(got) != 5 || got[0]["to"] != "OPEN" {
			t.Errorf("act 6: the events are %v", got)
		}
		if got := d.Acts[5].Ledger; got["calls_made"] != 12.0 || got["waited_s"] != 1.5 {
			t.Errorf("act 6: the ledger is %v", got)
		}
	})
}

func TestOneFailureFailsTheReport(t *testing.T) {
	var good, late, bad Act
	good.count("n", "", 1, 1)
	late.atMost("n", "", 1, 2)
	bad.count("n", "", 1, 1)
	bad.count("m", "", 1, 2)
	for _, c := range []struct {
		acts []*Act
		want bool
	}{
		{[]*Act{&good, &late}, true},
		{[]*Act{&good, &bad, &late}, false},
	} {
		r := &Report{Acts: c.acts}
		if d := decode(t, r); r.Pass() != c.want || *d.Pass != c.want {
			t.Errorf("Pass() = %v, in JSON %v, want %v", r.Pass(), *d.Pass, c.want)
		}
	}
}
