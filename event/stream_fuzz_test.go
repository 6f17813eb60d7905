package event

import (
	"slices"
	"testing"
)

// A modelStream is what a stream has to do, written down with lists.
type modelStream struct {
	recent, limit int
	all           []Event
	held          map[uint64]bool
	waiting       []uint64
	dropped       uint64
	delivered     []Event
}

func (m *modelStream) add(held bool) {
	seq := uint64(len(m.all) + 1)
	m.all = append(m.all, Event{Seq: seq})
	m.held[seq] = held
	m.waiting = append(m.waiting, seq)
	if len(m.waiting) > m.limit {
		m.waiting = m.waiting[1:]
		m.dropped++
	}
}

func (m *modelStream) release(seq uint64, detail any) {
	// The stream may forget an event that is neither waiting nor recent; its
	// detail can then no longer be seen.
	if seq >= 1 && seq <= uint64(len(m.all)) && m.held[seq] {
		m.held[seq] = false
		m.all[seq-1].Detail = detail
	}
}

func (m *modelStream) deliver() {
	for len(m.waiting) > 0 && !m.held[m.waiting[0]] {
		seq := m.waiting[0]
		m.waiting = m.waiting[1:]
		m.delivered = append(m.delivered, m.all[seq-1])
		if calls(seq) {
			m.add(false)
		}
	}
}

func (m *modelStream) newest() []Event {
	return m.all[max(0, len(m.all)-m.recent):]
}

// calls and panics say at which events the listeners of the fuzz test call the
// stream and panic.
func calls(seq uint64) bool  { return seq%5 == 0 }
func panics(seq uint64) bool { return seq%3 == 0 }

// FuzzStream runs a program of appends, holds, releases and deliveries on a
// stream and on a model of it.
func FuzzStream(f *testing.F) {
	f.Add(uint8(3), uint8(4), []byte("\x00\x03"))
	f.Add(uint8(0), uint8(1), []byte("\x00\x00\x03\x01\x00\x03\x02\x03"))
	f.Add(uint8(5), uint8(2), []byte("\x01\x01\x00\x00\x06\x03\x02\x03"))
	f.Add(uint8(16), uint8(16), []byte("\x00\x00\x00\x00\x00\x00\x00\x00\x03\x01\x00\x03\x0a\x0e\x03\x00\x03"))
	f.Fuzz(func(t *testing.T, recent, limit uint8, program []byte) {
		limit = max(limit, 1)
		program = program[:min(len(program), 1000)] // more finds nothing new
		var s Stream
		var before, after recorder
		s.Init(int(recent), &before, Func(func(e Event) {
			if calls(e.Seq) {
				s.Append(Event{})
				s.Deliver()
			}
			if panics(e.Seq) {
				panic("listener")
			}
		}), &after)
		s.queue = &queue{keep: uint64(recent), limit: uint64(limit)} // a bound that can be reached
		m := &modelStream{recent: int(recent), limit: int(limit), held: map[uint64]bool{}}

		for _, b := range program {
			switch arg := uint64(b >> 2); b & 3 {
			case 0:
				m.add(false)
				s.Append(Event{})
			case 1:
				m.add(true)
				s.Hold(Event{})
			case 2: // the event arg places before the newest
				seq := uint64(len(m.all)) - arg // may wrap around: no such event
				m.release(seq, arg)
				s.Release(seq, arg)
			case 3:
				m.deliver()
				s.Deliver()
			}

			equal(t, "last", s.Last(), uint64(len(m.all)))
			equal(t, "dropped", s.Dropped(), m.dropped)
			if !slices.Equal(s.Recent(), m.newest()) {
				t.Errorf("recent: got %v, want %v", s.Recent(), m.newest())
			}
			equal(t, "ready", s.ready.Load(), len(m.waiting) > 0 && !m.held[m.waiting[0]])
			equal(t, "delivering", s.delivering, false)
		}

		var wantPanics uint64
		for _, e := range m.delivered {
			if panics(e.Seq) {
				wantPanics++
			}
		}
		equal(t, "panics", s.Panics(), wantPanics)
		equal(t, "delivered to the first", before.events, m.delivered)
		equal(t, "delivered to the last", after.events, m.delivered)
	})
}
