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
// holds, until stop is called. If the configuration is not valid, or meter or source is
// nil, the error is a [*switchgear.ConfigError]; else it is the meter's.
//
// Call it once for each meter. A second source on the same meter has the same instruments,
// and an SDK adds up what two callbacks observe of one counter under one name: for several
// registries, attach them to one.
func Register(meter metric.Meter, source registry.Source, cfg Config) (stop func() error, err error) {
	var c check.Checker
	if meter == nil {
		c.Wrong("meter", "nil", "must be given")
	}
	if source == nil {
		c.Wrong("source", "nil", "must be given")
	}
	c.Int("MaxNames", &cfg.MaxNames, 200, 1, mostNames, false)
	if err := c.Err("sgotel metrics", ""); err != nil {
		return nil, err
	}
	list := metrics.List()
	g := metrics.NewGatherer(source, list, cfg.MaxNames)
	observe := make(map[*metrics.Metric]observation, len(list))
	instruments := make([]metric.Observable, len(list))
	for i := range list {
		if instruments[i], observe[&list[i]], err = instrument(meter, &list[i]); err != nil {
			return nil, err
		}
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

// observation tells an observer a value.
type observation func(o metric.Observer, v float64, opt metric.MeasurementOption)

// instrument makes the instrument of a metric: of things that are counted one of whole
// numbers.
func instrument(meter metric.Meter, m *metrics.Metric) (metric.Observable, observation, error) {
	name, help, unit := m.Dotted(), metric.WithDescription(m.Help+"."), metric.WithUnit(m.Unit)
	var in metric.Float64Observable
	var err error
	switch {
	case m.Kind == metrics.Gauge:
		in, err = meter.Float64ObservableGauge(name, help, unit)
	case m.Unit == metrics.Seconds:
		in, err = meter.Float64ObservableCounter(name, help, unit)
	default:
		in, err := meter.Int64ObservableCounter(name, help, unit)
		return in, func(o metric.Observer, v float64, opt metric.MeasurementOption) { o.ObserveInt64(in, int64(v), opt) }, err
	}
	return in, func(o metric.Observer, v float64, opt metric.MeasurementOption) { o.ObserveFloat64(in, v, opt) }, err
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
