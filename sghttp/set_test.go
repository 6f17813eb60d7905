package sghttp

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
)

func TestSetIsBounded(t *testing.T) {
	const a, b, c, d = "http://a.example/", "http://b.example/", "http://c.example/", "http://d.example/"
	two := Config{MaxBreakers: 2, IdleAfter: time.Minute, Breaker: plain()}
	filled := func(t *testing.T, next http.RoundTripper, cfg Config) *rig {
		t.Helper()
		r := newRig(t, next, cfg)
		r.get(a)
		r.get(b)
		equal(t, "keys", r.keys(), []string{"a.example", "b.example"})
		return r
	}

	t.Run("no room: calls of further keys run unprotected, and are counted", func(t *testing.T) {
		r := filled(t, fails(errDown), two)
		for range 10 {
			_, err := r.get(c)
			equal(t, "error", err, errDown) // and never a rejection
		}
		equal(t, "keys", r.keys(), []string{"a.example", "b.example"})
		equal(t, "counters", r.Counters(), Counters{Unprotected: 10, Made: 2})
	})
	t.Run("which is reported once, and again only after there was room", func(t *testing.T) {
		r := filled(t, answers(200), two)
		const first = `all 2 breakers are in use: calls of further keys run unprotected, first of them "c.example"`
		r.get(c)
		r.get(c)
		r.get(d)
		equal(t, "warnings", r.warnings(), []string{first})
		r.clock.Advance(time.Minute)
		r.get(c)
		r.get(d)
		equal(t, "warnings", r.warnings(), []string{first})
		r.get(a)
		r.get(b)
		equal(t, "warnings", r.warnings(), []string{first,
			`all 2 breakers are in use: calls of further keys run unprotected, first of them "a.example"`})
	})
	t.Run("keys that have a breaker are not concerned", func(t *testing.T) {
		r := filled(t, fails(errDown), two)
		for range 5 {
			r.get(c)
			r.get(a)
		}
		_, err := r.get(a)
		matches(t, "get", err, breaker.ErrRejected)
	})
	t.Run("as long as there is room nothing is dropped", func(t *testing.T) {
		cfg := two
		cfg.MaxBreakers = 3
		r := filled(t, answers(200), cfg)
		r.clock.Advance(24 * time.Hour)
		r.get(c)
		equal(t, "keys", r.keys(), []string{"a.example", "b.example", "c.example"})
	})
	t.Run("idle and CLOSED ones are dropped when room is needed", func(t *testing.T) {
		r := filled(t, answers(200), two)
		r.clock.Advance(30 * time.Second)
		r.get(a)
		r.clock.Advance(30*time.Second - 1)
		r.get(c)
		equal(t, "a moment too early", r.keys(), []string{"a.example", "b.example"})
		r.clock.Advance(1)
		r.get(c)
		equal(t, "keys", r.keys(), []string{"a.example", "c.example"})
		equal(t, "counters", r.Counters(), Counters{Unprotected: 1, Made: 3, Dropped: 1})
	})
	t.Run("one that has a call in progress is not idle", func(t *testing.T) {
		release := make(chan struct{})
		begun := make(chan struct{})
		r := newRig(t, sender(func(req *http.Request) (*http.Response, error) {
			if req.URL.Host == "a.example" {
				close(begun)
				<-release
			}
			return answers(200)(req)
		}), two)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			r.get(a)
		}()
		<-begun
		r.get(b)
		r.clock.Advance(time.Hour)
		r.get(c)
		equal(t, "keys", r.keys(), []string{"a.example", "c.example"})
		close(release)
		<-ended
		r.clock.Advance(time.Minute - 1)
		r.get(c)
		r.get(d)
		equal(t, "idle counts from the end of the call", r.keys(), []string{"a.example", "c.example"})
		r.clock.Advance(1)
		r.get(d)
		equal(t, "keys", r.keys(), []string{"c.example", "d.example"})
	})
	t.Run("nor is one that waits for the end of a body", func(t *testing.T) {
		cfg := two
		cfg.JudgeBody = true
		r := newRig(t, withBody{}, cfg)
		resp := must(r.RoundTrip(request(context.Background(), a)))
		r.get(b)
		r.clock.Advance(time.Hour)
		r.get(c)
		equal(t, "keys", r.keys(), []string{"a.example", "c.example"})
		io.ReadAll(resp.Body)
		r.clock.Advance(time.Hour)
		r.get(d)
		equal(t, "keys", r.keys(), []string{"d.example"})
	})
	t.Run("refused calls are calls: they keep a breaker", func(t *testing.T) {
		cfg := two
		cfg.Breaker.Open.Wait = time.Hour
		r := filled(t, fails(errDown), cfg)
		for range 5 {
			r.get(a)
		}
		r.clock.Advance(time.Hour - 1)
		r.get(a)
		r.clock.Advance(time.Second)
		r.get(c)
		equal(t, "keys", r.keys(), []string{"a.example", "c.example"})
	})
	t.Run("an OPEN one is kept until its interval has passed", func(t *testing.T) {
		cfg := two
		cfg.Breaker.Open.Wait = time.Hour
		r := filled(t, fails(errDown), cfg)
		for range 5 {
			r.get(a)
		}
		r.clock.Advance(time.Hour - time.Second)
		r.get(c)
		equal(t, "keys", r.keys(), []string{"a.example", "c.example"})
		r.get(d)
		r.clock.Advance(time.Second)
		r.get(d)
		equal(t, "keys", r.keys(), []string{"c.example", "d.example"})
	})
	t.Run("a HALF_OPEN one is past its interval", func(t *testing.T) {
		cfg := two
		cfg.Breaker.HalfOpen.Probes = 5
		next := fails(errDown)
		r := filled(t, sender(func(req *http.Request) (*http.Response, error) { return next(req) }), cfg)
		for range 5 {
			r.get(a)
		}
		r.clock.Advance(10 * time.Second)
		next = answers(200)
		r.get(a)
		equal(t, "state", r.of("a.example").State(), breaker.HalfOpen)
		r.clock.Advance(time.Minute)
		r.get(c)
		equal(t, "keys", r.keys(), []string{"c.example"})
	})
	t.Run("S4: one that an operator has moved is kept", func(t *testing.T) {
		for _, state := range []breaker.State{breaker.Disabled, breaker.MetricsOnly, breaker.ForcedOpen} {
			r := filled(t, answers(200), two)
			equal(t, "Move", r.of("a.example").Move(breaker.Move{To: state, Reason: "maintenance"}), nil)
			r.clock.Advance(24 * time.Hour)
			r.get(c)
			equal(t, state.String(), r.keys(), []string{"a.example", "c.example"})
			equal(t, "Reset", r.of("a.example").Reset("ana", "maintenance is over"), nil)
			r.clock.Advance(time.Hour)
			r.get(d)
			equal(t, state.String(), r.keys(), []string{"d.example"})
		}
	})
	t.Run("a key that comes back gets a new breaker", func(t *testing.T) {
		cfg := two
		cfg.MaxBreakers = 1
		r := newRig(t, fails(errDown), cfg)
		for range 4 {
			r.get(a)
		}
		old := r.of("a.example")
		r.clock.Advance(time.Minute)
		r.get(b)
		r.clock.Advance(time.Minute)
		r.get(a)
		equal(t, "the same", old == r.of("a.example"), false)
		equal(t, "failed", r.of("a.example").Counters().Failed, 1)
	})
}

// K64: hosts and paths without number. The set stays small, and so does memory.
func TestK64ManyHosts(t *testing.T) {
	r := newRig(t, answers(200), Config{MaxBreakers: 100})
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	for i := range 10_000 {
		r.get(fmt.Sprintf("http://host%d.example/", i))
	}
	for i := range rounds(100_000) {
		r.get(fmt.Sprintf("http://host7.example/items/%d", i))
	}
	equal(t, "counters", r.Counters(), Counters{Unprotected: 9_900, Made: 100})
	equal(t, "breakers", len(r.keys()), 100)
	equal(t, "warnings", len(r.warnings()), 1)
	equal(t, "calls of one host", r.of("host7.example").Counters().Successful, uint64(rounds(100_000)+1))
	if grown := int64(heap()) - int64(before); grown > 50<<20 {
		t.Errorf("memory has grown by %d MiB", grown>>20)
	}

	r.clock.Advance(time.Hour)
	for i := range 10_000 {
		r.get(fmt.Sprintf("http://host%d.example/", i))
		r.clock.Advance(time.Minute)
	}
	equal(t, "unprotected, where hosts come one after the other", r.Counters().Unprotected, 9_900)
	equal(t, "breakers", len(r.keys()) <= 100, true)
}
