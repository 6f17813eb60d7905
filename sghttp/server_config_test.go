package sghttp

import (
	"errors"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/adaptive"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/ratelimit"
)

func TestServerConfigDefaults(t *testing.T) {
	s := newServer(t, ServerConfig{})
	equal(t, "zero", s.Config(), ServerConfig{RetryAfter: time.Second, RetrySpread: 2 * time.Second})

	s = newServer(t, ServerConfig{
		KeyedRateLimit: &ratelimit.KeyedConfig{Limit: ratelimit.Config{Rate: 5}},
		RateLimit:      &ratelimit.Config{Rate: 50},
		Adaptive:       &adaptive.Config{},
		Bulkhead:       &bulkhead.Config{},
		Deadline:       &DeadlineConfig{Limit: time.Second, Header: "x-timeout"},
	})
	got := s.Config()
	equal(t, "keys", got.KeyedRateLimit.MaxKeys, 1024)
	equal(t, "burst", got.RateLimit.Burst, 50)
	equal(t, "adaptive", *got.Adaptive, s.Adaptive().Config())
	equal(t, "bulkhead", *got.Bulkhead, s.Bulkhead().Config())
	equal(t, "deadline", *got.Deadline, DeadlineConfig{Limit: time.Second, Minimum: off, Header: "X-Timeout"})
}

// K60: a configuration that the caller goes on changing is not the server's, and the
// one that the server returns is not either.
func TestServerConfigK60NothingShared(t *testing.T) {
	cfg := ServerConfig{
		Adaptive: &adaptive.Config{Shares: []switchgear.Percent{100, 50}},
		Deadline: &DeadlineConfig{Limit: time.Second},
	}
	s := newServer(t, cfg)
	before := s.Config()
	cfg.Adaptive.Shares[1] = 10
	cfg.Deadline.Limit = 1
	got := s.Config()
	got.Adaptive.Shares[1] = 10
	got.Deadline.Limit = 1
	equal(t, "config", s.Config(), before)
	equal(t, "the caller's", cfg.Deadline.Minimum, 0)
}

func TestServerConfigK59EverythingIsReported(t *testing.T) {
	_, err := NewServer("api", ServerConfig{
		KeyedRateLimit: &ratelimit.KeyedConfig{Limit: ratelimit.Config{Rate: -1}},
		RateLimit:      &ratelimit.Config{},
		Adaptive:       &adaptive.Config{Min: -1},
		Bulkhead:       &bulkhead.Config{MaxConcurrent: -1},
		Deadline:       &DeadlineConfig{Minimum: -1, Header: "no header"},
		RetryAfter:     -1,
		RetrySpread:    -time.Second,
	})
	matches(t, "NewServer", err, switchgear.ErrConfig)
	invalid, _ := errors.AsType[*switchgear.ConfigError](err)
	var paths []string
	for _, p := range invalid.Problems {
		paths = append(paths, p.Path)
	}
	equal(t, "paths", paths, []string{
		"KeyedRateLimit.Limit.Rate", "RateLimit.Rate", "Adaptive.Min", "Bulkhead.MaxConcurrent",
		"Deadline.Limit", "Deadline.Minimum", "Deadline.Header", "RetryAfter", "RetrySpread",
	})
	equal(t, "name", invalid.Name, "api")
}

func TestServerConfigOfTheWhole(t *testing.T) {
	for name, tt := range map[string]struct {
		cfg  ServerConfig
		said string
	}{
		"minimum": {
			ServerConfig{Deadline: &DeadlineConfig{Limit: time.Second, Minimum: 2 * time.Second}},
			"Deadline.Minimum = 2s: must be at most Limit = 1s: no request has more time than that",
		},
		"wait of all": {
			ServerConfig{RateLimit: &ratelimit.Config{Rate: 1, MaxWait: time.Second}, Deadline: &DeadlineConfig{Limit: time.Second}},
			"RateLimit.MaxWait = 1s: must be less than Deadline.Limit = 1s: who waits that long has no time left",
		},
		"wait of one": {
			ServerConfig{
				KeyedRateLimit: &ratelimit.KeyedConfig{Limit: ratelimit.Config{Rate: 1, MaxWait: time.Minute}},
				Deadline:       &DeadlineConfig{Limit: time.Second},
			},
			"KeyedRateLimit.Limit.MaxWait = 1m0s: must be less than Deadline.Limit = 1s: who waits that long has no time left",
		},
	} {
		_, err := NewServer("api", tt.cfg)
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		equal(t, name, err.Error(), `sghttp "api": invalid configuration: `+tt.said)
	}
}

func TestMustServer(t *testing.T) {
	MustServer(NewServer("api", ServerConfig{}))
	defer func() { equal(t, "panicked", recover() != nil, true) }()
	MustServer(NewServer("api", ServerConfig{RetryAfter: -1}))
}
