package metrics

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/window"
)

var update = flag.Bool("update", false, "write testdata/fields.txt")

// numbers fills a struct with numbers that occur once each, and remembers where.
type numbers struct{ where map[float64]string }

func (n *numbers) fill(v reflect.Value, path string) {
	next := float64(len(n.where) + 1000)
	switch x := v.Addr().Interface().(type) {
	case *breaker.State:
		return
	case *time.Time:
		*x = time.Unix(int64(next), 0)
		n.where[next] = path
		return
	case *time.Duration:
		*x = time.Duration(next) * time.Second
		n.where[next] = path
		return
	case *switchgear.Percent:
		*x = switchgear.Percent(next)
		n.where[next/100] = path + "/100"
		n.where[next] = "" // taken
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		n.fill(v.Elem(), path)
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			at := path + "." + f.Name
			if f.Anonymous {
				at = path
			}
			n.fill(v.Field(i), strings.TrimPrefix(at, "."))
		}
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(next))
		n.where[next] = path
	case reflect.Uint64:
		v.SetUint(uint64(next))
		n.where[next] = path
	case reflect.Float64:
		v.SetFloat(next)
		n.where[next] = path
	}
}

// Each metric shows the field that it should: testdata/fields.txt says which.
func TestMetricsShowTheirFields(t *testing.T) {
	n := numbers{make(map[float64]string)}
	var r Reading
	n.fill(reflect.ValueOf(&r).Elem(), "")
	r.Breaker.LastTrip.Rule = breaker.RuleEvidence
	// These are shown as differences and shares.
	r.Breaker.Numbers = breaker.Numbers{Counts: window.Counts{Calls: 50_000, Failed: 20_000, Slow: 8_000, SlowFailed: 500}, Minimum: 1}
	for v, field := range map[float64]string{
		30_000: "Breaker.Numbers.Calls-Failed", 20_000: "Breaker.Numbers.Failed", 0.4: "Breaker.Numbers.Failed/Calls",
		7_500: "Breaker.Numbers.Slow-SlowFailed", 500: "Breaker.Numbers.SlowFailed", 0.16: "Breaker.Numbers.Slow/Calls",
		float64(r.Breaker.Period - 1): "Breaker.Period-1",
	} {
		if _, taken := n.where[v]; taken {
			t.Fatalf("%v is taken", v)
		}
		n.where[v] = field
	}
	var b strings.Builder
	list := List()
	for i := range list {
		m := &list[i]
		if m.Read == nil {
			continue
		}
		m.Read(&r, func(label string, v float64) {
			field, ok := n.where[v]
			if !ok {
				field = fmt.Sprint(v)
			}
			fmt.Fprintf(&b, "%s %s%s %s\n", []string{"gauge", "counter"}[m.Kind], m.Name, "{"+label+"}", field)
		})
	}
	const path = "testdata/fields.txt"
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	w := strings.Split(string(want), "\n")
	for i, line := range strings.Split(b.String(), "\n") {
		if i >= len(w) || line != w[i] {
			t.Fatalf("%s differs from line %d on: got %q; go test -update writes it", path, i+1, line)
		}
	}
}

// A counter of the others is found again by its place: which values a counter has, and in
// which order, must not depend on what has happened.
func TestCountersHaveTheSameValuesInEveryState(t *testing.T) {
	labels := func(m *Metric, r *Reading) (all []string) {
		m.Read(r, func(label string, _ float64) { all = append(all, label) })
		return all
	}
	whole := func(fill bool) *Reading {
		n := numbers{make(map[float64]string)}
		r := new(Reading)
		n.fill(reflect.ValueOf(r).Elem(), "")
		if fill {
			r.Breaker.LastTrip.Rule = breaker.RuleEvidence
			r.Breaker.Numbers = breaker.Numbers{Counts: window.Counts{Calls: 9, Failed: 5, Slow: 3, SlowFailed: 1}, Minimum: 1}
			return r
		}
		for i := range reflect.ValueOf(r).Elem().NumField() { // each part is there, and nothing has happened
			reflect.ValueOf(r).Elem().Field(i).Elem().SetZero()
		}
		return r
	}
	parts := reflect.TypeFor[Reading]().NumField()
	list := List()
	for absent := range parts + 1 { // that part is missing; the last time none is
		for i := range list {
			m := &list[i]
			if m.Kind != Counter {
				continue
			}
			fresh := whole(false)
			if absent < parts {
				reflect.ValueOf(fresh).Elem().Field(absent).SetZero()
			}
			want := labels(m, fresh)
			for s := breaker.Closed; s <= breaker.ForcedOpen; s++ {
				for _, used := range []bool{false, true} {
					r := whole(used)
					r.Breaker.State = s
					if absent < parts {
						reflect.ValueOf(r).Elem().Field(absent).SetZero()
					}
					if got := labels(m, r); !slices.Equal(got, want) {
						t.Errorf("%s in %v: got %q, want %q", m.Name, s, got, want)
					}
				}
			}
		}
	}
}
