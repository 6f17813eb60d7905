package sghttp

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/adaptive"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/ratelimit"
)

// Many clients, and handlers that return, panic, exit, fail and lose their client: never
// do more run than the limits allow, every request is accounted for, and in the end
// nothing is held.
func TestServerStress(t *testing.T) {
	noLeak(t)
	const workers, places, limit = 16, 4, 6
	for name, cfg := range map[string]ServerConfig{
		"plain":         {Bulkhead: &bulkhead.Config{MaxConcurrent: places}},
		"with a queue":  {Bulkhead: &bulkhead.Config{MaxConcurrent: places, MaxWaiting: 5, MaxWait: time.Hour}},
		"adaptive":      {Adaptive: fixed(places)},
		"with deadline": {Bulkhead: &bulkhead.Config{MaxConcurrent: places, MaxWaiting: 5}, Deadline: &DeadlineConfig{Limit: time.Hour}},
		"everything": {
			KeyedRateLimit: &ratelimit.KeyedConfig{Limit: ratelimit.Config{Rate: 1e8, Burst: 100}, MaxKeys: 2},
			RateLimit:      &ratelimit.Config{Rate: 1e8, Burst: 100},
			Adaptive:       fixed(limit),
			Bulkhead:       &bulkhead.Config{MaxConcurrent: places, MaxWaiting: 3},
			Deadline:       &DeadlineConfig{Limit: time.Hour},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, cfg)
			var running, ran, panicked, answered, asked atomic.Int64
			handler := s.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if n := running.Add(1); n > places {
					t.Errorf("%d run at once", n)
				}
				defer running.Add(-1)
				ran.Add(1)
				runtime.Gosched()
				switch rand.IntN(6) {
				case 0:
					panicked.Add(1)
					panic("boom")
				case 1:
					runtime.Goexit()
				case 2:
					w.WriteHeader(500)
				case 3:
					http.NewResponseController(w).Flush()
				case 4:
					<-r.Context().Done() // the client leaves
				}
			}))
			var all sync.WaitGroup
			for i := range workers {
				all.Go(func() {
					for range rounds(2_000) / workers {
						asked.Add(1)
						var one sync.WaitGroup
						one.Go(func() { // which may be ended by the handler
							defer func() { recover() }()
							ctx, cancel := context.WithCancel(context.Background())
							go func() { runtime.Gosched(); cancel() }()
							req := httptest.NewRequestWithContext(ctx, "GET", "/", nil)
							req.RemoteAddr = fmt.Sprintf("192.0.2.%d:1", i)
							w := httptest.NewRecorder()
							handler.ServeHTTP(w, req)
							if w.Code == 503 || w.Code == 429 {
								answered.Add(1)
							}
						})
						one.Wait()
					}
				})
			}
			all.Wait()
			s.atRest(t)
			c := s.Counters()
			equal(t, "requests", c.Requests, uint64(asked.Load()))
			equal(t, "admitted", c.Admitted, uint64(ran.Load()))
			equal(t, "panics", c.Panics, uint64(panicked.Load()))
			equal(t, "answered", c.Refused.Total()+c.Gone, uint64(answered.Load()))
		})
	}
}

// Over real connections of both protocols, with clients that leave while they wait and
// while they are served.
func TestServerStressNet(t *testing.T) {
	const clients, places = 16, 3
	var running atomic.Int64
	s := newServer(t, ServerConfig{
		Adaptive: &adaptive.Config{Max: 8},
		Bulkhead: &bulkhead.Config{MaxConcurrent: places, MaxWaiting: 4},
		Deadline: &DeadlineConfig{Limit: time.Hour},
	})
	handler := s.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n := running.Add(1); n > places {
			t.Errorf("%d run at once", n)
		}
		defer running.Add(-1)
		io.WriteString(w, "hello")
		http.NewResponseController(w).Flush()
		if rand.IntN(4) == 0 {
			<-r.Context().Done() // which the client must bring about
			panic(http.ErrAbortHandler)
		}
	}))
	overHTTP(t, handler.ServeHTTP, func(t *testing.T, url string, inner *http.Transport) {
		together(clients, func(int) {
			for range rounds(300) / clients {
				ctx, cancel := context.WithCancel(t.Context())
				resp, err := inner.RoundTrip(request(ctx, url))
				if err == nil {
					io.ReadFull(resp.Body, make([]byte, 5))
					cancel()
					resp.Body.Close()
				}
				cancel()
			}
		})
	})
	// The servers have been closed, and so have ended their requests; those of HTTP/2
	// may take a moment.
	for begun := time.Now(); s.Snapshot().Running > 0 && time.Since(begun) < 10*time.Second; {
		runtime.Gosched()
	}
	s.atRest(t)
}
