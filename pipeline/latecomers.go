package pipeline

import (
	"slices"
	"sync"
)

// latecomers keeps attempts that may come to an end when nobody waits for them any more.
// There are as many as a race may have. Those that the caller does not get are disposed
// of when the race is over, or when they end after that.
type latecomers struct {
	mu   sync.Mutex
	all  []*flight // in the order of their ends
	over bool
}

func (l *latecomers) keep(f *flight) {
	l.mu.Lock()
	over := l.over
	if !over {
		l.all = append(l.all, f)
	}
	l.mu.Unlock()
	if over {
		drop(f)
	}
}

// newest returns the attempt that ended last, nil if none has.
func (l *latecomers) newest() *flight {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.all) == 0 {
		return nil
	}
	return l.all[len(l.all)-1]
}

// close disposes of all attempts but the one that the caller gets.
func (l *latecomers) close(taken *flight) {
	l.mu.Lock()
	l.over = true
	rest := slices.DeleteFunc(l.all, func(f *flight) bool { return f == taken })
	l.mu.Unlock()
	for _, f := range rest {
		drop(f)
	}
}

// drop disposes of an attempt whose answer nobody will get.
func drop(f *flight) {
	f.job.discard()
	f.end()
}
