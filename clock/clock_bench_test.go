package clock

import (
	"fmt"
	"testing"
	"time"
)

// The two together show that Mono costs no more than time.Since.

func BenchmarkRealMono(b *testing.B) {
	c := Real()
	for b.Loop() {
		c.Mono()
	}
}

func BenchmarkTimeSince(b *testing.B) {
	started := time.Now()
	for b.Loop() {
		time.Since(started)
	}
}

func BenchmarkVirtualMono(b *testing.B) {
	v := NewVirtual(start)
	for b.Loop() {
		v.Mono()
	}
}

func BenchmarkVirtualMonoThroughTheInterface(b *testing.B) {
	var c Clock = NewVirtual(start)
	for b.Loop() {
		c.Mono()
	}
}

// One timer run and one created, with so many others waiting: what a simulated
// call costs.
func BenchmarkVirtualStep(b *testing.B) {
	for _, waiting := range []int{1, 100, 10_000, 1_000_000} {
		b.Run(fmt.Sprint("waiting=", waiting), func(b *testing.B) {
			v := NewVirtual(start)
			x := uint32(1)
			var f func()
			f = func() {
				x = x*1664525 + 1013904223
				v.AfterFunc(time.Duration(x>>8), f)
			}
			for range waiting {
				f()
			}
			b.ReportAllocs()
			for b.Loop() {
				v.Step()
			}
		})
	}
}

// A timer created and stopped again, as a timeout that is rarely needed is.
func BenchmarkVirtualStop(b *testing.B) {
	for _, waiting := range []int{0, 10_000} {
		b.Run(fmt.Sprint("waiting=", waiting), func(b *testing.B) {
			v := NewVirtual(start)
			for i := range waiting {
				v.AfterFunc(time.Duration(i), func() {})
			}
			nothing := func() {}
			b.ReportAllocs()
			for b.Loop() {
				v.AfterFunc(time.Second, nothing).Stop()
			}
		})
	}
}
