package sgotel_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel/metric/noop"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/internal/metrics"
	"github.com/switchgear-go/switchgear/pipeline"
	"github.com/switchgear-go/switchgear/registry"
	"github.com/switchgear-go/switchgear/sgotel"
)

// reader collects what a source has.
func reader(t *testing.T, s registry.Source, cfg sgotel.Config) (r *sdk.ManualReader, stop func() error) {
	t.Helper()
	r = sdk.NewManualReader()
	stop, err := sgotel.Register(sdk.NewMeterProvider(sdk.WithReader(r)).Meter("test"), s, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r, stop
}

// collect returns all values as "name{label=value,…}".
func collect(t *testing.T, r *sdk.ManualReader) (values map[string]float64, all map[string]metricdata.Metrics) {
	t.Helper()
	var data metricdata.ResourceMetrics
	if err := r.Collect(background, &data); err != nil {
		t.Fatal(err)
	}
	values, all = make(map[string]float64), make(map[string]metricdata.Metrics)
	for _, scope := range data.ScopeMetrics {
		for _, m := range scope.Metrics {
			all[m.Name] = m
			switch d := m.Data.(type) {
			case metricdata.Sum[int64]:
				equal(t, m.Name+" is monotonic", d.IsMonotonic, true)
				for _, p := range d.DataPoints {
					values[seriesName(m.Name, p.Attributes.ToSlice())] = float64(p.Value)
				}
			case metricdata.Sum[float64]:
				equal(t, m.Name+" is monotonic", d.IsMonotonic, true)
				for _, p := range d.DataPoints {
					values[seriesName(m.Name, p.Attributes.ToSlice())] = p.Value
				}
			case metricdata.Gauge[float64]:
				for _, p := range d.DataPoints {
					values[seriesName(m.Name, p.Attributes.ToSlice())] = p.Value
				}
			default:
				t.Errorf("%s is a %T", m.Name, d)
			}
		}
	}
	return values, all
}

func TestRegister(t *testing.T) {
	t.Run("everything that is gathered is observed, as it is described", func(t *testing.T) {
		p, err := pipeline.New("stock", pipeline.LowLatency())
		if err != nil {
			t.Fatal(err)
		}
		s := source{entries: []registry.Entry{{Name: "stock", Pipeline: p, Breaker: p.Breaker()}}}
		fail(s.add("ledger"), 3)
		r, _ := reader(t, &s, sgotel.Config{MaxNames: 1})
		values, all := collect(t, r)
		list := metrics.List()
		points := metrics.NewGatherer(&s, list, 1).Gather()
		for _, p := range points {
			name := seriesName(p.Metric.Dotted(), attributesOf(p))
			if got, ok := values[name]; !ok || got != p.Value {
				t.Errorf("%s: got %v, %t, want %v", name, got, ok, p.Value)
			}
		}
		equal(t, "values", len(values), len(points))
		for i := range list {
			m, ok := all[list[i].Dotted()]
			if !ok {
				continue // no such policy
			}
			equal(t, m.Name+" unit", m.Unit, list[i].Unit)
			equal(t, m.Name+" description", m.Description, list[i].Help+".")
			_, counter := m.Data.(metricdata.Sum[int64])
			_, seconds := m.Data.(metricdata.Sum[float64])
			equal(t, m.Name+" is a counter", counter || seconds, list[i].Kind == metrics.Counter)
			equal(t, m.Name+" counts seconds", seconds, list[i].Kind == metrics.Counter && list[i].Unit == metrics.Seconds)
		}
	})
	t.Run("K61: the series of who is gone are gone", func(t *testing.T) {
		var s source
		s.add("a")
		fail(s.add("b"), 2)
		r, _ := reader(t, &s, sgotel.Config{})
		before, _ := collect(t, r)
		s.remove(0)
		after, _ := collect(t, r)
		equal(t, "values", len(after)-2, (len(before)-2)/2)
		equal(t, "b", after["switchgear.breaker.calls{kind=failed,name=b}"], 2)
	})
	t.Run("K64: ten thousand names", func(t *testing.T) {
		var s source
		for i := range 10_000 {
			fail(s.add(fmt.Sprint(i)), 1)
		}
		r, _ := reader(t, &s, sgotel.Config{})
		values, _ := collect(t, r)
		if len(values) > 201*40 {
			t.Errorf("%d values", len(values))
		}
		equal(t, "others", values["switchgear.breaker.calls{kind=failed,name=other}"], 9800)
	})
	t.Run("after stop nothing is observed", func(t *testing.T) {
		var s source
		s.add("a")
		r, stop := reader(t, &s, sgotel.Config{})
		equal(t, "stop", stop(), nil)
		values, _ := collect(t, r)
		equal(t, "values", len(values), 0)
	})
	t.Run("the state follows", func(t *testing.T) {
		var s source
		b := s.add("a")
		r, _ := reader(t, &s, sgotel.Config{})
		if err := b.Move(breaker.Move{To: breaker.ForcedOpen, Reason: "test"}); err != nil {
			t.Fatal(err)
		}
		values, _ := collect(t, r)
		equal(t, "forced open", values["switchgear.breaker.state{name=a,state=forced_open}"], 1)
		equal(t, "closed", values["switchgear.breaker.state{name=a,state=closed}"], 0)
	})
	t.Run("seconds are counted with their fractions", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var s source
			b := s.add("a")
			r, _ := reader(t, &s, sgotel.Config{})
			if err := b.Move(breaker.Move{To: breaker.Open, Reason: "test"}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(1500 * time.Millisecond)
			values, _ := collect(t, r)
			equal(t, "time open", values["switchgear.breaker.open_time{name=a}"], 1.5)
		})
	})
	t.Run("nil is no source and no meter", func(t *testing.T) {
		_, err := sgotel.Register(nil, nil, sgotel.Config{MaxNames: -1})
		for _, part := range []string{"meter", "source", "MaxNames"} {
			if !errors.Is(err, switchgear.ErrConfig) || !strings.Contains(err.Error(), part) {
				t.Errorf("%s: got %v", part, err)
			}
		}
	})
	t.Run("without an SDK it does nothing", func(t *testing.T) {
		stop, err := sgotel.Register(noop.Meter{}, &source{}, sgotel.Config{})
		equal(t, "error", err, nil)
		equal(t, "stop", stop(), nil)
	})
	t.Run("bounds", func(t *testing.T) {
		for _, n := range []int{-1, 10_001, switchgear.Off} {
			_, err := sgotel.Register(noop.Meter{}, &source{}, sgotel.Config{MaxNames: n})
			if !errors.Is(err, switchgear.ErrConfig) || !strings.Contains(err.Error(), "MaxNames") {
				t.Errorf("%d: got %v", n, err)
			}
		}
		for _, n := range []int{0, 1, 10_000} {
			if _, err := sgotel.Register(noop.Meter{}, &source{}, sgotel.Config{MaxNames: n}); err != nil {
				t.Errorf("%d: got %v", n, err)
			}
		}
	})
}
