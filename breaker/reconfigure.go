package breaker

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/window"
)

// Reconfiguration is the Detail of an [event.Reconfigured] event. It never
// changes.
type Reconfiguration struct {
	// Version is that of the configuration now in effect. See
	// [Snapshot.ConfigVersion].
	Version uint64 `json:"version"`
	// Changes lists what differs, in the order of the fields.
	Changes []Difference `json:"changes"`
}

// Difference is one field of the effective configuration that changed.
type Difference struct {
	// Path names the field, such as "HalfOpen.Probes".
	Path string `json:"path"`
	// Old and New are its values, with defaults filled in; nil stands for a
	// missing Evidence or SlowEvidence.
	Old any `json:"old"`
	New any `json:"new"`
}

// String returns "HalfOpen.Probes: 5 → 1".
func (d Difference) String() string { return fmt.Sprintf("%s: %v → %v", d.Path, d.Old, d.New) }

// String lists the changes in one line.
func (r *Reconfiguration) String() string {
	texts := make([]string, len(r.Changes))
	for i, d := range r.Changes {
		texts[i] = d.String()
	}
	return strings.Join(texts, ", ")
}

// Reconfigure puts another configuration into effect while calls go on. It is all
// or nothing: if cfg is not valid the error is a [*switchgear.ConfigError] that
// lists every problem, and nothing has changed. If the effective configuration
// stays the same nothing happens at all. Otherwise there is one
// [event.Reconfigured] event.
//
// What the breaker knows survives as far as it still has a meaning:
//
//	state, period, counters, trip record,
//	operator's move and expiry              kept
//	calls that are out                      kept; one admitted while nothing was timed is not slow
//	window                                  of the same kind: its newest part; else emptied
//	run of failures, growth of the interval kept
//	evidence, where its test is the same    kept; else restarted at zero
//	open deadline, if Open changed          recomputed from the start of the interval, with the
//	                                        same growth, hint and random number
//	probes                                  those out stay out, also when they are more than are
//	                                        allowed now; their window keeps its newest part
//	grace                                   runs from New; one that is over stays over
//
// New thresholds judge with the next outcome. Only HALF_OPEN is judged at once,
// by the new rules, since it may admit no further probe to wait for.
func (b *Breaker) Reconfigure(cfg Config) error {
	r, err := rulesFor(b.name, cfg)
	if err != nil {
		return err
	}
	now := b.clk.Mono()
	b.mu.Lock()
	defer b.unlock()
	old := b.rules.Load()
	changes := differences(&old.cfg, &r.cfg)
	if len(changes) == 0 {
		return nil
	}
	p := b.cur.Load()
	b.book(p)
	b.stop(p)
	b.endGrace(now)

	b.rules.Store(r)
	b.version++
	b.fence(p)
	b.events.Append(event.Event{
		Time: b.clk.Now(), Source: source, Name: b.name, Kind: event.Reconfigured, Period: p.id,
		Detail: &Reconfiguration{b.version, changes},
	})
	b.warn(p)

	b.adoptRecord(p, old, r, now)
	b.adoptGrace(old, r, now)
	switch p.state {
	case Open:
		b.adoptInterval(p, old, r)
	case HalfOpen:
		b.adoptProbes(p, r, now)
	}
	if b.cur.Load() != p { // the probes' verdict was in
		return nil
	}
	b.stopTimer()
	b.startTimer(p)
	// If the window already meets a new threshold, the next outcome must come
	// through the lock to trip on it (W4).
	if p.state.admits() && b.judgeWindow(p, now) == nil {
		b.resume(p, now)
	}
	return nil
}

// adoptRecord carries the window of admitted calls, and the evidence, over to new
// rules.
func (b *Breaker) adoptRecord(p *period, old, r *rules, now time.Duration) {
	if old.cfg.Window != r.cfg.Window {
		resized := r.newWindow()
		switch w := b.main.(type) {
		case *window.Count:
			if !r.timed() {
				resized = w.Resize(r.cfg.Window.Calls)
			}
		case *window.Time:
			if r.timed() {
				resized = w.Resize(now, r.cfg.Window.Length, r.cfg.Window.Buckets)
			}
		}
		if p.window == b.main {
			p.window = resized
		}
		b.main = resized
	}
	if p.window == b.main {
		p.minimum = r.minimum
	}
	b.scores = b.scores.adopt(old, r)
}

// adoptGrace moves the end of a grace that is still running (T7).
func (b *Breaker) adoptGrace(old, r *rules, now time.Duration) {
	if b.grace > 0 && old.cfg.Grace != r.cfg.Grace {
		b.grace = max(b.born+r.cfg.Grace, 1)
		b.endGrace(now)
	}
}

// adoptInterval moves the deadline of an OPEN period. One whose interval has no
// length of its own, after FORCED_OPEN has expired, is left alone.
func (b *Breaker) adoptInterval(p *period, old, r *rules) {
	if old.cfg.Open != r.cfg.Open && p.until.Load() != int64(p.start) {
		p.until.Store(int64(after(p.start, r.interval(p.retrips, p.hint, p.draw))))
	}
}

// adoptProbes applies new rules to the probes, and gives the verdict if it is in.
func (b *Breaker) adoptProbes(p *period, r *rules, now time.Duration) {
	s := p.probes
	s.window = s.window.Resize(r.probes)
	p.window, p.minimum = s.window, r.needed
	b.updateSlots(p)
	b.decide(p, now, false)
}

// differences compares two effective configurations field by field.
func differences(old, new *Config) []Difference {
	return compare(nil, "", reflect.ValueOf(*old), reflect.ValueOf(*new))
}

func compare(found []Difference, path string, old, new reflect.Value) []Difference {
	if old.Kind() == reflect.Pointer && !old.IsNil() && !new.IsNil() {
		old, new = old.Elem(), new.Elem()
	}
	if old.Kind() != reflect.Struct {
		if o, n := value(old), value(new); o != n {
			found = append(found, Difference{strings.TrimPrefix(path, "."), o, n})
		}
		return found
	}
	for i := range old.NumField() {
		found = compare(found, path+"."+old.Type().Field(i).Name, old.Field(i), new.Field(i))
	}
	return found
}

// value returns what a field holds; of a pointer, what it points to.
func value(v reflect.Value) any {
	if v.Kind() != reflect.Pointer {
		return v.Interface()
	}
	if v.IsNil() {
		return nil
	}
	return v.Elem().Interface()
}
