package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/pipeline"
	"github.com/switchgear-go/switchgear/sghttp"
	"github.com/switchgear-go/switchgear/timeout"
)

// liveAttempt is how long a call may take, less than the service hangs.
const liveAttempt = 500 * time.Millisecond

// liveClient is what stands between the load and the services. It is quicker in
// everything than a breaker should be in earnest, so that there is something to see.
func liveClient() sghttp.Config {
	return sghttp.Config{Pipeline: &pipeline.Config{
		Breaker: &breaker.Config{
			Window:       breaker.WindowConfig{Length: 10 * time.Second},
			MinimumCalls: 5,
			Open:         breaker.OpenConfig{Wait: 10 * time.Second, Factor: 2, MaxWait: time.Minute},
			HalfOpen:     breaker.HalfOpenConfig{Probes: 3},
		},
		Attempt: &timeout.Config{Limit: liveAttempt},
	}}
}

// mostCalls bounds the calls to a service that are under way.
const mostCalls = 256

// A load makes steady calls to the services.
type load struct {
	client *http.Client
	every  time.Duration
	urls   map[string]string // by service

	calls, failed, refused atomic.Int64
}

func newLoad(url string, transport http.RoundTripper, rate int) *load {
	l := &load{client: &http.Client{Transport: transport}, every: time.Second / time.Duration(rate), urls: map[string]string{}}
	for i, name := range liveServices {
		l.urls[name] = url + "/inventory/WIDGET-7"
		if i > 0 {
			l.urls[name] = url + "/" + name + "/inventory/WIDGET-7"
		}
	}
	return l
}

// start begins the load, which goes on until ctx is done. end waits until it is over.
func (l *load) start(ctx context.Context) (end func()) {
	var callers sync.WaitGroup
	for name, url := range l.urls {
		callers.Go(func() { l.run(ctx, name, url) })
	}
	return callers.Wait
}

func (l *load) run(ctx context.Context, name, url string) {
	ctx = sghttp.WithRoute(ctx, name)
	room := make(chan struct{}, mostCalls)
	var calls sync.WaitGroup
	defer calls.Wait()
	tick := time.NewTicker(l.every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		select {
		case room <- struct{}{}:
			calls.Go(func() {
				l.call(ctx, url)
				<-room
			})
		default: // more than this a caller with bounds would not make either
		}
	}
}

func (l *load) call(ctx context.Context, url string) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return
	}
	resp, err := l.client.Do(req)
	if ctx.Err() != nil {
		return
	}
	l.calls.Add(1)
	switch {
	case errors.Is(err, switchgear.ErrRejected):
		l.refused.Add(1)
	case err != nil:
		l.failed.Add(1)
	default:
		defer resp.Body.Close()
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // so that the connection is used again
		if resp.StatusCode >= http.StatusInternalServerError {
			l.failed.Add(1)
		}
	}
}
