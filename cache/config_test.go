package cache_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/cache"
)

const month = 30 * 24 * time.Hour

// problems returns what New finds wrong with cfg.
func problems(cfg cache.Config, store cache.Store[string, int]) []switchgear.Problem {
	_, err := cache.New("items", cfg, store)
	if e, ok := errors.AsType[*switchgear.ConfigError](err); ok {
		return e.Problems
	}
	return nil
}

func TestConfig(t *testing.T) {
	t.Run("Z1: a zero field means the documented default", func(t *testing.T) {
		c := cache.Must(cache.New[string, int]("items", cache.Config{}, nil))
		equal(t, "configuration", c.Config(), cache.Config{
			TTL: off, StaleFor: 10 * time.Minute, Memory: cache.MemoryConfig{Entries: 1000, MaxWeight: off},
		})
		equal(t, "the memory's", c.Memory().Config(), c.Config().Memory)
		equal(t, "name", c.Name(), "items")
	})
	t.Run("Z1: the effective configuration is a valid one", func(t *testing.T) {
		once := cache.Must(cache.New[string, int]("items", cache.Config{TTL: time.Minute}, nil)).Config()
		twice := cache.Must(cache.New[string, int]("items", once, nil)).Config()
		equal(t, "configuration", twice, once)
	})
	t.Run("Z1, K59: bounds", func(t *testing.T) {
		for _, tt := range []struct {
			cfg  cache.Config
			path string // "": fine
		}{
			{cache.Config{TTL: time.Millisecond}, ""},
			{cache.Config{TTL: month}, ""},
			{cache.Config{TTL: time.Millisecond - 1}, "TTL"},
			{cache.Config{TTL: month + 1}, "TTL"},
			{cache.Config{TTL: -1}, "TTL"},
			{cache.Config{StaleFor: time.Millisecond}, ""},
			{cache.Config{StaleFor: month}, ""},
			{cache.Config{StaleFor: time.Millisecond - 1}, "StaleFor"},
			{cache.Config{StaleFor: month + 1}, "StaleFor"},
			{cache.Config{StaleFor: -time.Second}, "StaleFor"},
			{cache.Config{TTL: time.Second, StaleFor: off}, ""},
			{cache.Config{StaleFor: off}, "StaleFor"},
			{cache.Config{Memory: cache.MemoryConfig{Entries: 1}}, ""},
			{cache.Config{Memory: cache.MemoryConfig{Entries: 1_000_000_000}}, ""},
			{cache.Config{Memory: cache.MemoryConfig{Entries: 1_000_000_001}}, "Memory.Entries"},
			{cache.Config{Memory: cache.MemoryConfig{Entries: off}}, "Memory.Entries"},
			{cache.Config{Memory: cache.MemoryConfig{Entries: -1}}, "Memory.Entries"},
			{cache.Config{Memory: cache.MemoryConfig{MaxWeight: off}}, ""},
			{cache.Config{Memory: cache.MemoryConfig{MaxWeight: 10}}, "Memory.MaxWeight"}, // nothing weighs
			{cache.Config{Memory: cache.MemoryConfig{MaxWeight: -1}}, "Memory.MaxWeight"},
		} {
			found := problems(tt.cfg, nil)
			switch {
			case tt.path == "" && found != nil:
				t.Errorf("%+v: got %v", tt.cfg, found)
			case tt.path != "" && (len(found) != 1 || found[0].Path != tt.path):
				t.Errorf("%+v: got %v, want a problem with %s", tt.cfg, found, tt.path)
			}
		}
	})
	t.Run("Z1: everything wrong is reported at once", func(t *testing.T) {
		_, err := cache.New[string, int]("items", cache.Config{TTL: -1, StaleFor: 1, Memory: cache.MemoryConfig{Entries: -1}}, nil)
		equal(t, "error", err.Error(), `cache "items": invalid configuration: `+
			`TTL = -1ns: must be from 1ms to 720h0m0s, or Off; StaleFor = 1ns: must be from 1ms to 720h0m0s, or Off; `+
			`Memory.Entries = -1: must be from 1 to 1000000000`)
		defer func() { equal(t, "Must panics with the error", recover(), any(err)) }()
		cache.Must[string, int](nil, err)
	})
	t.Run("bounds of a memory that is not used: a warning", func(t *testing.T) {
		store, _ := cache.NewMemory[string, int](cache.MemoryConfig{}, nil)
		r := newRig(t, cache.Config{Memory: cache.MemoryConfig{Entries: 5}}, store)
		equal(t, "events", len(r.heard), 1)
		equal(t, "reason", r.heard[0].Reason, "Memory = {5 0}: has no effect: a store was given")
		equal(t, "configuration", r.Config().Memory, cache.MemoryConfig{})
		equal(t, "memory", r.Memory(), nil)
		equal(t, "remembered", r.Events(), r.heard)
	})
}

func TestMemoryConfig(t *testing.T) {
	weigh := func(string, int) int { return 1 }
	for _, tt := range []struct {
		cfg   cache.MemoryConfig
		weigh func(string, int) int
		err   string
	}{
		{cache.MemoryConfig{}, nil, ""},
		{cache.MemoryConfig{MaxWeight: 1}, weigh, ""},
		{cache.MemoryConfig{MaxWeight: math.MaxInt32}, weigh, ""},
		{cache.MemoryConfig{}, weigh, `cache memory "": invalid configuration: MaxWeight = off: must be set where there is a function that weighs`},
		{cache.MemoryConfig{MaxWeight: 5}, nil, `cache memory "": invalid configuration: MaxWeight = 5: must be off without a function that weighs; make the store with NewMemory`},
		{cache.MemoryConfig{Entries: -1}, nil, `cache memory "": invalid configuration: Entries = -1: must be from 1 to 1000000000`},
	} {
		_, err := cache.NewMemory(tt.cfg, tt.weigh)
		text := ""
		if err != nil {
			text = err.Error()
		}
		equal(t, "error", text, tt.err)
	}
}
