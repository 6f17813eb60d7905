package sghttp

import (
	"context"
	"io"
	"net/http"
	"sync/atomic"
)

// A body settles its call when it ends. See [Config.JudgeBody].
type body struct {
	from io.ReadCloser
	ctx  context.Context // the request's

	settled atomic.Bool // whoever sets it owns call
	call    call
}

// hasBody reports whether resp has a body that is worth waiting for. An upgraded
// connection is not: its bytes are no longer HTTP, and wrapping would hide how to
// write to it.
func hasBody(resp *http.Response) bool {
	if resp.StatusCode == http.StatusSwitchingProtocols || resp.Body == nil || resp.Body == http.NoBody {
		return false
	}
	_, writable := resp.Body.(io.Writer)
	return !writable
}

// Read reads from the body; the end, or an error, settles the call.
func (b *body) Read(p []byte) (n int, err error) {
	n, err = b.from.Read(p)
	switch err {
	case nil:
	case io.EOF:
		b.settle(nil)
	default:
		b.settle(err)
	}
	return n, err
}

// Close closes the body. The call is settled first: a Read that is under way fails
// because of Close, and not because of the dependency.
func (b *body) Close() error {
	var gaveUp error
	if b.ctx.Err() == context.Canceled {
		gaveUp = context.Canceled // C1.3
	}
	b.settle(gaveUp)
	return b.from.Close()
}

// settle settles the call, once, however many goroutines read and close.
func (b *body) settle(err error) {
	if !b.settled.CompareAndSwap(false, true) {
		return
	}
	defer b.call.leave()
	if err == nil {
		b.call.permit.Success()
		return
	}
	b.call.permit.Done(err)
}
