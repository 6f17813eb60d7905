package pipeline

import "testing"

func TestPresetsBuild(t *testing.T) {
	for name, cfg := range map[string]Config{"i": Interactive(), "l": LowLatency(), "w": Write(), "b": Batch(), "p": Probe()} {
		p, err := New(name, cfg)
		if err != nil {
			t.Error(err)
			continue
		}
		t.Log(p.Order(), p.Warnings())
		if b := p.Breaker(); b != nil {
			t.Log(b.Config())
		}
	}
}
