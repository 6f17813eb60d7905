package sgprom

import (
	"math"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/switchgear-go/switchgear/internal/metrics"
	"github.com/switchgear-go/switchgear/registry"
)

// A Collector publishes what the policies of a source count. Make it with [New]; it must
// not be copied.
type Collector struct {
	gatherer *metrics.Gatherer
	series   map[*metrics.Metric]series
	order    []*prometheus.Desc
	latency  *Latency
}

var _ prometheus.Collector = (*Collector)(nil)

// series is what a metric becomes.
type series struct {
	desc    *prometheus.Desc
	kind    prometheus.ValueType
	summary bool // the value is the number of observations
	labels  func(p metrics.Point) []string
}

// New makes a collector of what source holds. If the configuration is not valid, or source
// is nil, the error is a [*switchgear.ConfigError].
func New(source registry.Source, cfg Config, opts ...Option) (*Collector, error) {
	if err := cfg.validate(source); err != nil {
		return nil, err
	}
	var o options
	for _, opt := range opts {
		if opt != nil {
			opt(&o)
		}
	}
	list := metrics.List()
	own := len(list)
	if o.resilience4j {
		list = append(list, resilience4j...)
	}
	c := &Collector{
		gatherer: metrics.NewGatherer(source, list, cfg.MaxNames),
		series:   make(map[*metrics.Metric]series, len(list)),
		latency:  o.latency,
	}
	for i := range list {
		s := describe(&list[i])
		if i >= own {
			s = describeAs(list[i].Name, &list[i])
		}
		c.series[&list[i]] = s
		c.order = append(c.order, s.desc)
	}
	return c, nil
}

func describe(m *metrics.Metric) series { return describeAs(m.Underscored(), m) }

func describeAs(name string, m *metrics.Metric) series {
	s := series{kind: prometheus.GaugeValue}
	if m.Kind == metrics.Counter {
		s.kind = prometheus.CounterValue
	}
	var labels []string
	switch {
	case m.Nameless:
		labels = []string{m.Label}
		s.labels = func(p metrics.Point) []string { return []string{p.Label} }
	case m.Label == "":
		labels = []string{metrics.NameLabel}
		s.labels = func(p metrics.Point) []string { return []string{p.Name} }
	default:
		labels = []string{metrics.NameLabel, m.Label}
		s.labels = func(p metrics.Point) []string { return []string{p.Name, p.Label} }
	}
	s.summary = name == callsSeconds
	s.desc = prometheus.NewDesc(name, m.Help+".", labels, nil)
	return s
}

// Describe sends the description of every metric there can be.
func (c *Collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range c.order {
		ch <- d
	}
}

// Collect asks all policies and sends their numbers.
func (c *Collector) Collect(ch chan<- prometheus.Metric) {
	for _, p := range c.gatherer.Gather() {
		ch <- c.metric(p)
	}
}

func (c *Collector) metric(p metrics.Point) prometheus.Metric {
	s := c.series[p.Metric]
	var m prometheus.Metric
	var err error
	if s.summary {
		// One place for each series, as long as it lives: a count that came now from the
		// breaker and then from a timer would jump.
		count, sum := uint64(p.Value), math.NaN()
		if c.latency != nil && p.Name != metrics.Other {
			count, sum = c.latency.recorded(p.Name, p.Label)
		}
		m, err = prometheus.NewConstSummary(s.desc, count, sum, nil, s.labels(p)...)
	} else {
		m, err = prometheus.NewConstMetric(s.desc, s.kind, p.Value, s.labels(p)...)
	}
	if err != nil {
		return prometheus.NewInvalidMetric(s.desc, err)
	}
	return m
}
