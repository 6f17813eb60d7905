package admin_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/registry"
	"github.com/switchgear-go/switchgear/sghttp/admin"
)

// A client is the other end of a stream in a bubble. It takes what is written, unless it
// is stuck; then a write ends when its deadline does, as on a socket.
type client struct {
	mu       sync.Mutex
	got      strings.Builder
	status   int
	header   http.Header
	deadline time.Time
	stuck    bool
	pace     int // bytes in a second; 0 takes all at once
	flushes  int
	ended    bool
	leave    func()
}

func (c *client) Header() http.Header { return c.header }

func (c *client) WriteHeader(status int) { c.status = status }

func (c *client) SetWriteDeadline(t time.Time) error { c.deadline = t; return nil }

func (c *client) FlushError() error { c.flushes++; return nil }

func (c *client) Write(p []byte) (int, error) {
	c.mu.Lock()
	stuck, pace := c.stuck, c.pace
	c.got.Write(p)
	c.mu.Unlock()
	if pace > 0 {
		took := time.Duration(len(p)) * time.Second / time.Duration(pace)
		stuck = took > time.Until(c.deadline)
		if !stuck {
			time.Sleep(took)
		}
	}
	if stuck {
		time.Sleep(time.Until(c.deadline)) // the bubble's time
		return 0, os.ErrDeadlineExceeded
	}
	return len(p), nil
}

func (c *client) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.got.String()
}

// items returns the events that have come.
func (c *client) items(t *testing.T) []admin.Item {
	t.Helper()
	var items []admin.Item
	for line := range strings.Lines(c.text()) {
		if data, ok := strings.CutPrefix(line, "data: {\"id\""); ok {
			var it admin.Item
			if err := json.Unmarshal([]byte(`{"id"`+data), &it); err != nil {
				t.Fatal(err)
			}
			items = append(items, it)
		}
	}
	return items
}

// connect opens a stream in a goroutine of its own.
func (r *rig) connect(target string, changes ...change) *client {
	ctx, cancel := context.WithCancel(context.Background())
	c := &client{header: http.Header{}, leave: cancel}
	req := httptest.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	req.Host = "localhost"
	for _, change := range changes {
		change(req)
	}
	go func() {
		r.ServeHTTP(c, req)
		c.mu.Lock()
		c.ended = true
		c.mu.Unlock()
	}()
	synctest.Wait()
	return c
}

func (c *client) over() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ended
}

// inBubble runs a test with a rig whose clock is the bubble's.
func inBubble(t *testing.T, cfg admin.Config, test func(*testing.T, *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &rig{t: t}
		r.reg = registry.Must(registry.New(registry.Config{}))
		h, err := admin.New(r.reg, cfg)
		if err != nil {
			t.Fatal(err)
		}
		defer h.Close()
		r.Handler = h
		test(t, r)
	})
}

func TestStream(t *testing.T) {
	t.Run("#160 what comes next, as it comes", func(t *testing.T) {
		inBubble(t, admin.Config{}, func(t *testing.T, r *rig) {
			b := r.breaker("stock")
			move(b, "before")
			synctest.Wait()
			c := r.connect("/events/stream")
			equal(t, "status", c.status, 200)
			equal(t, "type", c.header.Get("Content-Type"), "text/event-stream")
			move(b, "1")
			synctest.Wait()
			move(b, "2")
			synctest.Wait()
			equal(t, "reasons", reasons(c.items(t)), "1 2")
			equal(t, "an event each", strings.Count(c.text(), "\n\n"), 3)
			equal(t, "flushed each time", c.flushes, 3)
			equal(t, "no deadline while nothing is written", c.deadline, time.Time{})
			id := get[admin.Events](r, "/events").Last
			equal(t, "identifiers", strings.Contains(c.text(), "id: "+id+"\ndata: {\"id\":\""+id+"\""), true)
			c.leave()
			synctest.Wait()
			equal(t, "over", c.over(), true)
			equal(t, "streams", r.Streaming(), 0)
		})
	})
	t.Run("#161 going on after the last one seen", func(t *testing.T) {
		inBubble(t, admin.Config{}, func(t *testing.T, r *rig) {
			b := r.breaker("stock")
			for i := range 300 { // more than are written at a time
				move(b, fmt.Sprint(i))
			}
			synctest.Wait()
			id := get[admin.Events](r, "/events?limit=298").Events[0].ID // of "2"
			for _, c := range []*client{
				r.connect("/events/stream", header("Last-Event-ID", id)),
				r.connect("/events/stream?since=" + id),
				r.connect("/events/stream?since=x-1", header("Last-Event-ID", id)),
			} {
				items := c.items(t)
				equal(t, "number", len(items), 297)
				equal(t, "first", items[0].Reason, "3")
				equal(t, "last", items[296].Reason, "299")
				equal(t, "gap", strings.Contains(c.text(), "event: gap"), false)
				c.leave()
			}
		})
	})
	t.Run("#162 a gap is announced", func(t *testing.T) {
		inBubble(t, admin.Config{Recent: 5}, func(t *testing.T, r *rig) {
			b := r.breaker("stock")
			first := get[admin.Events](r, "/events").Last
			for i := range 12 {
				move(b, fmt.Sprint(i))
			}
			synctest.Wait()
			c := r.connect("/events/stream", header("Last-Event-ID", first))
			equal(t, "gap", strings.Count(c.text(), "event: gap\ndata: {\"missed\": 7}\n\n"), 1)
			equal(t, "reasons", reasons(c.items(t)), "7 8 9 10 11")
			c.leave()
			c = r.connect("/events/stream", header("Last-Event-ID", "another-3"))
			equal(t, "another process", strings.Count(c.text(), "event: gap\ndata: {\"missed\": 0}\n\n"), 1)
			equal(t, "gaps", strings.Count(c.text(), "event: gap"), 1)
			equal(t, "reasons", reasons(c.items(t)), "7 8 9 10 11")
			c.leave()
		})
	})
	t.Run("#168 so is one that arose before the handler", func(t *testing.T) {
		inBubble(t, admin.Config{}, func(t *testing.T, r *rig) {
			c := r.connect("/events/stream")
			r.HearAfterLoss(event.Event{Source: "shop", Name: "till", Reason: "1"}, 0)
			r.HearAfterLoss(event.Event{Source: "shop", Name: "till", Reason: "2"}, 7)
			synctest.Wait()
			one, two, _ := strings.Cut(c.text(), "event: gap\ndata: {\"missed\": 7}\n\n")
			equal(t, "before and after", fmt.Sprint(strings.Count(one, "\ndata:"), strings.Count(two, "\ndata:")), "1 1")
			equal(t, "missed", get[admin.Events](r, "/events").Missed, true)
			c.leave()
		})
	})
	t.Run("#163 a sign of life when nothing happens", func(t *testing.T) {
		inBubble(t, admin.Config{Heartbeat: 20 * time.Second}, func(t *testing.T, r *rig) {
			c := r.connect("/events/stream")
			time.Sleep(61 * time.Second)
			equal(t, "heartbeats", strings.Count(c.text(), ": nothing new\n\n"), 3)
			c.leave()
		})
	})
	t.Run("#164 their number is bounded, and a place is free again when one leaves", func(t *testing.T) {
		inBubble(t, admin.Config{Streams: 2}, func(t *testing.T, r *rig) {
			a, b := r.connect("/events/stream"), r.connect("/events/stream")
			w := r.do(http.MethodGet, "/events/stream", "")
			read[problem](t, w, http.StatusServiceUnavailable)
			equal(t, "come again", w.Header().Get("Retry-After"), "5")
			a.leave()
			synctest.Wait()
			c := r.connect("/events/stream")
			equal(t, "status", c.status, 200)
			b.leave()
			c.leave()
		})
	})
	t.Run("#165 Close ends them, and nothing else", func(t *testing.T) {
		inBubble(t, admin.Config{}, func(t *testing.T, r *rig) {
			b := r.breaker("stock")
			c := r.connect("/events/stream")
			r.Close()
			r.Close()
			synctest.Wait()
			equal(t, "over", c.over(), true)
			move(b, "unheard")
			equal(t, "breakers", len(get[admin.List](r, "/breakers").Breakers), 1)
			c = r.connect("/events/stream")
			equal(t, "over", c.over(), true)
		})
	})
	t.Run("#166 HEAD does not wait", func(t *testing.T) {
		inBubble(t, admin.Config{}, func(t *testing.T, r *rig) {
			equal(t, "status", r.do(http.MethodHead, "/events/stream", "").Code, 200)
			equal(t, "streams", r.Streaming(), 0)
		})
	})
	t.Run("#167 a reader that is stuck is dropped", func(t *testing.T) {
		inBubble(t, admin.Config{Stuck: 7 * time.Second}, func(t *testing.T, r *rig) {
			b := r.breaker("stock")
			c := r.connect("/events/stream")
			c.mu.Lock()
			c.stuck = true
			c.mu.Unlock()
			move(b, "1")
			time.Sleep(7*time.Second - time.Nanosecond)
			synctest.Wait()
			equal(t, "streams before", r.Streaming(), 1)
			time.Sleep(time.Nanosecond)
			synctest.Wait()
			equal(t, "streams after", r.Streaming(), 0)
		})
	})
}

// A reader that took 50 KB in a second, without a pause, was dropped as one that takes nothing:
// it was given a hundred events at a time, and for these it had no longer than for one.
func TestASlowReaderIsNotAStuckOne(t *testing.T) {
	inBubble(t, admin.Config{Recent: 2000, Stuck: time.Second}, func(t *testing.T, r *rig) {
		const n = 1000
		b := r.breaker(strings.Repeat("n", 200))
		c := r.connect("/events/stream")
		c.mu.Lock()
		c.pace = 50_000
		c.mu.Unlock()
		for range n {
			move(b, strings.Repeat("r", 250))
		}
		time.Sleep(time.Minute)
		equal(t, "events", len(c.items(t)), n)
		equal(t, "bytes, which take several times Stuck", len(c.text()) > 10*50_000, true)
		equal(t, "over", c.over(), false)
		c.leave()
	})
}

// As many sleepers as there are places had all places for ever: what keeps a stream alive is so
// little that the sockets take it for weeks.
func TestAStreamEndsAndGoesOnElsewhere(t *testing.T) {
	inBubble(t, admin.Config{Streams: 1, StreamLife: time.Hour}, func(t *testing.T, r *rig) {
		b := r.breaker("stock")
		move(b, "before")
		synctest.Wait()
		c := r.connect("/events/stream")
		time.Sleep(time.Hour - time.Nanosecond)
		synctest.Wait()
		equal(t, "over", c.over(), false)
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		equal(t, "over", c.over(), true)
		equal(t, "streams", r.Streaming(), 0)

		move(b, "meanwhile") // though it has seen no event, it misses none
		synctest.Wait()
		_, id, _ := strings.Cut(c.text(), "id: ")
		id, _, _ = strings.Cut(id, "\n")
		c = r.connect("/events/stream", header("Last-Event-ID", id))
		equal(t, "reasons", reasons(c.items(t)), "meanwhile")
		equal(t, "gap", strings.Contains(c.text(), "gap"), false)

		c.leave()
	})
	t.Run("also if there is always something new", func(t *testing.T) {
		inBubble(t, admin.Config{StreamLife: time.Minute}, func(t *testing.T, r *rig) {
			b := r.breaker("stock")
			c := r.connect("/events/stream")
			c.mu.Lock()
			c.pace = 1000
			c.mu.Unlock()
			for range 1000 {
				move(b, "x")
			}
			time.Sleep(2 * time.Minute)
			equal(t, "over", c.over(), true)
			if n := len(c.items(t)); n == 0 || n == 1000 {
				t.Errorf("%d events", n)
			}
		})
	})
}

// A breaker works and trips while one reader of its events takes nothing: no time passes for
// any call, none is lost, and another reader gets everything.
func TestAStuckReaderHoldsUpNobody(t *testing.T) {
	inBubble(t, admin.Config{Recent: 10_000, Stuck: 5 * time.Minute, StreamLife: 24 * time.Hour}, func(t *testing.T, r *rig) {
		b, err := r.reg.Breaker("stock", breaker.Config{ConsecutiveFailures: 3, HalfOpen: breaker.HalfOpenConfig{Probes: 1}})
		if err != nil {
			t.Fatal(err)
		}
		stuck := r.connect("/events/stream")
		stuck.mu.Lock()
		stuck.stuck = true
		stuck.mu.Unlock()
		healthy := r.connect("/events/stream")

		const rounds = 200
		began := time.Now()
		var slept time.Duration
		ran, refused := 0, 0
		call := func(err error) {
			if b.Do(t.Context(), func(context.Context) error { ran++; return err }) != nil && err == nil {
				refused++
			}
		}
		for range rounds {
			for range 50 {
				call(nil)
			}
			for range 3 {
				call(errDown)
			}
			call(nil) // refused
			time.Sleep(time.Minute)
			slept += time.Minute
			call(nil) // the probe
			synctest.Wait()
		}
		equal(t, "time spent in calls", time.Since(began)-slept, 0)
		equal(t, "calls run", ran, rounds*54)
		equal(t, "calls refused", refused, rounds)
		c := b.Counters()
		equal(t, "counted", c.Successful+c.Failed, uint64(rounds*54))
		equal(t, "refused", c.Rejected, rounds)
		equal(t, "events dropped", r.reg.Counters().EventsDropped, 0)
		equal(t, "events of the healthy reader", len(healthy.items(t)), rounds*3)
		equal(t, "streams", r.Streaming(), 1) // the stuck one went after five minutes
		healthy.leave()
	})
}

// The same over real sockets, as far as it can be seen there: events arrive, a stream goes on
// where it was, and a reader that takes nothing is dropped.
func TestStreamOverSockets(t *testing.T) {
	r := newRig(t, admin.Config{Recent: 100_000})
	r.SetStuck(50 * time.Millisecond)
	b := r.breaker("stock")
	server := httptest.NewServer(r)
	defer server.Close()
	open := func(id string) (*bufio.Scanner, func() error) {
		t.Helper()
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/events/stream", nil)
		if id != "" {
			req.Header.Set("Last-Event-ID", id)
		}
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "status", resp.StatusCode, 200)
		return bufio.NewScanner(resp.Body), resp.Body.Close
	}
	next := func(s *bufio.Scanner) (id, data string) {
		t.Helper()
		for s.Scan() {
			line := s.Text()
			if v, ok := strings.CutPrefix(line, "id: "); ok {
				id = v
			}
			if v, ok := strings.CutPrefix(line, "data: "); ok {
				return id, v
			}
		}
		t.Fatal("the stream ended: ", s.Err())
		return "", ""
	}
	lines, leave := open("")
	move(b, "1")
	id, data := next(lines)
	if !strings.Contains(data, `"reason":"1"`) {
		t.Error(data)
	}
	_ = leave()
	move(b, "2")
	r.settle()
	lines, leave = open(id)
	if _, data = next(lines); !strings.Contains(data, `"reason":"2"`) {
		t.Error(data)
	}
	// Nobody reads any more: the sockets fill up until a write takes too long.
	hub := r.reg.Listener()
	for i := 0; r.Streaming() > 0; i++ {
		if i > 1000 {
			t.Fatal("the stuck reader is still there")
		}
		for range 1000 {
			hub.OnEvent(event.Event{Source: "shop", Name: "till", Reason: strings.Repeat("x", 256)})
		}
		wait(10 * time.Millisecond)
	}
	_ = leave()
}

// wait lets real time pass for sockets.
func wait(d time.Duration) {
	done := make(chan struct{})
	clock.Real().AfterFunc(d, func() { close(done) })
	<-done
}
