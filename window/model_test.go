package window

import (
	"math"
	"time"
)

// The models are what rule W6 speaks of: each keeps every outcome it was ever told
// and counts anew for every question.

type outcome struct {
	bucket       int64 // Time only
	failed, slow bool
}

func count(outcomes []outcome) (c Counts) {
	for _, o := range outcomes {
		c.Calls++
		if o.failed {
			c.Failed++
		}
		if o.slow {
			c.Slow++
		}
		if o.failed && o.slow {
			c.SlowFailed++
		}
	}
	return c
}

// countModel is the model of a Count window.
type countModel struct {
	size     int
	outcomes []outcome
}

func (m *countModel) Record(_ time.Duration, failed, slow bool) {
	m.outcomes = append(m.outcomes, outcome{failed: failed, slow: slow})
}

func (m *countModel) Good(_ time.Duration, n int64) {
	for range n {
		m.Record(0, false, false)
	}
}

func (m *countModel) Reset() { m.outcomes = nil }

func (m *countModel) Counts(time.Duration) Counts { return count(m.last(m.size)) }

func (m *countModel) last(n int) []outcome {
	return m.outcomes[max(0, len(m.outcomes)-n):]
}

func (m *countModel) resize(size int) *countModel {
	return &countModel{size, append([]outcome(nil), m.last(min(m.size, size))...)}
}

// timeModel is the model of a Time window.
type timeModel struct {
	width    time.Duration
	buckets  int64
	outcomes []outcome
	newest   int64 // the newest bucket with an outcome, if there are outcomes
}

// bucketOf is written in another way than the window's own, on purpose.
func (m *timeModel) bucketOf(now time.Duration) int64 {
	bucket := int64(math.Floor(float64(now) / float64(m.width)))
	if len(m.outcomes) > 0 {
		bucket = max(bucket, m.newest)
	}
	return bucket
}

func (m *timeModel) Record(now time.Duration, failed, slow bool) {
	m.newest = m.bucketOf(now)
	m.outcomes = append(m.outcomes, outcome{m.newest, failed, slow})
}

func (m *timeModel) Good(now time.Duration, n int64) {
	for range n {
		m.Record(now, false, false)
	}
}

func (m *timeModel) Reset() { m.outcomes = nil }

func (m *timeModel) Counts(now time.Duration) Counts { return count(m.visible(now)) }

func (m *timeModel) visible(now time.Duration) (v []outcome) {
	for _, o := range m.outcomes {
		if o.bucket > m.bucketOf(now)-m.buckets {
			v = append(v, o)
		}
	}
	return v
}

func (m *timeModel) end(now time.Duration) time.Duration {
	return time.Duration(m.bucketOf(now)+1) * m.width
}

// resize files everything visible at now under the start of its bucket, and keeps
// what is then still visible at now.
func (m *timeModel) resize(now, width time.Duration, buckets int64) *timeModel {
	r := &timeModel{width: width, buckets: buckets}
	for _, o := range m.visible(now) {
		r.Record(time.Duration(o.bucket)*m.width, o.failed, o.slow)
	}
	r.outcomes = r.visible(now)
	return r
}
