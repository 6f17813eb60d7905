package sghttp

import (
	"io"
	"net/http"
	"time"
)

const (
	// drainBytes is the most that is read of the body of an answer that nobody will
	// get, so that its connection can be used again. Error pages are shorter, and a new
	// connection is cheaper than to read much more.
	drainBytes = 64 << 10
	// drainTime is how long that may take. What is to be worth waiting for is on its
	// way already.
	drainTime = 100 * time.Millisecond
)

// discardAnswer disposes of an answer that nobody will get.
func (t *Transport) discardAnswer(resp *http.Response) {
	body := resp.Body
	if body == nil {
		return
	}
	defer body.Close()
	_, upgraded := body.(io.Writer)
	if upgraded || body == http.NoBody || resp.ContentLength > drainBytes || resp.ProtoMajor > 1 {
		return // nothing to read, too much, or a connection that others use as well
	}
	late := t.clk.AfterFunc(drainTime, func() { body.Close() })
	defer late.Stop()
	io.CopyN(io.Discard, body, drainBytes+1) // with the end, after exactly drainBytes
}
