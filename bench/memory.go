package main

import (
	"runtime"

	"github.com/switchgear-go/switchgear/breaker"
)

// A footprint is the memory of one idle breaker.
type footprint struct {
	Name   string `json:"name"`
	Bytes  uint64 `json:"bytes"`
	Target uint64 `json:"target"`
}

// measureMemory makes many breakers of each kind and divides the growth of the
// heap by their number.
func measureMemory() []footprint {
	kinds := []struct {
		name   string
		calls  int
		target uint64
	}{
		{"idle breaker, last 100 calls", 100, 1 << 10},
		{"idle breaker, last 10,000 calls", 10_000, 5 << 10},
	}
	var out []footprint
	for _, k := range kinds {
		const n = 1_000
		keep := make([]*breaker.Breaker, n)
		before := heap()
		for i := range keep {
			keep[i] = breaker.Must(breaker.New("bench", breaker.Config{Window: breaker.WindowConfig{Calls: k.calls}}))
		}
		out = append(out, footprint{k.name, (heap() - before) / n, k.target})
		runtime.KeepAlive(keep)
	}
	return out
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
