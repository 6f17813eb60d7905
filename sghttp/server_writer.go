package sghttp

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
)

// An exchange is the response writer of an admitted request. It notes what becomes of
// the response and otherwise is the one around which it stands: handlers get it in one
// of the shapes of [exchange.shaped].
//
// It is as little safe for concurrent use as any response writer.
type exchange struct {
	visit
	inner    http.ResponseWriter
	status   int // of the final header; 0 before it is written
	hijacked bool
	left     bool // counted as ended
}

func (x *exchange) Header() http.Header { return x.inner.Header() }

// Unwrap is for [http.ResponseController], which finds everything below that this type
// does not have: deadlines and full duplex.
func (x *exchange) Unwrap() http.ResponseWriter { return x.inner }

// WriteHeader drops a second status. The response has its first one, and net/http
// would only write a line into its log, with a place in this file.
func (x *exchange) WriteHeader(code int) {
	if informational(code) {
		x.inner.WriteHeader(code)
		return
	}
	if x.status != 0 {
		x.server.tally.superfluous.Add(1)
		return
	}
	x.inner.WriteHeader(code) // panics if there is no such status
	x.wrote(code)
}

// informational reports whether another header follows the one with this code: 101 is
// the last one (RFC 9110, section 15.2.2).
func informational(code int) bool {
	return code >= 100 && code <= 199 && code != http.StatusSwitchingProtocols
}

// wrote notes the status, unless there is one. Whoever writes without a status writes
// 200; that is left to the inner writer to send.
func (x *exchange) wrote(code int) {
	if x.status == 0 && !x.hijacked {
		x.status = code
	}
}

func (x *exchange) Write(p []byte) (int, error) {
	x.wrote(http.StatusOK)
	return x.inner.Write(p)
}

// WriteString is for [io.WriteString].
func (x *exchange) WriteString(s string) (int, error) {
	x.wrote(http.StatusOK)
	return io.WriteString(x.inner, s)
}

// FlushError is for [http.ResponseController]. It returns an error that matches
// [http.ErrNotSupported] where nothing below can flush.
func (x *exchange) FlushError() error {
	err := http.NewResponseController(x.inner).Flush()
	if err == nil || !errors.Is(err, http.ErrNotSupported) {
		x.wrote(http.StatusOK) // flushing sends the header
	}
	return err
}

// hijack takes the connection over from whatever below can give it away.
func (x *exchange) hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(x.inner).Hijack()
	if err == nil {
		x.hijacked = true
		x.server.tally.hijacked.Add(1)
		if x.server.cfg.ReleaseOnHijack {
			x.adaptive.Ignore()
			x.bulkhead.Release()
		}
	}
	return conn, buffered, err
}

// sniffed is how much net/http reads of a body before it sends a header without a type.
const sniffed = 512

// readFrom copies src by the inner writer's own means, which may move a file to the
// network without reading it.
func (x *exchange) readFrom(to io.ReaderFrom, src io.Reader) (n int64, err error) {
	if x.status == 0 {
		// A source that is empty, or fails at once, sends no header. The beginning goes
		// the usual way, to note the status if there is one.
		n, err = io.Copy(struct{ io.Writer }{x}, io.LimitReader(src, sniffed))
		if err != nil || n < sniffed {
			return n, err
		}
	}
	rest, err := to.ReadFrom(src)
	return n + rest, err
}
