package flaky

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const hang = 3 * time.Second

func do(s *Service, ctx context.Context, method, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequestWithContext(ctx, method, path, nil))
	return w
}

func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		healthy      bool
		method, path string
		status       int
		body         string
		hangs        bool
	}{
		{true, "GET", "/inventory/WIDGET-7", 200, `{"sku":"WIDGET-7","quantity":42}`, false},
		{true, "GET", "/inventory/widget-7", 400, `{"error":"SKU must be upper case"}`, false},
		{true, "GET", "/inventory/Ä", 200, `{"sku":"Ä","quantity":42}`, false},
		{true, "GET", "/inventory/ä", 400, `{"error":"SKU must be upper case"}`, false},
		{false, "GET", "/inventory/WIDGET-7", 503, `{"error":"overloaded"}`, true},
		{false, "GET", "/inventory/widget-7", 400, `{"error":"SKU must be upper case"}`, false},
		{true, "GET", "/inventory/", 404, "", false},
		{true, "GET", "/inventory/A/B", 404, "", false},
		{true, "POST", "/inventory/WIDGET-7", 405, "", false},
		{true, "POST", "/admin/set-healthy/false", 200, `{"healthy":false}`, false},
		{false, "POST", "/admin/set-healthy/true", 200, `{"healthy":true}`, false},
		{true, "POST", "/admin/set-healthy/maybe", 400, `{"error":"true or false, please"}`, false},
		{true, "POST", "/admin/set-healthy/1", 400, `{"error":"true or false, please"}`, false},
		{true, "GET", "/admin/set-healthy/false", 405, "", false},
		{true, "GET", "/", 200, "A flaky inventory service, now healthy.", false},
		{false, "GET", "/", 200, "now not healthy: inventory requests hang for 3s", false},
	} {
		t.Run(fmt.Sprintf("healthy=%v %s %s", c.healthy, c.method, c.path), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := New(hang)
				s.healthy.Store(c.healthy)
				begin := time.Now()
				got := do(s, t.Context(), c.method, c.path)
				took := time.Since(begin)

				if got.Code != c.status || !strings.Contains(got.Body.String(), c.body) {
					t.Errorf("got %d %q, want %d %q", got.Code, got.Body, c.status, c.body)
				}
				if strings.HasPrefix(c.body, "{") && got.Header().Get("Content-Type") != "application/json" {
					t.Errorf("Content-Type = %q, want JSON", got.Header().Get("Content-Type"))
				}
				if want := map[bool]time.Duration{true: hang}[c.hangs]; took != want {
					t.Errorf("took %v, want %v", took, want)
				}
			})
		})
	}
}

func TestSwitchingChangesLaterRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(hang)
		get := func() int { return do(s, t.Context(), "GET", "/inventory/A").Code }
		if got := get(); got != http.StatusOK {
			t.Errorf("a new service answers %d, want 200", got)
		}
		do(s, t.Context(), "POST", "/admin/set-healthy/false")
		hanging := make(chan int)
		go func() { hanging <- get() }()
		synctest.Wait()
		do(s, t.Context(), "POST", "/admin/set-healthy/true")
		if got := get(); got != http.StatusOK {
			t.Errorf("after recovery it answers %d, want 200", got)
		}
		if got := <-hanging; got != http.StatusServiceUnavailable {
			t.Errorf("a request from before the recovery gets %d, want 503", got)
		}
	})
}

func TestHangEndsWithTheClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(hang)
		s.healthy.Store(false)
		ctx, cancel := context.WithTimeout(t.Context(), hang/3)
		defer cancel()
		begin := time.Now()
		do(s, ctx, "GET", "/inventory/A")
		if took := time.Since(begin); took != hang/3 {
			t.Errorf("the service hung on for %v, the client for %v", took, hang/3)
		}
	})
}

func TestRequestsCountsWhatArrives(t *testing.T) {
	s := New(hang)
	for _, path := range []string{"/inventory/A", "/inventory/a", "/", "/elsewhere"} {
		do(s, t.Context(), "GET", path)
	}
	if got := s.Requests(); got != 2 {
		t.Errorf("Requests() = %d, want 2: one good, one malformed", got)
	}
}
