package sghttp

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
)

// K19: a hundred goroutines ask for the same new key at once. All get the same
// breaker, which is made once and sees all their failures.
func TestStressK19OneBreakerPerKey(t *testing.T) {
	noLeak(t)
	const callers = 100
	cfg := breaker.Config{
		Window:       breaker.WindowConfig{Calls: callers},
		FailureRate:  off,
		FailureCount: callers,
	}
	for range rounds(300) {
		var made atomic.Int64
		r := newRig(t, fails(errDown), Config{}, WithBreakerConfig(func(Key) breaker.Config {
			made.Add(1)
			return cfg
		}))
		together(callers, func(int) { r.get("http://api.example/") })
		equal(t, "made", made.Load(), 1)
		equal(t, "counters", r.Counters(), Counters{Made: 1})
		counted(t, r.only(), 0, callers, 0)
		equal(t, "state", r.only().State(), breaker.Open)
		if t.Failed() {
			return
		}
	}
}

// Keys come and go faster than there is room for them, while others read. A call
// never runs at an entry that was dropped, there are never more breakers than
// allowed, and no call is lost.
func TestStressChurn(t *testing.T) {
	noLeak(t)
	const workers, keys, limit = 8, 24, 8
	// users is what runs at the moment. All calls of a key that run at the same
	// time must run at the same entry.
	var users [keys]struct {
		sync.Mutex
		at *entry
		n  int
	}
	r := newRig(t, nil, Config{MaxBreakers: limit, IdleAfter: 1})
	calls := rounds(200_000) / workers
	var protected, unprotected atomic.Uint64
	together(workers, func(w int) {
		for i := range calls {
			k := (w*7 + i*i) % keys
			r.clock.Advance(1)
			e := r.breakers.begin(Key{Host: fmt.Sprint(k)})
			if e == nil {
				unprotected.Add(1)
				continue
			}
			protected.Add(1)
			u := &users[k]
			u.Lock()
			if u.n > 0 && u.at != e {
				t.Errorf("key %d has two entries in use", k)
			}
			u.at = e
			u.n++
			u.Unlock()
			if e.use.Load()&useDropped != 0 {
				t.Errorf("key %d was dropped during a call", k)
			}
			if i%64 == 0 {
				n := 0
				for range r.Breakers() {
					n++
				}
				if n > 2*limit { // those that went during the iteration may be among them
					t.Errorf("%d breakers", n)
				}
			}
			u.Lock()
			u.n--
			u.Unlock()
			e.end(r.clock.Mono())
		}
	})
	c := r.Counters()
	equal(t, "calls", protected.Load()+unprotected.Load(), uint64(workers*calls))
	equal(t, "unprotected", c.Unprotected, unprotected.Load())
	equal(t, "breakers", uint64(len(r.keys())), c.Made-c.Dropped)
	equal(t, "at most as many as allowed", len(r.keys()) <= limit, true)
	equal(t, "in progress", r.inProgress(), 0)
	if c.Dropped == 0 {
		t.Error("nothing was ever dropped: the test tests nothing")
	}
}

// P2: a body settles its call once, whoever reads and closes at the same time,
// and a Read that fails because of Close is no failure.
func TestStressBodySettlesOnce(t *testing.T) {
	noLeak(t)
	n := rounds(2_000)
	r := newRig(t, sender(func(req *http.Request) (*http.Response, error) {
		reader, _ := io.Pipe() // Read waits until Close
		return &http.Response{StatusCode: 200, Body: reader, Request: req}, nil
	}), Config{JudgeBody: true})
	for range n {
		resp := must(r.RoundTrip(request(context.Background(), "http://api.example/")))
		together(4, func(w int) {
			if w < 2 {
				resp.Body.Read(make([]byte, 1))
			} else {
				resp.Body.Close()
			}
		})
	}
	counted(t, r.only(), uint64(n), 0, 0)
	equal(t, "in progress", r.inProgress(), 0)
}

// K18 for the transport's own events: a listener may ask the transport.
func TestStressListenerAsksTheTransport(t *testing.T) {
	noLeak(t)
	listener := &asker{}
	r := newTransport(t, answers(200), Config{MaxBreakers: 2, IdleAfter: time.Nanosecond, Breaker: breaker.Config{
		MinimumCalls: 10, Window: breaker.WindowConfig{Calls: 5}, // which is worth a warning
	}}, WithListener(listener))
	listener.transport.Store(r)
	together(8, func(w int) {
		for i := range rounds(1_000) {
			resp := must(r.RoundTrip(request(context.Background(), fmt.Sprintf("http://host%d.example/", (w+i)%5))))
			resp.Body.Close()
		}
	})
	if listener.asked.Load() == 0 {
		t.Error("no event was delivered")
	}
}
