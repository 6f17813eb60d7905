package sghttp

import (
	"bufio"
	"io"
	"net"
	"net/http"
)

// What a response writer can do beyond the interface is found out by type assertions,
// in older code directly. So a wrapper must have the methods of what it wraps, and no
// others: a writer that seems to be a Hijacker and is none breaks what asks first. These
// are the shapes that there are: of HTTP/1 (reading) and HTTP/2 (pushing) in net/http,
// and of wrappers that hide some of it.
//
// Each shape is a single pointer, so that making one allocates nothing.
type (
	flushing  struct{ *exchange }
	hijacking struct{ *exchange }
	both      struct{ flushing }
	reading   struct{ both }
	pushing   struct{ flushing }
)

func (w flushing) Flush() { w.FlushError() }

func (w hijacking) Hijack() (net.Conn, *bufio.ReadWriter, error) { return w.hijack() }

func (w both) Hijack() (net.Conn, *bufio.ReadWriter, error) { return w.hijack() }

func (w reading) ReadFrom(src io.Reader) (int64, error) {
	return w.readFrom(w.inner.(io.ReaderFrom), src)
}

func (w pushing) Push(target string, opts *http.PushOptions) error {
	return w.inner.(http.Pusher).Push(target, opts)
}

// shaped returns the exchange with the methods that the inner writer has. Flushing and
// hijacking are looked for further down as well, as http.ResponseController does.
// Pushing and reading are not: a writer in between might compress what is written to it,
// and a copy must not pass it by.
func (x *exchange) shaped() http.ResponseWriter {
	_, readerFrom := x.inner.(io.ReaderFrom)
	_, pusher := x.inner.(http.Pusher)
	flusher, hijacker := below[http.Flusher](x.inner), below[http.Hijacker](x.inner)
	switch {
	case flusher && hijacker && readerFrom:
		return reading{both{flushing{x}}}
	case flusher && hijacker:
		return both{flushing{x}}
	case flusher && pusher:
		return pushing{flushing{x}}
	case flusher:
		return flushing{x}
	case hijacker:
		return hijacking{x}
	}
	return x
}

// below reports whether w, or one that it wraps, is a T.
func below[T any](w http.ResponseWriter) bool {
	for {
		if _, ok := w.(T); ok {
			return true
		}
		wrapper, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return false
		}
		w = wrapper.Unwrap()
	}
}
