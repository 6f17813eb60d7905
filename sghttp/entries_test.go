package sghttp

import (
	"slices"
	"testing"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/pipeline"
	"github.com/switchgear-go/switchgear/registry"
)

func TestEntries(t *testing.T) {
	t.Run("breakers appear in a registry, which finds them and hears their events", func(t *testing.T) {
		reg := must(registry.New(registry.Config{}))
		r := newRig(t, fails(errDown), Config{Breaker: plain()}, WithListener(reg.Listener()))
		equal(t, "Attach", reg.Attach("partners", r.Transport), nil)
		r.get("http://b.example/")
		for range 5 {
			r.get("http://a.example:8080/")
		}
		equal(t, "entries", slices.Collect(reg.Entries()), []registry.Entry{
			{Name: "partners/a.example:8080", Breaker: r.of("a.example:8080")},
			{Name: "partners/b.example", Breaker: r.of("b.example")},
		})
		e, found := reg.Lookup("partners/a.example:8080")
		equal(t, "found", found, true)
		equal(t, "state", e.Breaker.State(), breaker.Open)
		equal(t, "heard", reg.Recent(1)[0].Name, "a.example:8080")
	})
	t.Run("pipelines appear with their breakers, or without", func(t *testing.T) {
		for _, cfg := range []pipeline.Config{{Breaker: &breaker.Config{}}, {}} {
			r := newRig(t, answers(200), Config{Pipeline: &cfg})
			r.get("http://a.example/")
			p, _ := r.Pipeline(Key{Host: "a.example"})
			equal(t, "entries", slices.Collect(r.Entries()), []registry.Entry{{Name: "a.example", Breaker: p.Breaker(), Pipeline: p}})
		}
	})
	t.Run("the loop may end early", func(t *testing.T) {
		r := newRig(t, answers(200), Config{})
		r.get("http://a.example/")
		r.get("http://b.example/")
		n := 0
		for range r.Entries() {
			n++
			break
		}
		equal(t, "seen", n, 1)
	})
}
