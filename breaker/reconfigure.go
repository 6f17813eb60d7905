package breaker

import (
	"encoding/json"
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
	// Changes lists what differs, in the order of the fields. There is at least one.
	Changes []Difference `json:"changes"`
}

// String lists the changes in one line.
func (r *Reconfiguration) String() string {
	texts := make([]string, len(r.Changes))
	for i, d := range r.Changes {
		texts[i] = d.String()
	}
	return strings.Join(texts, ", ")
}

// Difference is one field of the effective configuration that changed. A field
// whose default follows another one changes with it: ProbeLimit with Open.Wait,
// for instance.
type Difference struct {
	// Path names the field, such as "HalfOpen.Probes".
	Path string `json:"path"`
	// Old and New are its values, of the field's type, with defaults filled in;
	// of Evidence and SlowEvidence what the pointer points to, or nil.
	Old any `json:"old"`
	New any `json:"new"`
}

// String returns "HalfOpen.MaxWait: off → 1m0s".
func (d Difference) String() string {
	return fmt.Sprintf("%s: %+v → %+v", d.Path, readable(d.Old), readable(d.New))
}

// MarshalJSON writes the values as people do, such as "off", "1m0s" and 5.
func (d Difference) MarshalJSON() ([]byte, error) {
	type plain Difference
	return json.Marshal(plain{d.Path, readable(d.Old), readable(d.New)})
}

// readable returns v, or a text where v itself says little.
func readable(v any) any {
	switch v {
	case nil, off, time.Duration(off):
		return "off"
	}
	if s, ok := v.(fmt.Stringer); ok {
		return s.String()
	}
	return v
}

// Reconfigure puts another configuration into effect while calls go on (rules R1
// to R10). It is all or nothing: if cfg is not valid the error is a
// [*switchgear.ConfigError] that lists every problem, and nothing has changed. If
// the effective configuration stays the same nothing happens at all. Otherwise
// there is one [event.Reconfigured] event, followed by the warnings about cfg.
//
// What the breaker knows survives as far as it still has a meaning:
//
//	state, period, counters, trip record    kept
//	operator's move and its expiry          kept
//	calls that are out                      kept; one that was admitted untimed is never slow
//	outcomes in the window                  kept as they were judged, in a window of the same
//	                                        kind its newest part; in the other kind none
//	run of failures, growth of the interval kept
//	score of the evidence rule              kept if its test is the same, else zero
//	open deadline                           moved by what the new rules make of the interval,
//	                                        with the same growth, hint and random number
//	probes                                  kept, also if more are out than the new rules allow;
//	                                        of their outcomes the newest, as many as Probes
//	grace                                   still runs from New; one that is over stays over
//
// In CLOSED the new rules judge with the next outcome. Only HALF_OPEN is judged at
// once, since it may admit no further probe to wait for. A timer whose instant has
// passed by the new rules is due at once.
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
	b.stop(p)
	b.endGrace(now)

	b.rules.Store(r)
	b.version++
	b.fastUntil.Store(0) // before the fence: the old value goes with the old tag
	b.fence(p)
	b.events.Append(event.Event{
		Time: b.clk.Now(), Source: source, Name: b.name, Kind: event.Reconfigured, Period: p.id,
		Detail: &Reconfiguration{b.version, changes},
	})
	b.warn(p)

	b.adoptRecord(p, old, r, now)
	b.adoptGrace(r, now)
	switch p.state {
	case Open:
		b.adoptInterval(p, old, r)
	case HalfOpen:
		b.adoptProbes(p, r)
	}
	b.stopTimer()
	b.startTimer(p)
	switch {
	case p.state == HalfOpen:
		b.decide(p, now, false)
	case p.state.admits():
		b.resume(p, now)
	}
	return nil
}

// adoptRecord carries the window of admitted calls, and the evidence, over to new
// rules.
func (b *Breaker) adoptRecord(p *period, old, r *rules, now time.Duration) {
	shown := p.window == b.main
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
		b.main = resized
	}
	if shown {
		p.window = b.main
	}
	if shown || p.window == nil {
		p.minimum = r.minimum
	}
	b.scores = b.scores.adopt(old, r)
}

// adoptGrace moves the end of a grace that is still running (T7).
func (b *Breaker) adoptGrace(r *rules, now time.Duration) {
	if b.grace > 0 {
		b.grace = max(b.born+r.cfg.Grace, 1) // 0 stands for none
		b.endGrace(max(now, 1))
	}
}

// adoptInterval moves the deadline of an OPEN period by as much as the new rules
// make its interval longer. The deadline need not be the start of the period plus
// the interval: that of a restored period is not.
func (b *Breaker) adoptInterval(p *period, old, r *rules) {
	if p.draw == noInterval {
		return
	}
	longer := r.interval(p.retrips, p.hint, p.draw) - old.interval(p.retrips, p.hint, p.draw)
	p.until.Add(int64(longer))
}

// adoptProbes applies new rules to the probes.
func (b *Breaker) adoptProbes(p *period, r *rules) {
	s := p.probes
	s.window = s.window.Resize(r.probes)
	// By rate the window must be able to fill up: an outcome that it has lost holds
	// no slot any more.
	s.settled = int(s.window.Counts(0).Calls)
	p.window, p.minimum = s.window, r.needed
	b.updateSlots(p)
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
