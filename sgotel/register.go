package sgotel

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/switchgear-go/switchgear/internal/check"
	"github.com/switchgear-go/switchgear/internal/metrics"
	"github.com/switchgear-go/switchgear/registry"
)

// Config says what [Register] registers. It is plain data; the zero value is the
// default.
type Config struct {
	// MaxNames is how many entries have series of their own. The rest are added up under
	// the name other. An entry that is in stays in as long as it exists. Default 200; from
	// 1 to 10,000.
	//
	// By its specification an SDK keeps 2,000 series of one instrument, unless it is told
	// otherwise; the widest instrument has 7 for each name.
	MaxNames int
}

const mostNames = 10_000

// Register makes the instruments of all metrics on meter and has them observe what source
// holds, until stop is called. If the configuration is not valid, the error is a
// [*switchgear.ConfigError]; else it is the meter's.
func Register(meter metric.Meter, source registry.Source, cfg Config) (stop func() error, err error) {
	var c check.Checker
	c.Int("MaxNames", &cfg.MaxNames, 200, 1, mostNames, false)
	if err := c.Err("sgotel metrics", ""); err != nil {
		return nil, err
	}
	list := metrics.List()
	g := metrics.NewGatherer(source, list, cfg.MaxNames)
	observe := make(map[*metrics.Metric]func(metric.Observer, float64, metric.MeasurementOption), len(list))
	instruments := make([]metric.Observable, len(list))
	for i := range list {
		m := &list[i]
		if m.Kind == metrics.Counter {
			in, err := meter.Int64ObservableCounter(m.Dotted(), metric.WithDescription(m.Help+"."), metric.WithUnit(m.Unit))
			if err != nil {
				return nil, err
			}
			instruments[i] = in
			observe[m] = func(o metric.Observer, v float64, opt metric.MeasurementOption) { o.ObserveInt64(in, int64(v), opt) }
			continue
		}
		in, err := meter.Float64ObservableGauge(m.Dotted(), metric.WithDescription(m.Help+"."), metric.WithUnit(m.Unit))
		if err != nil {
			return nil, err
		}
		instruments[i] = in
		observe[m] = func(o metric.Observer, v float64, opt metric.MeasurementOption) { o.ObserveFloat64(in, v, opt) }
	}
	registration, err := meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		for _, p := range g.Gather() {
			observe[p.Metric](o, p.Value, metric.WithAttributeSet(attributes(p)))
		}
		return nil
	}, instruments...)
	if err != nil {
		return nil, err
	}
	return registration.Unregister, nil
}

func attributes(p metrics.Point) attribute.Set {
	pairs := make([]attribute.KeyValue, 0, 2)
	if !p.Metric.Nameless {
		pairs = append(pairs, attribute.String(metrics.NameLabel, p.Name))
	}
	if p.Metric.Label != "" {
		pairs = append(pairs, attribute.String(p.Metric.Label, p.Label))
	}
	return attribute.NewSet(pairs...)
}
