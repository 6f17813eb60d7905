package event

import "testing"

func BenchmarkDeliverNothing(b *testing.B) {
	var n int
	s := newStream(16, Func(func(Event) { n++ }))
	s.Append(Event{})
	s.Deliver()
	b.Run("serial", func(b *testing.B) {
		for b.Loop() {
			s.Deliver()
		}
	})
	b.Run("parallel", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				s.Deliver()
			}
		})
	})
}

func BenchmarkAppend(b *testing.B) {
	b.Run("no listener", func(b *testing.B) {
		s := newStream(16)
		b.ReportAllocs()
		for b.Loop() {
			s.Append(Event{})
		}
	})
	b.Run("and deliver to one", func(b *testing.B) {
		var n int
		s := newStream(16, Func(func(Event) { n++ }))
		b.ReportAllocs()
		for b.Loop() {
			s.Append(Event{})
			s.Deliver()
		}
	})
	b.Run("and deliver, contended", func(b *testing.B) {
		var n int
		s := newStream(16, Func(func(Event) { n++ }))
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				s.Append(Event{})
				s.Deliver()
			}
		})
	})
	b.Run("first event", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			newStream(16).Append(Event{})
		}
	})
}

func BenchmarkRecent(b *testing.B) {
	s := newStream(16)
	for range 16 {
		s.Append(Event{})
	}
	b.ReportAllocs()
	for b.Loop() {
		s.Recent()
	}
}

func BenchmarkAsync(b *testing.B) {
	a := Async(Func(func(Event) {}), 0)
	b.ReportAllocs()
	for b.Loop() {
		a.OnEvent(Event{})
	}
	if err := a.Close(b.Context()); err != nil {
		b.Fatal(err)
	}
}
