package throttle

import (
	"fmt"
	"strings"

	"github.com/switchgear-go/switchgear/event"
)

// Reconfigure puts another configuration into effect while calls go on. It is all or
// nothing: if cfg is not valid the error is a [*switchgear.ConfigError] that lists every
// problem, and nothing has changed. If the effective configuration stays the same nothing
// happens at all. Otherwise there is one [event.Reconfigured] event, with a
// [*Reconfiguration] as its Detail, followed by the warnings about cfg.
//
// What the window holds is kept, unless Window or Buckets change: then it begins anew,
// empty. Calls that are under way count when they end.
func (t *Throttle) Reconfigure(cfg Config) error {
	r, err := compile(t.name, cfg)
	if err != nil {
		return err
	}
	now := t.clk.Mono()
	defer t.events.Deliver()
	t.mu.Lock()
	defer t.mu.Unlock()
	old := t.rules.Load()
	if old.cfg == r.cfg {
		return nil
	}
	t.rules.Store(r)
	if old.cfg.Window != r.cfg.Window || old.cfg.Buckets != r.cfg.Buckets {
		t.ring = newRing(r.cfg)
		t.newest.Store(t.ring.begin(now))
	}
	t.events.Append(event.Event{
		Time: t.clk.Now(), Source: source, Name: t.name, Kind: event.Reconfigured,
		Detail: &Reconfiguration{old.cfg, r.cfg},
	})
	t.warn(r)
	return nil
}

// warn makes events of the warnings.
func (t *Throttle) warn(r *rules) {
	for _, w := range r.warnings {
		t.events.Append(event.Event{
			Time: t.clk.Now(), Source: source, Name: t.name, Kind: event.Warning, Reason: w.String(),
		})
	}
}

// Reconfiguration is the Detail of an [event.Reconfigured] event. It never changes.
type Reconfiguration struct {
	// Old and New are the effective configurations before and after.
	Old Config `json:"old"`
	New Config `json:"new"`
}

// String lists what changed, such as "K: 2 → 1.5, MaxRefusal: 90 % → off".
func (r *Reconfiguration) String() string {
	var changes []string
	changed := func(field string, old, new any) {
		if old != new {
			changes = append(changes, fmt.Sprintf("%s: %v → %v", field, old, new))
		}
	}
	changed("K", r.Old.K, r.New.K)
	changed("Window", r.Old.Window, r.New.Window)
	changed("Buckets", r.Old.Buckets, r.New.Buckets)
	changed("MaxRefusal", r.Old.MaxRefusal, r.New.MaxRefusal)
	changed("MinimumRequests", r.Old.MinimumRequests, r.New.MinimumRequests)
	return strings.Join(changes, ", ")
}
