package sim

import (
	"math"
	"time"

	"github.com/switchgear-go/switchgear/internal/check"
	"github.com/switchgear-go/switchgear/sim/internal/random"
)

// A sampler draws durations from a distribution.
type sampler struct {
	kind   DistributionKind
	rate   float64 // of an exponential, per second
	mean   time.Duration
	mu     float64 // of the logarithm of seconds
	sigma  float64
	values []time.Duration
	stream *random.Stream
	draws  uint64
}

func newSampler(d Distribution) sampler {
	return sampler{
		kind:  d.Kind,
		rate:  float64(time.Second) / float64(d.Mean),
		mean:  d.Mean,
		sigma: d.Sigma,
		// The mean of a log-normal is exp(mu + sigma²/2).
		mu:     math.Log(d.Mean.Seconds()) - d.Sigma*d.Sigma/2,
		values: d.Values,
	}
}

// draw returns the next duration.
func (s *sampler) draw() time.Duration {
	switch s.kind {
	case Exponential:
		s.draws++
		return fromSeconds(s.stream.Exponential(s.rate))
	case LogNormal:
		s.draws++
		return fromSeconds(math.Exp(s.mu + float64(s.sigma*s.stream.Normal())))
	case Empirical:
		s.draws++
		return s.values[int(s.stream.Float64()*float64(len(s.values)))]
	}
	return s.mean
}

// fromSeconds rounds to whole nanoseconds. Nothing takes longer than 30 days. The
// conversion in the middle keeps a processor that can from doing both operations
// in one, which rounds differently.
func fromSeconds(s float64) time.Duration {
	const most = float64(check.MaxDuration / time.Second)
	if s > most {
		s = most
	}
	return time.Duration(float64(s*1e9) + 0.5)
}
