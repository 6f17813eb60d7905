package model

import (
	"encoding/binary"
	"slices"
)

// Clone returns a copy that shares nothing that is ever changed.
func (b *Breaker) Clone() *Breaker {
	c := *b
	c.Shown.All = slices.Clip(b.Shown.All) // records never change; appending copies
	c.Errors = slices.Clip(b.Errors)
	c.Events = slices.Clip(b.Events)
	c.Out = slices.Clone(b.Out) // changed in place by H8
	if b.Last != nil {
		last := *b.Last // changed by Adopt
		c.Last = &last
	}
	return &c
}

// Key returns a text that two breakers, made with one configuration, share only if
// nothing that happens from now on can tell them apart. What they have told already is
// left out: the events, and the last trip, which was in one of them.
func (b *Breaker) Key() string {
	k := make(key, 0, 256)
	k.config(&b.cfg)
	k.text(string(b.State), b.Author, b.Reason)
	k.texts(b.Errors)
	k.numbers(int64(b.Period), int64(b.Start), int64(b.Expires), int64(b.Until))
	k.window(&b.Shown)
	k.numbers(b.Needed, b.Run, int64(b.Hint))
	k.score(&b.Score)
	k.score(&b.Slows)
	k.numbers(int64(len(b.Out)))
	for _, p := range b.Out {
		k.numbers(int64(p.Number), int64(p.Period), int64(p.Since), number(p.Overdue))
	}
	k.numbers(
		int64(b.Settled), int64(b.Streak), int64(b.admitted), int64(b.givenBack), int64(b.refused), int64(b.lastProbe),
		int64(b.draws), int64(b.graceEnd), int64(b.Retrips), number(b.ended), int64(b.LastFailed),
	)
	c := &b.Counters
	for _, n := range []uint64{
		c.Successful, c.Failed, c.Slow, c.Ignored, c.Released, c.Rejected, c.Late, c.Trips, c.Probes, c.GivenBack, c.Overdue, c.ProbesGood, c.ProbesFailed,
	} {
		k.numbers(int64(n))
	}
	return string(k)
}

// Forget drops what makes no difference to one who never asks for the time of the last
// failure and for the number of refusals, so that it makes none in the key.
func (b *Breaker) Forget() {
	b.LastFailed, b.refused, b.Counters.Rejected = Never, 0, 0
}

// A key is made of numbers, and of texts with their length before them.
type key []byte

func (k *key) numbers(all ...int64) {
	for _, n := range all {
		*k = binary.AppendVarint(*k, n)
	}
}

func (k *key) text(all ...string) {
	for _, s := range all {
		k.numbers(int64(len(s)))
		*k = append(*k, s...)
	}
}

func (k *key) texts(all []string) {
	k.numbers(int64(len(all)))
	k.text(all...)
}

// config writes what [Breaker.Reconfigure] can change.
func (k *key) config(c *Config) {
	k.numbers(c.FailureRate, c.SlowRate, c.Consecutive, c.FailureCount, int64(c.Slow))
}

func (k *key) window(w *Window) {
	k.numbers(int64(w.Last), int64(w.Bucket), int64(w.Buckets), int64(len(w.All)))
	for _, o := range w.All {
		k.numbers(o.Bucket, 2*number(o.Failed)+number(o.Slow))
	}
}

func (k *key) score(s *Score) {
	k.numbers(s.Points, int64(s.Mark), number(s.Window), int64(s.Opened), s.Base, int64(s.Since), s.Calls, s.Failed, s.Forgotten)
}

func number(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
