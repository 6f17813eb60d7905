package sghttp

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
)

func TestC4(t *testing.T) {
	t.Run("C4: every status code there can be", func(t *testing.T) {
		for code := range 1000 {
			want := switchgear.Success
			if code >= 500 && code < 600 && code != 501 && code != 505 || code == 408 || code == 429 {
				want = switchgear.Failure
			}
			if got := new(Config).outcome(code); got != want {
				t.Errorf("status %d: got %v, want %v", code, got, want)
			}
		}
	})
	t.Run("C4: the table can be changed, code by code", func(t *testing.T) {
		for _, c := range []struct {
			code                       int
			change                     switchgear.Outcome
			successful, failed, ignore uint64
		}{
			{503, switchgear.Success, 1, 0, 0},
			{503, switchgear.Ignored, 0, 0, 1},
			{404, switchgear.Failure, 0, 1, 0},
			{404, switchgear.Ignored, 0, 0, 1},
			{999, switchgear.Failure, 0, 1, 0},
		} {
			r := newRig(t, answers(c.code), Config{Statuses: map[int]switchgear.Outcome{c.code: c.change}})
			code, err := r.get("http://api.example/")
			equal(t, "status", code, c.code)
			equal(t, "error", err, nil)
			counted(t, r.only(), c.successful, c.failed, c.ignore)
		}
	})
	t.Run("C4: other codes keep their outcome", func(t *testing.T) {
		cfg := Config{Statuses: map[int]switchgear.Outcome{503: switchgear.Success}}
		equal(t, "502", cfg.outcome(502), switchgear.Failure)
		equal(t, "404", cfg.outcome(404), switchgear.Success)
	})
	t.Run("C4: a transport error is a failure", func(t *testing.T) {
		r := newRig(t, fails(errDown), Config{})
		_, err := r.get("http://api.example/")
		equal(t, "the error, untouched", err, errDown)
		counted(t, r.only(), 0, 1, 0)
	})
}

// K23: ten each of the answers that say "your mistake", then five that say "mine".
func TestK23ClientMistakesDoNotTrip(t *testing.T) {
	code := 0
	r := newRig(t, sender(func(req *http.Request) (*http.Response, error) { return answers(code)(req) }),
		Config{Breaker: breaker.Config{MinimumCalls: 5, Window: breaker.WindowConfig{Calls: 5}}})
	for _, code = range []int{400, 401, 404, 409, 422} {
		for range 10 {
			r.get("http://api.example/")
		}
	}
	equal(t, "state", r.only().State(), breaker.Closed)
	counted(t, r.only(), 50, 0, 0)

	code = 503
	for range 5 {
		r.get("http://api.example/")
	}
	equal(t, "failed", r.only().Counters().Failed, 3) // three of the last five are enough
	equal(t, "state", r.only().State(), breaker.Open)
}

func TestTripRecord(t *testing.T) {
	answer := []string{"503", "503", "502", "down", "503"}
	r := newRig(t, sender(func(req *http.Request) (*http.Response, error) {
		next := answer[0]
		answer = answer[1:]
		switch next {
		case "503":
			return answers(503, "Retry-After: 7")(req)
		case "502":
			return answers(502)(req)
		}
		return nil, errDown
	}), Config{Breaker: plain()})
	for range 5 {
		r.get("http://api.example/")
	}
	trip := r.only().Snapshot().LastTrip
	if trip == nil {
		t.Fatal("no trip")
	}
	t.Run("T5: errors are grouped by status", func(t *testing.T) {
		equal(t, "errors", trip.Errors, []breaker.ErrorGroup{
			{Kind: "status 503", Count: 3, Sample: "status 503 Service Unavailable, retry after 7s"},
			{Kind: "error", Count: 1, Sample: "connection refused"},
			{Kind: "status 502", Count: 1, Sample: "status 502 Bad Gateway"},
		})
	})
	t.Run("T5: the trip says it in one line", func(t *testing.T) {
		equal(t, "text", trip.Text(), "5 of 5 calls failed (100 % ≥ 50 %), mostly status 503: status 503 Service Unavailable, retry after 7s")
	})
}

func TestRetryAfterFeedsO3(t *testing.T) {
	wait := func(t *testing.T, headers ...string) time.Duration {
		t.Helper()
		r := newRig(t, answers(503, headers...), Config{Breaker: plain()})
		r.clock.Advance(700 * time.Millisecond)
		for range 5 {
			r.get("http://api.example/")
		}
		return r.only().Snapshot().RetryAfter
	}
	t.Run("O3: no hint, the configured wait", func(t *testing.T) { equal(t, "wait", wait(t), 10*time.Second) })
	t.Run("O3: a hint lengthens it", func(t *testing.T) { equal(t, "wait", wait(t, "Retry-After: 60"), time.Minute) })
	t.Run("O3: and never shortens it", func(t *testing.T) { equal(t, "wait", wait(t, "Retry-After: 1"), 10*time.Second) })
	t.Run("O3: it has a cap", func(t *testing.T) { equal(t, "wait", wait(t, "Retry-After: 86400"), 5*time.Minute) })
	t.Run("O3: a date is compared with the injected wall clock", func(t *testing.T) {
		equal(t, "wait", wait(t, "Retry-After: Fri, 01 May 2020 12:00:30 GMT"), 29300*time.Millisecond)
	})
	t.Run("O3: nonsense is no hint", func(t *testing.T) { equal(t, "wait", wait(t, "Retry-After: soon"), 10*time.Second) })
	t.Run("O3: a hint that came with a success is none", func(t *testing.T) {
		code := 404
		r := newRig(t, sender(func(req *http.Request) (*http.Response, error) {
			if code == 404 {
				return answers(404, "Retry-After: 60")(req)
			}
			return answers(503)(req)
		}), Config{Breaker: plain()})
		r.get("http://api.example/")
		code = 503
		for range 5 {
			r.get("http://api.example/")
		}
		equal(t, "wait", r.only().Snapshot().RetryAfter, 10*time.Second)
	})
}

func TestStatusError(t *testing.T) {
	resp := must(answers(429, "Retry-After: 3")(nil))
	e := newStatusError(resp, start)
	equal(t, "text", e.Error(), "status 429 Too Many Requests, retry after 3s")
	equal(t, "kind", breaker.ErrorKind(e), "status 429")
	wait, ok := switchgear.RetryAfter(e)
	equal(t, "hint", wait, 3*time.Second)
	equal(t, "has a hint", ok, true)

	unknown := newStatusError(must(answers(599)(nil)), start)
	equal(t, "text", unknown.Error(), "status 599")
	_, ok = unknown.RetryAfter()
	equal(t, "has a hint", ok, false)
	equal(t, "no space at the end", strings.TrimSpace(unknown.Error()), unknown.Error())
}
