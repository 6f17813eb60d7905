package demo

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
)

// answers is a client of a service that always gives the same answer.
func answers(t *testing.T, status int, body string) *client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(status)
		w.Write([]byte(body))
	}))
	t.Cleanup(server.Close)
	return &client{http: http.Client{Transport: server.Client().Transport}, url: server.URL}
}

func TestAnswersAreJudged(t *testing.T) {
	for _, c := range []struct {
		name    string
		status  int
		body    string
		outcome string
		want    breaker.Counters
	}{
		{"the stock is a success", 200, `{"sku":"A","quantity":42}`, "42 in stock", breaker.Counters{Successful: 1}},
		{"400 is a success of the service", 400, `{"error":"no"}`, "status 400", breaker.Counters{Successful: 1}},
		{"503 is a failure", 503, `{"error":"overloaded"}`, "status 503", breaker.Counters{Failed: 1}},
		{"so is an answer that makes no sense", 200, `<html>`, "inventory answer: ", breaker.Counters{Failed: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, err := breaker.New("stock", streakConfig(threshold, time.Minute))
			if err != nil {
				t.Fatal(err)
			}
			r := answers(t, c.status, c.body).through(t.Context(), b, "A")
			if got := b.Counters(); got != c.want {
				t.Errorf("the breaker counts %+v, want %+v", got, c.want)
			}
			if !strings.HasPrefix(r.outcome(), c.outcome) {
				t.Errorf("outcome %q, want %q", r.outcome(), c.outcome)
			}
			if r.refused() {
				t.Error("it was not refused")
			}
			if r.err == nil && r.item.Source != "inventory" {
				t.Errorf("the source is %q, want the inventory", r.item.Source)
			}
		})
	}
}

func TestCancelledCallIsNoFailure(t *testing.T) {
	b, err := breaker.New("stock", streakConfig(threshold, time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := answers(t, 200, `{}`).through(ctx, b, "A")
	if !errors.Is(r.err, context.Canceled) {
		t.Errorf("err = %v, want %v", r.err, context.Canceled)
	}
	if got, want := b.Counters(), (breaker.Counters{Ignored: 1}); got != want {
		t.Errorf("C1.3: the breaker counts %+v, want %+v", got, want)
	}
}

func TestRefusalSaysWhenToComeBack(t *testing.T) {
	b, err := breaker.New("stock", streakConfig(1, time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	c := answers(t, 503, `{"error":"overloaded"}`)
	c.through(t.Context(), b, "A")
	r := c.through(t.Context(), b, "A")
	if !r.refused() || r.status() != 0 || !errors.Is(r.err, switchgear.ErrRejected) {
		t.Errorf("the second call ended with %v, want a refusal", r.err)
	}
	if got := r.outcome(); !strings.HasPrefix(got, "refused, ") || !strings.HasSuffix(got, " s left") {
		t.Errorf("outcome %q, want the time that is left", got)
	}
}

func TestSwitchThatFailsIsAnError(t *testing.T) {
	if err := answers(t, 500, "").setHealthy(t.Context(), true); err == nil || !strings.Contains(err.Error(), "500") {
		t.Errorf("err = %v, want one with the status", err)
	}
}
