package sim

import "testing"

// A meter relates what was simulated to the time it took: that of the clock on the
// wall and, where the system tells, that of the processor, which other programs on
// the machine disturb less.
type meter struct{ cpu float64 }

func startMeter() meter { return meter{cpuSeconds()} }

func (m meter) report(b *testing.B, calls, happened uint64) {
	wall := b.Elapsed().Seconds()
	b.ReportMetric(float64(calls)/wall/1e6, "Mcalls/s")
	b.ReportMetric(float64(happened)/wall/1e6, "Mevents/s")
	if cpu := cpuSeconds() - m.cpu; cpu > 0 {
		b.ReportMetric(float64(calls)/cpu/1e6, "Mcalls/cpu-s")
	}
}
