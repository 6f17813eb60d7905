package sghttp

import (
	"net/http"

	"github.com/switchgear-go/switchgear"
)

// judgeAnswer is what the policies of a pipeline make of an answer to a request that
// can be made again.
func (t *Transport) judgeAnswer(resp *http.Response) error { return t.verdict(resp, true) }

// judgeOnlyAnswer is judgeAnswer for a request that is made once.
func (t *Transport) judgeOnlyAnswer(resp *http.Response) error { return t.verdict(resp, false) }

// verdict returns nil for a good answer. Everything else is marked in both respects, so
// that no classifier, which is for errors, has a say in it.
func (t *Transport) verdict(resp *http.Response, again bool) error {
	outcome := t.cfg.outcome(resp.StatusCode)
	synthetic := isSynthetic(resp)
	again = again && !synthetic && t.cfg.worthRepeating(resp.StatusCode)
	if outcome == switchgear.Success && !again && !synthetic {
		return nil
	}
	var err error = newStatusError(resp, t.clk.Now())
	switch {
	case outcome == switchgear.Ignored || synthetic: // C1.2
		err = switchgear.MarkIgnored(err)
	case outcome == switchgear.Failure:
		err = switchgear.MarkFailure(err)
	default:
		err = switchgear.MarkSuccess(err)
	}
	if again {
		return switchgear.MarkRepeatable(err)
	}
	return switchgear.MarkFinal(err)
}

// judge is judgeAnswer for a request whose body may turn out to be had only once.
func (x *roundTrip) judge(resp *http.Response) error { return x.t.verdict(resp, x.replayable()) }

// judgeError marks an error of the inner transport after which no further attempt must
// be made. Its outcome is left to rule C1.
func (x *roundTrip) judgeError(err error) error {
	if x.lone {
		return err
	}
	if (x.idempotent || neverSent(err)) && x.replayable() && !incurable(err) {
		return err
	}
	return &finalError{err, switchgear.MarkFinal(err)}
}

// A finalError carries the mark through the pipeline; the caller gets the error as it
// was, since many ask it for its methods without looking into its chain.
type finalError struct {
	err    error
	marked error
}

func (f *finalError) Error() string { return f.err.Error() }
func (f *finalError) Unwrap() error { return f.marked }
