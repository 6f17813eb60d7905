package sghttp

import (
	"iter"

	"github.com/switchgear-go/switchgear/registry"
)

var _ registry.Source = (*Transport)(nil)

// Entries returns all breakers, or pipelines, as entries of a registry, in no particular
// order and in the manner of [Transport.Breakers]. With it the transport is a
// [registry.Source]: see [registry.Registry.Attach]. For their events, give the
// registry's listener to [WithListener].
func (t *Transport) Entries() iter.Seq[registry.Entry] {
	return func(yield func(registry.Entry) bool) {
		for e := range t.breakers.table.all() {
			if !yield(registry.Entry{Name: e.key.String(), Breaker: e.breaker, Pipeline: e.pipeline}) {
				return
			}
		}
	}
}
