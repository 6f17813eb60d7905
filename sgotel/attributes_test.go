package sgotel_test

import (
	"slices"
	"strings"

	"go.opentelemetry.io/otel/attribute"

	"github.com/switchgear-go/switchgear/internal/metrics"
)

// seriesName writes a name with its attributes in order.
func seriesName(name string, pairs []attribute.KeyValue) string {
	list := make([]string, len(pairs))
	for i, p := range pairs {
		list[i] = string(p.Key) + "=" + p.Value.Emit()
	}
	slices.Sort(list)
	return name + "{" + strings.Join(list, ",") + "}"
}

// attributesOf says what the labels of a point are.
func attributesOf(p metrics.Point) (pairs []attribute.KeyValue) {
	if p.Name != "" {
		pairs = append(pairs, attribute.String("name", p.Name))
	}
	if p.Metric.Label != "" {
		pairs = append(pairs, attribute.String(p.Metric.Label, p.Label))
	}
	return pairs
}
