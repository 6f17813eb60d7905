package timeout

import "context"

// Do runs fn with a context that is done at the limit and returns what fn
// returns; or, if the call took the limit or longer, an [*Error]; or a
// [*Rejection], and then fn does not run.
//
// fn runs in the calling goroutine, and Do returns when fn does: fn must heed its
// context. A result that came too late is returned beside the error, so that
// it can be closed if it has to be. A panic and a runtime.Goexit go on; the
// context is done then, and nothing is counted.
//
// With [Config.Abandon], fn runs in a goroutine of its own and Do returns at the
// limit, or with the caller's own error when ctx is done. What fn returns after
// that is dropped: if it has to be closed, fn must look at its context before it
// returns. A panic of fn before that is raised again in the caller's goroutine, whose
// stack is then the one that is shown. The package comment tells about later ones.
func Do[T any](ctx context.Context, t *Timeout, fn func(context.Context) (T, error)) (v T, err error) {
	if t.cfg.Abandon {
		return doAbandon(ctx, t, fn)
	}
	h, err := t.Context(ctx)
	if err != nil {
		return v, err
	}
	defer h.Release()
	v, err = fn(h.Ctx)
	return v, h.End(err)
}
