package breaker

import (
	"time"

	"github.com/switchgear-go/switchgear/evidence"
)

// scores are the running scores of the evidence rule (T6). A nil *scores is for a
// breaker without it, and does nothing. Guarded by Breaker.mu.
type scores struct {
	failures evidence.Score
	slows    evidence.Score
}

func newScores(r *rules) *scores {
	if r.evidence == nil && r.slowEvidence == nil {
		return nil
	}
	return new(scores)
}

// adopt returns the scores to go on with under new rules: those whose test is the
// same, and zero for the others.
func (s *scores) adopt(old, r *rules) *scores {
	adopted := newScores(r)
	if s == nil || adopted == nil {
		return adopted
	}
	if sameTest(old.evidence, r.evidence) {
		adopted.failures = s.failures
	}
	if sameTest(old.slowEvidence, r.slowEvidence) {
		adopted.slows = s.slows
	}
	return adopted
}

// sameTest reports whether two tests are the same: of one configuration, and with
// one threshold, since a second test beside it changes that.
func sameTest(a, b *evidence.Test) bool {
	return a != nil && b != nil && a.Config() == b.Config() && a.Threshold() == b.Threshold()
}

func (s *scores) reset() {
	if s != nil {
		*s = scores{}
	}
}

func (s *scores) record(r *rules, now time.Duration, o outcome) {
	if s == nil {
		return
	}
	if t := r.evidence; t != nil {
		s.failures.Record(t, now, o.failed())
	}
	if t := r.slowEvidence; t != nil {
		s.slows.Record(t, now, o.slow)
	}
}

// good takes in n successes that were counted earlier. That they are late does
// not change the scores: between two bad outcomes both time and good ones only
// take points away.
func (s *scores) good(r *rules, now time.Duration, n int64) {
	if s == nil {
		return
	}
	if t := r.evidence; t != nil {
		s.failures.Good(t, now, n)
	}
	if t := r.slowEvidence; t != nil {
		s.slows.Good(t, now, n)
	}
}

// quiet reports whether one more bad outcome would leave both scores below their
// thresholds.
func (s *scores) quiet(r *rules, now time.Duration) bool {
	if s == nil {
		return true
	}
	below := func(t *evidence.Test, s *evidence.Score) bool {
		return t == nil || s.Value(t, now)+t.Points() < t.Threshold()
	}
	return below(r.evidence, &s.failures) && below(r.slowEvidence, &s.slows)
}

// judge returns the record of the test that is at its threshold, or nil.
func (s *scores) judge(r *rules, now time.Duration) *Trip {
	if s == nil {
		return nil
	}
	met := func(t *evidence.Test, s *evidence.Score) bool { return t != nil && s.Value(t, now) >= t.Threshold() }
	if met(r.evidence, &s.failures) {
		report := s.failures.Report(r.evidence, now)
		return &Trip{Rule: RuleEvidence, Evidence: &report}
	}
	if met(r.slowEvidence, &s.slows) {
		report := s.slows.Report(r.slowEvidence, now)
		return &Trip{Rule: RuleSlowEvidence, Evidence: &report}
	}
	return nil
}

// levels returns the scores as shares of their thresholds, from 0 to 1.
func (s *scores) levels(r *rules, now time.Duration) (failures, slows float64) {
	if s == nil {
		return 0, 0
	}
	level := func(t *evidence.Test, s *evidence.Score) float64 {
		if t == nil {
			return 0
		}
		return min(1, float64(s.Value(t, now))/float64(t.Threshold()))
	}
	return level(r.evidence, &s.failures), level(r.slowEvidence, &s.slows)
}
