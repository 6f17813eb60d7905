package pipeline

import "sync"

// latecomers keeps the newest of the attempts that may come to an end when nobody waits
// for them any more. Those that are not taken are disposed of, sooner or later.
type latecomers struct {
	mu   sync.Mutex
	last *flight
	over bool
}

func (l *latecomers) keep(f *flight) {
	l.mu.Lock()
	if !l.over {
		l.last, f = f, l.last
	}
	l.mu.Unlock()
	if f != nil {
		drop(f)
	}
}

func (l *latecomers) take() *flight {
	l.mu.Lock()
	defer l.mu.Unlock()
	last := l.last
	l.last, l.over = nil, true
	return last
}

func (l *latecomers) close() {
	if last := l.take(); last != nil {
		drop(last)
	}
}

// drop disposes of an attempt whose answer nobody will get.
func drop(f *flight) {
	f.job.discard()
	f.end()
}
