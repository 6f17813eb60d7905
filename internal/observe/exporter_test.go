package observe

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	otelprom "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/sdk/metric"

	"github.com/switchgear-go/switchgear/sgotel"
	"github.com/switchgear-go/switchgear/sgprom"
)

// The rules and the board fit both ways: OpenTelemetry's exporter for Prometheus makes the
// same series of package sgotel as package sgprom publishes.
func TestExporterAgrees(t *testing.T) {
	p := newPlant(t)
	ours := prometheus.NewPedanticRegistry()
	ours.MustRegister(sgprom.Must(sgprom.New(p.registry, sgprom.Config{MaxNames: 5})))

	theirs := prometheus.NewPedanticRegistry()
	exporter, err := otelprom.New(otelprom.WithRegisterer(theirs), otelprom.WithoutScopeInfo(), otelprom.WithoutTargetInfo())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sgotel.Register(metric.NewMeterProvider(metric.WithReader(exporter)).Meter("test"), p.registry, sgotel.Config{MaxNames: 5}); err != nil {
		t.Fatal(err)
	}

	want, got := values(t, ours), values(t, theirs)
	if len(want) == 0 {
		t.Fatal("nothing is published")
	}
	for _, series := range slices.Sorted(maps.Keys(want)) {
		if v, ok := got[series]; !ok || v != want[series] {
			t.Errorf("%s: the exporter has %v (%t), want %v", series, v, ok, want[series])
		}
	}
	for series := range got {
		if _, ok := want[series]; !ok {
			t.Errorf("%s: only the exporter has it", series)
		}
	}
}

// values returns all samples as "type name{label=value,…}".
func values(t *testing.T, r *prometheus.Registry) map[string]float64 {
	t.Helper()
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]float64)
	for _, f := range families {
		for _, m := range f.Metric {
			var labels []string
			for _, l := range m.Label {
				if !strings.HasPrefix(l.GetName(), "otel_") {
					labels = append(labels, l.GetName()+"="+l.GetValue())
				}
			}
			v := m.GetGauge().GetValue()
			if f.GetType() == dto.MetricType_COUNTER {
				v = m.GetCounter().GetValue()
			}
			all[f.GetType().String()+" "+f.GetName()+"{"+strings.Join(labels, ",")+"}"] = v
		}
	}
	return all
}
