package sghttp

import (
	"errors"
	"reflect"
	"slices"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/internal/check"
	"github.com/switchgear-go/switchgear/pipeline"
	"github.com/switchgear-go/switchgear/timeout"
)

// compilePolicies validates what stands in front of each host: a breaker, or a whole
// pipeline, with what there is only then.
func (cfg *Config) compilePolicies(c *check.Checker, o *options) {
	if cfg.Pipeline == nil {
		trial, err := breaker.New("", cfg.Breaker)
		if c.Part("Breaker", err) {
			cfg.Breaker = trial.Config()
		}
		only := func(wrong bool, path string, value any) {
			if wrong {
				c.Wrong(path, value, "needs Pipeline")
			}
		}
		only(len(cfg.Repeats) > 0, "Repeats", cfg.Repeats)
		only(cfg.MaxBufferedBody != 0, "MaxBufferedBody", cfg.MaxBufferedBody)
		only(cfg.LimitBody, "LimitBody", cfg.LimitBody)
		only(o.configurePipeline != nil, "WithPipelineConfig", "given")
		only(len(o.pipeline) > 0, "WithPipeline", "given")
		return
	}
	instead := func(wrong bool, path string, value any, bound string) {
		if wrong {
			c.Wrong(path, value, "%s", bound)
		}
	}
	instead(!reflect.ValueOf(cfg.Breaker).IsZero(), "Breaker", "set", "must not be set beside Pipeline: set Pipeline.Breaker")
	instead(o.configure != nil, "WithBreakerConfig", "given", "must not be given with Pipeline: use WithPipelineConfig")
	instead(len(o.breaker) > 0, "WithBreaker", "given", "must not be given with Pipeline: use WithPipeline")
	instead(cfg.JudgeBody, "JudgeBody", true, "must be false with Pipeline, whose policies are told the outcome when the headers arrive")
	cfg.Pipeline = clonePipeline(cfg.Pipeline)
	_, err := newPipeline("", *cfg.Pipeline, o.pipeline)
	c.Part("Pipeline", err)
}

// newPipeline makes a pipeline for answers that go on after the call.
func newPipeline(name string, cfg pipeline.Config, opts []pipeline.Option) (*pipeline.Pipeline, error) {
	var c check.Checker
	abandons := func(path string, limit *timeout.Config) {
		if limit != nil && limit.Abandon {
			c.Wrong(path, true, "must be false: the body of an answer would end with its attempt")
		}
	}
	abandons("Total.Abandon", cfg.Total)
	abandons("Attempt.Abandon", cfg.Attempt)
	p, err := pipeline.New(name, cfg, opts...)
	if invalid, ok := errors.AsType[*switchgear.ConfigError](err); ok {
		c.Problems = append(c.Problems, invalid.Problems...)
	}
	return p, c.Err("pipeline", name)
}

// clonePipeline returns a copy that shares nothing with cfg.
func clonePipeline(cfg *pipeline.Config) *pipeline.Config {
	c := *cfg
	c.Total = own(c.Total)
	c.RateLimit = own(c.RateLimit)
	if c.Adaptive = own(c.Adaptive); c.Adaptive != nil {
		c.Adaptive.Shares = slices.Clone(c.Adaptive.Shares)
	}
	c.Throttle = own(c.Throttle)
	c.Retry = own(c.Retry)
	c.Hedge = own(c.Hedge)
	c.Budget = own(c.Budget)
	if c.Breaker = own(c.Breaker); c.Breaker != nil {
		c.Breaker.Evidence = own(c.Breaker.Evidence)
		c.Breaker.SlowEvidence = own(c.Breaker.SlowEvidence)
	}
	c.Bulkhead = own(c.Bulkhead)
	c.Attempt = own(c.Attempt)
	if c.Inject = own(c.Inject); c.Inject != nil {
		c.Inject.Faults = slices.Clone(c.Inject.Faults)
		for i := range c.Inject.Faults {
			f := &c.Inject.Faults[i]
			f.Keys = slices.Clone(f.Keys)
		}
	}
	c.Accept = slices.Clone(c.Accept)
	return &c
}

// own returns a pointer to a copy of what p points to.
func own[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}
