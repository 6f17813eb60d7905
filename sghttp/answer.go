package sghttp

import (
	"io"
	"net/http"
	"sync/atomic"
)

// untilEnd returns a body that calls end, once, when it has been closed or read to
// its end. One that has no end to wait for ends at once.
func untilEnd(from io.ReadCloser, end func()) io.ReadCloser {
	switch from.(type) {
	case nil, syntheticBody:
		end()
		return from
	}
	if from == http.NoBody {
		end()
		return from
	}
	if w, ok := from.(io.Writer); ok {
		return &upgraded{answer: answer{from: from, end: end}, Writer: w}
	}
	return &answer{from: from, end: end}
}

// An answer is the body of a response whose context lives as long as it does.
type answer struct {
	from  io.ReadCloser
	end   func()
	ended atomic.Bool
}

// Read reads from the body. The end, and an error, end the context.
func (a *answer) Read(p []byte) (n int, err error) {
	n, err = a.from.Read(p)
	if err != nil {
		a.finish()
	}
	return n, err
}

// Close closes the body first, so that a connection that could be kept is not lost to
// the end of a context.
func (a *answer) Close() error {
	defer a.finish()
	return a.from.Close()
}

func (a *answer) finish() {
	if a.ended.CompareAndSwap(false, true) {
		a.end()
	}
}

// An upgraded answer is a connection, on which reading may end long before writing
// does.
type upgraded struct {
	answer
	io.Writer
}

// Read reads from the connection.
func (u *upgraded) Read(p []byte) (n int, err error) { return u.from.Read(p) }
