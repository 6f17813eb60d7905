package sghttp

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/event"
)

func TestNewTransport(t *testing.T) {
	t.Run("nil stands for the default transport", func(t *testing.T) {
		equal(t, "next", newTransport(t, nil, Config{}).next, http.DefaultTransport)
	})
	t.Run("options that are not given have defaults", func(t *testing.T) {
		r := newTransport(t, answers(200), Config{})
		resp := must((&http.Client{Transport: r}).Get("http://api.example/"))
		equal(t, "status", resp.StatusCode, 200)
		equal(t, "made", r.Counters().Made, 1)
	})
}

func TestCloseIdleConnections(t *testing.T) {
	t.Run("reaches the inner transport", func(t *testing.T) {
		inner := &closer{}
		(&http.Client{Transport: newTransport(t, newTransport(t, inner, Config{}), Config{})}).CloseIdleConnections()
		equal(t, "calls", inner.calls, 1)
	})
	t.Run("does nothing where that does not know it", func(t *testing.T) {
		newTransport(t, answers(200), Config{}).CloseIdleConnections()
	})
}

type closer struct {
	sender
	calls int
}

func (c *closer) CloseIdleConnections() { c.calls++ }

func TestIntrospection(t *testing.T) {
	r := newRig(t, answers(200), Config{})
	t.Run("asking makes no breaker", func(t *testing.T) {
		b, ok := r.Breaker(Key{Host: "api.example"})
		equal(t, "breaker", b, nil)
		equal(t, "ok", ok, false)
		equal(t, "keys", r.keys(), []string{})
	})
	for i := range 10 {
		r.get(fmt.Sprintf("http://host%d.example/", i))
	}
	t.Run("Breakers agrees with Breaker", func(t *testing.T) {
		n := 0
		for key, b := range r.Breakers() {
			n++
			equal(t, key.Host, r.of(key.Host) == b, true)
			equal(t, "name", b.Name(), key.Host)
		}
		equal(t, "breakers", n, 10)
	})
	t.Run("the iteration can be broken off", func(t *testing.T) {
		n := 0
		for range r.Breakers() {
			if n++; n == 3 {
				break
			}
		}
		equal(t, "visited", n, 3)
	})
	t.Run("the transport may be used in it", func(t *testing.T) {
		for key, b := range r.Breakers() {
			r.get("http://" + key.Host + "/")
			equal(t, "successful", b.Counters().Successful, 2)
		}
	})
}

func TestEventsOfBreakers(t *testing.T) {
	r := newRig(t, fails(errDown), Config{Breaker: plain()})
	for range 5 {
		r.get("http://api.example/")
	}
	equal(t, "events", len(r.heard), 1)
	e := r.heard[0]
	equal(t, "source", e.Source, "breaker")
	equal(t, "name", e.Name, "api.example")
	equal(t, "kind", e.Kind, event.Transition)
	equal(t, "to", e.To, "OPEN")
}

func TestClose(t *testing.T) {
	timed := Config{MaxBreakers: 2, IdleAfter: time.Second, Breaker: breaker.Config{
		ConsecutiveFailures: 1,
		Open:                breaker.OpenConfig{Wait: time.Minute, Jitter: off, Automatic: true},
		HalfOpen:            breaker.HalfOpenConfig{MaxWait: time.Hour},
	}}
	t.Run("O5: Close stops the timers of breakers", func(t *testing.T) {
		r := newRig(t, fails(errDown), timed)
		r.get("http://a.example/")
		r.get("http://b.example/")
		equal(t, "timers", r.clock.Pending(), 2)
		r.Close()
		equal(t, "timers", r.clock.Pending(), 0)
	})
	t.Run("O5: a breaker made later has none", func(t *testing.T) {
		r := newRig(t, fails(errDown), timed)
		r.Close()
		r.get("http://a.example/")
		equal(t, "state", r.only().State(), breaker.Open)
		equal(t, "timers", r.clock.Pending(), 0)
	})
	t.Run("O4: breakers go on working, lazily", func(t *testing.T) {
		r := newRig(t, fails(errDown), timed)
		r.Close()
		r.get("http://a.example/")
		_, err := r.get("http://a.example/")
		matches(t, "get", err, breaker.ErrRejected)
		r.clock.Advance(time.Minute)
		_, err = r.get("http://a.example/")
		equal(t, "the error of a probe", err, errDown)
	})
	t.Run("H6: a breaker that is dropped leaves no timer behind", func(t *testing.T) {
		r := newRig(t, fails(errDown), timed)
		r.get("http://a.example/")
		r.get("http://b.example/")
		r.clock.Advance(time.Minute)
		equal(t, "state", r.of("a.example").State(), breaker.HalfOpen)
		equal(t, "timers", r.clock.Pending(), 2)
		r.next = answers(200)
		r.get("http://c.example/")
		equal(t, "keys", r.keys(), []string{"c.example"})
		equal(t, "timers", r.clock.Pending(), 0)
	})
}
