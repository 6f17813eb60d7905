package bulkhead

import (
	"fmt"
	"strings"
	"time"

	"github.com/switchgear-go/switchgear/event"
)

// Reconfigure puts another configuration into effect while calls go on. It is all or
// nothing: if cfg is not valid the error is a [*switchgear.ConfigError] that lists
// every problem, and nothing has changed. If the effective configuration stays the same
// nothing happens at all. Otherwise there is one [event.Reconfigured] event, with a
// [*Reconfiguration] as its Detail, followed by the warnings about cfg.
//
// A higher limit admits callers that wait at once, in their order. A lower one takes
// nothing away: the calls that run go on, and no other begins until enough of them have
// ended. Callers that wait keep their place, also if the new queue is shorter, and the
// MaxWait with which they came.
func (b *Bulkhead) Reconfigure(cfg Config) error {
	r, err := compile(b.name, cfg)
	if err != nil {
		return err
	}
	b.lock()
	defer b.unlock()
	old := b.rules.Load()
	if old.cfg == r.cfg {
		return nil
	}
	b.rules.Store(r)
	// Room grows or shrinks by as much as the limit does; what is out stays out. The
	// conversion wraps, and so does the addition, which makes it a subtraction.
	b.word.Store(b.word.Load() + uint64(r.limit-old.limit))
	b.limit.Store(r.limit)
	b.events.Append(event.Event{
		Time: b.clk.Now(), Source: source, Name: b.name, Kind: event.Reconfigured,
		Detail: &Reconfiguration{old.cfg, r.cfg},
	})
	b.warn(r)
	b.admitWaiters()
	return nil
}

// warn makes events of the warnings.
func (b *Bulkhead) warn(r *rules) {
	for _, w := range r.warnings {
		b.events.Append(event.Event{
			Time: b.clk.Now(), Source: source, Name: b.name, Kind: event.Warning, Reason: w.String(),
		})
	}
}

// Reconfiguration is the Detail of an [event.Reconfigured] event. It never changes.
type Reconfiguration struct {
	// Old and New are the effective configurations before and after.
	Old Config `json:"old"`
	New Config `json:"new"`
}

// String lists what changed, such as "MaxConcurrent: 10 → 20, MaxWaiting: off → 5".
func (r *Reconfiguration) String() string {
	var changes []string
	changed := func(field string, old, new any) {
		if old != new {
			changes = append(changes, fmt.Sprintf("%s: %v → %v", field, readable(old), readable(new)))
		}
	}
	changed("MaxConcurrent", r.Old.MaxConcurrent, r.New.MaxConcurrent)
	changed("MaxWaiting", r.Old.MaxWaiting, r.New.MaxWaiting)
	changed("MaxWait", r.Old.MaxWait, r.New.MaxWait)
	return strings.Join(changes, ", ")
}

func readable(v any) any {
	switch v {
	case off, time.Duration(off):
		return "off"
	}
	return v
}
