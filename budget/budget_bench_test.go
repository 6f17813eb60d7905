package budget_test

import (
	"sync/atomic"
	"testing"

	"github.com/switchgear-go/switchgear/budget"
)

// The baselines: what one shared word costs, and what reading the time costs is in
// package clock.

func BenchmarkAtomicAdd(b *testing.B) {
	var n atomic.Int64
	for b.Loop() {
		n.Add(1)
	}
}

func BenchmarkAtomicAddParallel(b *testing.B) {
	var n atomic.Int64
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			n.Add(1)
		}
	})
}

// A healthy call.
func BenchmarkBeginEnd(b *testing.B) {
	for name, cfg := range kinds() {
		bu := budget.Must(budget.New("stock", cfg))
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				bu.Begin()
				bu.End(success)
			}
		})
		b.Run(name+", parallel", func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					bu.Begin()
					bu.End(success)
				}
			})
		})
	}
}

// An extra attempt that is granted and given back.
func BenchmarkWithdrawCancel(b *testing.B) {
	for name, cfg := range kinds() {
		bu := budget.Must(budget.New("stock", cfg))
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				w, _ := bu.Withdraw()
				w.Cancel()
			}
		})
	}
}

func BenchmarkRefusal(b *testing.B) {
	for name, cfg := range map[string]budget.Config{
		"ratio": ratio(20, off, 0), "quota": quota(5, 5), "throttling": throttling(1, 0),
	} {
		bu := budget.Must(budget.New("stock", cfg))
		bu.End(failure)
		bu.Withdraw()
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				bu.Withdraw()
			}
		})
	}
}
