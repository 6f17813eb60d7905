package main

import (
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
)

// gateOf returns a gate for breakers with these half-open configurations, and its clock.
func gateOf(t *testing.T, configs ...breaker.HalfOpenConfig) (*gate, *time.Duration) {
	now := new(time.Duration)
	var pool []*limits
	for _, h := range configs {
		pool = append(pool, full(t, breaker.Config{HalfOpen: h}))
	}
	return newGate(func() time.Duration { return *now }, pool), now
}

// enter lets a probe of period 3 in, and returns its number.
func enter(t *testing.T, g *gate, asked time.Duration, rule string) uint64 {
	t.Helper()
	n, err := g.enter(3, asked)
	accuses(t, err, rule)
	return n
}

func TestGate(t *testing.T) {
	byRate := breaker.HalfOpenConfig{Probes: 2, ProbeLimit: time.Second}
	byStreak := breaker.HalfOpenConfig{Probes: 2, ProbeLimit: time.Second, Verdict: breaker.ByStreak}
	lasting := breaker.HalfOpenConfig{Probes: 2, ProbeLimit: off, Verdict: breaker.ByStreak}

	t.Run("H1: one more than allowed is out", func(t *testing.T) {
		for _, h := range []breaker.HalfOpenConfig{byRate, byStreak, lasting} {
			g, _ := gateOf(t, h)
			enter(t, g, 0, "")
			enter(t, g, 0, "")
			enter(t, g, 0, "H1")
		}
	})
	t.Run("H1: by rate an outcome uses its slot up, by streak it gives it back", func(t *testing.T) {
		for _, test := range []struct {
			config breaker.HalfOpenConfig
			rule   string
		}{{byRate, "H1"}, {byStreak, ""}} {
			g, _ := gateOf(t, test.config)
			g.leave(3, enter(t, g, 0, ""), true)
			enter(t, g, 0, "")
			enter(t, g, 0, test.rule)
		}
	})
	t.Run("H4: without an outcome the slot is free", func(t *testing.T) {
		g, _ := gateOf(t, byRate)
		for range 10 {
			g.leave(3, enter(t, g, 0, ""), false)
		}
	})
	t.Run("H8: a probe that may be overdue is not counted by streak", func(t *testing.T) {
		g, now := gateOf(t, byStreak)
		enter(t, g, 0, "")
		enter(t, g, longAgo, "")
		*now = time.Second - 1
		enter(t, g, *now, "")
		enter(t, g, *now, "H1") // with the first and the third
		*now = time.Hour
		enter(t, g, *now, "")
	})
	t.Run("H8: by rate an overdue probe has used its slot up", func(t *testing.T) {
		g, now := gateOf(t, byRate)
		enter(t, g, 0, "")
		*now = time.Hour
		enter(t, g, *now, "")
		enter(t, g, *now, "H1")
	})
	t.Run("R: of several configurations the most generous counts", func(t *testing.T) {
		g, now := gateOf(t, byRate, breaker.HalfOpenConfig{Probes: 3, ProbeLimit: time.Minute})
		g.leave(3, enter(t, g, 0, ""), true)
		enter(t, g, 0, "")
		enter(t, g, 0, "")
		enter(t, g, 0, "")
		enter(t, g, 0, "H1")
		*now = time.Second
		g.leave(3, enter(t, g, *now, ""), true)
	})
	t.Run("S5: periods do not mix, and old ones are forgotten", func(t *testing.T) {
		g, _ := gateOf(t, byRate)
		for period := range uint64(1000) {
			for range 2 {
				_, err := g.enter(period, 0)
				accuses(t, err, "")
			}
		}
		if n := len(g.periods); n > 2*remembered {
			t.Errorf("%d periods are remembered", n)
		}
		g.leave(1, 1, true) // nothing
		_, err := g.enter(999, 0)
		accuses(t, err, "H1")
	})
}
