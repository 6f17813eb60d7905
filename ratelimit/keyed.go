package ratelimit

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/internal/check"
)

const (
	// OtherKeys is the key in the [Rejection] of a call whose key had no limiter of
	// its own.
	OtherKeys = "(other)"

	maxKeys = 1_000_000
	// maxKeyLength bounds the memory of keys that come from outside, in bytes.
	maxKeyLength = 1024
	// maxKeyedRing bounds the memory of all sliding windows together: 80 MB.
	maxKeyedRing = 10_000_000
	// glances is how many limiters a new key looks at to find one to replace.
	glances = 16
	// quiet is the least time between two warnings that a Keyed is full.
	quiet = time.Minute
)

// KeyedConfig says how many calls may begin for each key, and how many keys there may
// be.
type KeyedConfig struct {
	// Limit is the limit of each key.
	Limit Config

	// MaxKeys is how many keys have a limiter of their own at a time. Default 1024;
	// from 1 to 1,000,000. With a [SlidingWindow], MaxKeys times Burst is at most
	// 10,000,000.
	MaxKeys int
}

// Keyed has a limiter for each key: a customer, an address, a path. Make it with
// [NewKeyed]; it must not be copied. All its methods are safe for concurrent use.
//
// Keys may come from outside, so their number is bounded. A limiter that nobody has
// used for so long that all its tokens are there again is like a new one, and gives way
// to a new key when there are MaxKeys. If the few that a new key looks at are all in
// use, the call is counted by one limiter, with the same limit, that all keys without
// their own share, as are keys of more than 1,024 bytes. So a flood of made-up keys
// takes nothing from those that have a limiter, and gets one limit in all. With Rate
// Off no used limiter ever gives way.
type Keyed struct {
	name     string
	cfg      KeyedConfig
	clk      clock.Clock
	tally    tally
	other    *Limiter // of the keys without their own
	shared   atomic.Uint64
	replaced atomic.Uint64
	warnings []switchgear.Problem
	events   event.Stream

	// mu guards what is below. Decisions are made under its read half: so a limiter
	// is never replaced while somebody takes tokens from it, and no key gets two
	// bursts.
	mu     sync.RWMutex
	places map[string]int
	all    []*Limiter
	hand   int           // the next limiter to look at
	warned time.Duration // when an event was made of the shortage; never before
}

// NewKeyed makes a Keyed. See [New].
func NewKeyed(name string, cfg KeyedConfig, opts ...Option) (*Keyed, error) {
	var c check.Checker
	warnings, err := compile(name, &cfg.Limit)
	c.Part("Limit", err)
	for _, w := range warnings {
		c.Doubt("Limit."+w.Path, w.Value, "%s", w.Bound)
	}
	c.Int("MaxKeys", &cfg.MaxKeys, 1024, 1, maxKeys, false)
	if l := cfg.Limit; err == nil && l.Kind == SlidingWindow && !math.IsInf(l.Rate, 1) && cfg.MaxKeys > maxKeyedRing/l.Burst {
		c.Wrong("MaxKeys", cfg.MaxKeys, "must be at most %d with a sliding window of Burst = %d", maxKeyedRing/l.Burst, l.Burst)
	}
	if err := c.Err("ratelimit", name); err != nil {
		return nil, err
	}
	o := wire(opts)
	k := &Keyed{
		name: name, cfg: cfg, clk: o.clk, warnings: c.Warnings,
		places: make(map[string]int), warned: never,
	}
	k.other = newLimiter(name, OtherKeys, cfg.Limit, o.clk, &k.tally)
	k.events.Init(recent, o.listeners...)
	for _, w := range c.Warnings {
		k.events.Append(warning(k.clk, name, w.String()))
	}
	k.events.Deliver()
	return k, nil
}

// MustKeyed returns k, or panics if err is not nil. It is for package variables.
func MustKeyed(k *Keyed, err error) *Keyed {
	if err != nil {
		panic(err)
	}
	return k
}

// Name returns the name.
func (k *Keyed) Name() string { return k.name }

// Config returns the configuration with every default filled in.
func (k *Keyed) Config() KeyedConfig { return k.cfg }

// Warnings returns what validation found doubtful.
func (k *Keyed) Warnings() []switchgear.Problem { return slices.Clone(k.warnings) }

// Events returns the newest events, at most 32, oldest first: warnings from validation,
// and that there were more keys than MaxKeys, at most once a minute.
func (k *Keyed) Events() []event.Event { return k.events.Recent() }

// Allow is [Limiter.Allow] for the key's limiter.
func (k *Keyed) Allow(key string) error { return k.AllowN(key, 1) }

// AllowN is [Limiter.AllowN] for the key's limiter.
func (k *Keyed) AllowN(key string, n int) error {
	_, err := k.Reserve(key, n, 0)
	return err
}

// Reserve is [Limiter.Reserve] for the key's limiter.
func (k *Keyed) Reserve(key string, n int, maxWait time.Duration) (Reservation, error) {
	if len(key) > maxKeyLength {
		k.shared.Add(1)
		return k.other.Reserve(n, maxWait)
	}
	if r, err, ok := k.reserveKnown(key, n, maxWait); ok {
		return r, err
	}
	return k.reserveNew(key, n, maxWait)
}

func (k *Keyed) reserveKnown(key string, n int, maxWait time.Duration) (r Reservation, err error, known bool) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	i, known := k.places[key]
	if known {
		r, err = k.all[i].Reserve(n, maxWait)
	}
	return r, err, known
}

func (k *Keyed) reserveNew(key string, n int, maxWait time.Duration) (Reservation, error) {
	defer k.events.Deliver() // after the lock is released
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.find(key).Reserve(n, maxWait)
}

// find returns the limiter for a key, a new one if need be. Called under mu.
func (k *Keyed) find(key string) *Limiter {
	if i, ok := k.places[key]; ok { // another goroutine came first
		return k.all[i]
	}
	i, ok := k.room()
	if !ok {
		k.shared.Add(1)
		k.warn()
		return k.other
	}
	key = strings.Clone(key) // it may be a small part of a large request
	k.all[i] = newLimiter(k.name, key, k.cfg.Limit, k.clk, &k.tally)
	k.places[key] = i
	return k.all[i]
}

// room returns a free place: a new one, or that of a limiter at rest. It looks at a few
// only, going round, so that a new key costs the same however many there are. Called
// under mu.
func (k *Keyed) room() (int, bool) {
	if len(k.all) < k.cfg.MaxKeys {
		k.all = append(k.all, nil)
		return len(k.all) - 1, true
	}
	for range min(glances, len(k.all)) {
		i := k.hand
		k.hand = (k.hand + 1) % len(k.all)
		if l := k.all[i]; l.idle() {
			delete(k.places, l.key)
			k.replaced.Add(1)
			return i, true
		}
	}
	return 0, false
}

func (k *Keyed) warn() {
	now := k.clk.Mono()
	if k.warned != never && now-k.warned < quiet {
		return
	}
	k.warned = now
	k.events.Append(warning(k.clk, k.name, fmt.Sprintf("all %d keys are in use, so further keys share one limit", k.cfg.MaxKeys)))
}

// Wait is [Limiter.Wait] for the key's limiter.
func (k *Keyed) Wait(ctx context.Context, key string) error {
	if ctx.Err() != nil {
		k.tally.refused.Add(1)
		return gone(ctx, k.name, key, 1)
	}
	r, err := k.Reserve(key, 1, patience(ctx, k.clk, k.cfg.Limit.MaxWait))
	if err != nil {
		return err
	}
	return r.sleep(ctx)
}

// DoKey is [Do] for the limiter of a key.
func DoKey[T any](ctx context.Context, k *Keyed, key string, fn func(context.Context) (T, error)) (T, error) {
	if err := k.Wait(ctx, key); err != nil {
		var zero T
		return zero, err
	}
	return fn(ctx)
}

// Do is [Limiter.Do] for the key's limiter.
func (k *Keyed) Do(ctx context.Context, key string, fn func(context.Context) error) error {
	if err := k.Wait(ctx, key); err != nil {
		return err
	}
	return fn(ctx)
}

// Counters returns the counts of all keys together. They outlive the limiters.
func (k *Keyed) Counters() Counters { return k.tally.counters() }

// KeyedSnapshot is how a [Keyed] stands at one moment.
type KeyedSnapshot struct {
	// Keys is how many keys have a limiter of their own, at most MaxKeys.
	Keys    int `json:"keys"`
	MaxKeys int `json:"max_keys"`
	// Replaced counts limiters at rest that gave way to another key, Shared the
	// calls that had to share a limiter for want of their own.
	Replaced uint64 `json:"replaced"`
	Shared   uint64 `json:"shared"`

	Counters
}

// Snapshot returns how the Keyed stands.
func (k *Keyed) Snapshot() KeyedSnapshot {
	k.mu.RLock()
	keys := len(k.places)
	k.mu.RUnlock()
	return KeyedSnapshot{
		Keys: keys, MaxKeys: k.cfg.MaxKeys, Replaced: k.replaced.Load(), Shared: k.shared.Load(),
		Counters: k.Counters(),
	}
}

// KeySnapshot returns how the limiter of one key stands, and false if the key has none
// of its own.
func (k *Keyed) KeySnapshot(key string) (s Snapshot, ok bool) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	i, ok := k.places[key]
	if ok {
		s = k.all[i].Snapshot()
	}
	return s, ok
}
