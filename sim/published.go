package sim

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

//go:embed testdata/outage-experiment.json
var publishedText []byte

// published reads what the reference experiment has published.
func published() (map[string]any, error) {
	var doc map[string]any
	if err := json.Unmarshal(publishedText, &doc); err != nil {
		return nil, fmt.Errorf("sim: the published results cannot be read: %w", err)
	}
	return doc, nil
}

// compare checks every value of a published document against the measured one of
// the same shape. What is measured and not published is left out.
func compare(path string, published, measured any) (checks []Check) {
	switch p := published.(type) {
	case map[string]any:
		m, _ := measured.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(p)) {
			checks = append(checks, compare(path+"."+key, p[key], m[key])...)
		}
	case []any:
		m, _ := measured.([]any)
		if len(m) != len(p) {
			return append(checks, Check{What: path, Published: fmt.Sprint(len(p), " entries"), Measured: fmt.Sprint(len(m), " entries")})
		}
		for i := range p {
			checks = append(checks, compare(fmt.Sprintf("%s[%d]", path, i), p[i], m[i])...)
		}
	default:
		checks = append(checks, compareValue(path, p, measured))
	}
	return checks
}

func compareValue(path string, published, measured any) Check {
	c := Check{What: path, Published: text(published), Measured: text(measured), Tolerance: tolerance(path)}
	p, pOK := number(published)
	m, mOK := number(measured)
	switch {
	case c.Tolerance == 0 || !pOK || !mOK:
		c.OK = c.Published == c.Measured
	default:
		c.OK = math.Abs(p-m) <= c.Tolerance
	}
	return c
}

// tolerance says how far a measured value may be from the published one. Values
// published with four decimals may in addition be off by half of the last one.
func tolerance(path string) float64 {
	name := path[strings.LastIndexByte(path, '.')+1:]
	name, _, _ = strings.Cut(name, "[")
	switch {
	case strings.HasSuffix(name, "_ms"):
		return 1e-3
	case name == "t_full", name == "first_arrivals", name == "last_arrival", name == "arrival",
		name == "first_latencies_s", name == "latency":
		return 1e-6
	case strings.HasSuffix(name, "_s"), name == "t", name == "half_open_at", name == "decided_at",
		name == "arrivals" && strings.Contains(path, "half_open_rounds"),
		name == "time_average", name == "reached_pct":
		return 5e-5 + 1e-6
	}
	return 0
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case string:
		f, err := strconv.ParseFloat(v, 64)
		return f, err == nil
	}
	return 0, false
}

func text(v any) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}
