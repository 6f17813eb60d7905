package sgslog

import (
	"sync"
	"time"

	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
)

// A key is what lines are counted by.
type key struct {
	source, name string
	kind         event.Kind
}

// others is the key of all for which there is no room.
var others = key{kind: "others"}

// A bucket counts the lines of one key.
type bucket struct {
	// full is the instant at which all lines may be written at once again. Each line
	// moves it by Every (the generic cell rate algorithm).
	full time.Duration

	// newest is the newest event left out, if n is not zero; n is the number of those
	// left out since the last line. A timer will write it.
	newest event.Event
	n      uint64
	timer  clock.Timer
}

// A limiter passes on as many events of each key as may be written. It has a lock of
// its own, under which the clock and the queue are called, and nothing of the user's.
type limiter struct {
	cfg Config
	clk clock.Clock
	out event.Listener // a queue: takes an event and returns

	mu      sync.Mutex
	keys    map[key]*bucket
	sweep   time.Duration // instant before which no key can be forgotten
	closed  bool
	heard   uint64
	leftOut uint64
}

// digest stands in for the Detail of an event before which others were left out.
type digest struct {
	detail  any
	leftOut uint64
}

func (l *limiter) OnEvent(e event.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.heard++
	if l.closed {
		l.out.OnEvent(e) // which counts it as lost
		return
	}
	now := l.clk.Mono()
	b := l.bucket(key{e.Source, e.Name, e.Kind}, now)
	if b.n > 0 || b.full > now+time.Duration(l.cfg.Burst-1)*l.cfg.Every {
		l.keep(b, e, now)
		return
	}
	l.write(b, e, now)
}

// write passes e on and counts it.
func (l *limiter) write(b *bucket, e event.Event, now time.Duration) {
	b.full = max(b.full, now) + l.cfg.Every
	l.out.OnEvent(e)
}

// keep keeps e in place of an event that is then left out for good. The first one has a
// timer see to it.
func (l *limiter) keep(b *bucket, e event.Event, now time.Duration) {
	b.newest = e
	b.n++
	if b.n > 1 {
		l.leftOut++
		return
	}
	room := b.full - time.Duration(l.cfg.Burst-1)*l.cfg.Every
	b.timer = l.clk.AfterFunc(max(room-now, 0), func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.flush(b)
	})
}

// flush writes the newest event that was left out. Called under mu.
func (l *limiter) flush(b *bucket) {
	if b.n == 0 {
		return
	}
	e := b.newest
	if b.n > 1 {
		e.Detail = &digest{e.Detail, b.n - 1}
	}
	b.newest, b.n, b.timer = event.Event{}, 0, nil
	l.write(b, e, l.clk.Mono())
}

// bucket returns the bucket of a key, or the one that all share for which there is no
// room.
func (l *limiter) bucket(k key, now time.Duration) *bucket {
	if b := l.keys[k]; b != nil {
		return b
	}
	if len(l.keys) >= l.cfg.MaxNames {
		l.forget(now)
	}
	if len(l.keys) >= l.cfg.MaxNames {
		k = others
		if b := l.keys[k]; b != nil {
			return b
		}
	}
	b := &bucket{full: now}
	l.keys[k] = b
	return b
}

// forget drops all keys that say no more than a new one would.
func (l *limiter) forget(now time.Duration) {
	if now < l.sweep {
		return
	}
	l.sweep = now + l.cfg.Every
	for k, b := range l.keys {
		if b.n == 0 && b.full <= now {
			delete(l.keys, k)
		}
	}
}

// close writes what was kept, and has later events lost.
func (l *limiter) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for _, b := range l.keys {
		if b.timer != nil {
			b.timer.Stop()
		}
		l.flush(b)
	}
	clear(l.keys)
}

func (l *limiter) counts() (heard, leftOut uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.heard, l.leftOut
}
