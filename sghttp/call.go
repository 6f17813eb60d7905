package sghttp

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/clock"
)

// A call is one call that has an entry: a permit to settle, if its breaker gave
// one, and an entry to leave.
type call struct {
	permit breaker.Permit
	entry  *entry
	clk    clock.Clock
}

// leave ends the call. The permit is settled by then.
func (c *call) leave() { c.entry.end(c.clk.Mono()) }

// unwind ends a call that did not return (rule P4): r is what it panicked with,
// or nil after runtime.Goexit.
func (c *call) unwind(r any) {
	if r == nil {
		c.permit.Release()
	} else {
		c.permit.Failure(panicked{fmt.Sprint(r)})
	}
	c.leave()
	if r != nil {
		panic(r)
	}
}

// panicked stands for a panic of the inner transport in the breaker's records. It
// holds the text, since the value may point to what the program goes on changing.
type panicked struct{ text string }

func (p panicked) Error() string { return "panic: " + p.text }

// errNoResponse stands for an inner transport that broke its contract.
var errNoResponse = errors.New("neither a response nor an error")

// settle settles the permit by what the inner transport returned. It returns
// false if that has to wait for the end of the body.
func (t *Transport) settle(c *call, req *http.Request, resp *http.Response, err error) bool {
	if err != nil {
		c.permit.Done(err)
		return true
	}
	if resp == nil {
		c.permit.Failure(errNoResponse)
		return true
	}
	switch outcome := t.cfg.outcome(resp.StatusCode); {
	case outcome == switchgear.Ignored || isSynthetic(resp): // C1.2
		c.permit.Ignore()
	case outcome == switchgear.Failure:
		c.permit.Failure(newStatusError(resp, t.clk.Now()))
	case t.cfg.JudgeBody && hasBody(resp):
		resp.Body = &body{from: resp.Body, ctx: req.Context(), call: *c}
		return false
	default:
		c.permit.Success()
	}
	return true
}
