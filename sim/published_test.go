package sim

import "testing"

func TestCompareValue(t *testing.T) {
	for _, tt := range []struct {
		path                string
		published, measured any
		want                bool
	}{
		{"x.requests", 5.0, 5.0, true},
		{"x.requests", 5.0, 6.0, false},
		{"x.requests", 5.0, nil, false},
		{"x.mean_ms[3]", 5.0, 5.0009, true},
		{"x.mean_ms[3]", 5.0, 5.0011, false},
		{"x.mean_ms[3]", 5.0, nil, false},
		{"t[0].t_full", "17.165217273603098", "17.165218", true},
		{"t[0].t_full", "17.165217273603098", "17.165219", false},
		{"t[0].t", 17.1652, 17.16524, true},
		{"t[0].t", 17.1652, 17.16526, false},
		{"t[0].from", "OPEN", "OPEN", true},
		{"t[0].from", "OPEN", "CLOSED", false},
		{"rng.first_random_doubles[0]", "0.5", "0.5000000001", false},
	} {
		equal(t, tt.path, compareValue(tt.path, tt.published, tt.measured).OK, tt.want)
	}
}

func TestCompareShapes(t *testing.T) {
	type fields = map[string]any
	for name, tt := range map[string]struct {
		published, measured any
		failed              int
	}{
		"equal":                  {fields{"a": []any{1.0, 2.0}}, fields{"a": []any{1.0, 2.0}}, 0},
		"more than published":    {fields{"a": 1.0}, fields{"a": 1.0, "b": 2.0}, 0},
		"a field is missing":     {fields{"a": 1.0, "b": 2.0}, fields{"a": 1.0}, 1},
		"a list is short":        {[]any{1.0, 2.0}, []any{1.0}, 1},
		"a list is missing":      {fields{"a": []any{1.0}}, fields{}, 1},
		"a list is something":    {[]any{1.0}, 1.0, 1},
		"an object is missing":   {fields{"a": fields{"b": 1.0, "c": 2.0}}, fields{}, 2},
		"two of three are wrong": {[]any{1.0, 2.0, 3.0}, []any{1.0, 0.0, 0.0}, 2},
	} {
		failed := 0
		for _, c := range compare("x", tt.published, tt.measured) {
			if !c.OK {
				failed++
			}
		}
		equal(t, name, failed, tt.failed)
	}
}
