// Package observe holds tests of what is in deploy: that the alerts fire in an outage and
// are over after it, that every query of the board is one, and that OpenTelemetry's
// exporter for Prometheus and package sgprom publish the same.
//
// They need the programs prometheus and promtool. A test whose program is not installed
// is skipped, since a program is nothing that go test could fetch.
package observe
