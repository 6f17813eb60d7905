package admin_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/registry"
	"github.com/switchgear-go/switchgear/sghttp/admin"
)

// What an engineer sees who has nothing but curl.
func Example() {
	clk := clock.NewVirtual(time.Date(2026, time.March, 1, 3, 12, 44, 0, time.UTC))
	reg := registry.Must(registry.New(registry.Config{}, registry.WithClock(clk)))
	payments, err := reg.Breaker("payments", breaker.Config{
		ConsecutiveFailures: 3,
		Open:                breaker.OpenConfig{Wait: 2 * time.Minute, Jitter: 1},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	handler, err := admin.New(reg, admin.Config{AllowWrites: true, WriteToken: "correct-horse-battery"}, admin.WithClock(clk))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer handler.Close()

	// A program would have http.ListenAndServe("localhost:9090", handler).
	server := httptest.NewServer(handler)
	defer server.Close()
	curl := func(method, path, body string) {
		req, _ := http.NewRequest(method, server.URL+path, strings.NewReader(body))
		req.Header.Set("Accept", "text/plain")
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer correct-horse-battery")
		resp, err := server.Client().Do(req)
		if err != nil {
			fmt.Println(err)
			return
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		fmt.Printf("%d %s", resp.StatusCode, text)
	}

	for range 3 {
		_ = payments.Do(context.Background(), func(context.Context) error { return errors.New("dial tcp: connection refused") })
	}
	clk.Advance(5 * time.Minute)
	curl("GET", "/health", "")
	curl("POST", "/breakers/payments/move", `{"to": "hold-open", "reason": "moving house", "author": "ana"}`)
	curl("POST", "/breakers/payments/move", `{"to": "hold-open", "for": "2h", "reason": "moving house", "author": "ana"}`)
	// Output:
	// 200 DEGRADED
	// payments: OPEN since 03:12:44 (5 min), because 3 failures in a row, mostly dial tcp: connection refused; the next call probes
	// 400 error: for must be a time of up to 720h0m0s such as "30m", or "forever"
	// 200 payments: FORCED_OPEN since 03:17:44 (0 s), by "ana": "moving house"; until 05:17:44 (2 h)
}
