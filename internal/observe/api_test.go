package observe

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"testing"
)

// get asks a Prometheus and reads the answer's data. An error of the query is reported.
func get(t *testing.T, address, path string, values url.Values, data any) bool {
	t.Helper()
	resp, err := http.Get("http://" + address + path + "?" + values.Encode())
	if err != nil {
		t.Error(err)
		return false
	}
	defer resp.Body.Close()
	var answer struct {
		Status, Error string
		Data          json.RawMessage
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		t.Error(err)
		return false
	}
	if answer.Status != "success" {
		t.Errorf("%s %v: %s", path, values, answer.Error)
		return false
	}
	if err := json.Unmarshal(answer.Data, data); err != nil {
		t.Error(err)
		return false
	}
	return true
}

// sample is one series of an answer.
type sample struct {
	Metric map[string]string
	Value  [2]any // time, and the value as a string
}

func query(t *testing.T, address, expr string) []sample {
	t.Helper()
	var data struct{ Result []sample }
	get(t, address, "/api/v1/query", url.Values{"query": {expr}}, &data)
	return data.Result
}

// firing returns the alerts that fire, as "alert name", in order.
func firing(t *testing.T, address string) (list []string) {
	t.Helper()
	var data struct {
		Alerts []struct {
			State  string
			Labels map[string]string
		}
	}
	get(t, address, "/api/v1/alerts", nil, &data)
	for _, a := range data.Alerts {
		if a.State == "firing" {
			list = append(list, a.Labels["alertname"]+" "+a.Labels["name"]+a.Labels["place"])
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
