package sghttp_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/sghttp"
)

// A client whose breaker opens after three failures in a row.
func Example() {
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests++
		w.Header().Set("Retry-After", "120")
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer server.Close()

	transport, err := sghttp.NewTransport(nil, sghttp.Config{
		Breaker: breaker.Config{ConsecutiveFailures: 3},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	client := &http.Client{Transport: transport, Timeout: 5 * time.Second}
	defer client.CloseIdleConnections()

	for range 20 {
		resp, err := client.Get(server.URL)
		if rejection, ok := errors.AsType[*breaker.Rejection](err); ok {
			wait, _ := rejection.RetryAfter()
			fmt.Println("refused: the breaker is", rejection.State)
			fmt.Println("two minutes to wait, as the server asked:", wait > 119*time.Second)
			break
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		resp.Body.Close()
		fmt.Println(resp.Status)
	}
	fmt.Println("requests that reached the server:", requests)
	// Output:
	// 503 Service Unavailable
	// 503 Service Unavailable
	// 503 Service Unavailable
	// refused: the breaker is OPEN
	// two minutes to wait, as the server asked: true
	// requests that reached the server: 3
}

// down stands for a host that nobody can reach.
type down struct{}

func (down) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("connection refused")
}

// Parts of a host that fail on their own get breakers of their own.
func ExampleWithRoute() {
	transport, err := sghttp.NewTransport(down{}, sghttp.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	client := &http.Client{Transport: transport}

	ctx := sghttp.WithRoute(context.Background(), "GET /users/{id}")
	for _, url := range []string{"http://api.example/users/7", "http://api.example/users/8"} {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		if resp, err := client.Do(req); err == nil {
			resp.Body.Close()
		}
	}
	for key, b := range transport.Breakers() {
		fmt.Printf("%v: %d failed\n", key, b.Counters().Failed)
	}
	// Output: api.example GET /users/{id}: 2 failed
}

// A breaker for each tenant of one host, and none for health checks.
func ExampleWithKey() {
	transport, err := sghttp.NewTransport(down{}, sghttp.Config{}, sghttp.WithKey(func(req *http.Request) (sghttp.Key, bool) {
		key, ok := sghttp.DefaultKey(req)
		key.Route = req.Header.Get("Tenant")
		return key, ok && req.URL.Path != "/health"
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, path := range []string{"/items", "/health"} {
		req, err := http.NewRequest(http.MethodGet, "http://api.example"+path, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		req.Header.Set("Tenant", "blue")
		if resp, err := transport.RoundTrip(req); err == nil {
			resp.Body.Close()
		}
	}
	for key := range transport.Breakers() {
		fmt.Println(key)
	}
	fmt.Println("exempt:", transport.Counters().Exempt)
	// Output:
	// api.example blue
	// exempt: 1
}

// The table of status codes is changed one by one.
func ExampleConfig() {
	_, err := sghttp.NewTransport(nil, sghttp.Config{
		Statuses: map[int]switchgear.Outcome{
			http.StatusLocked:          switchgear.Failure,
			http.StatusTooManyRequests: switchgear.Ignored,
		},
		MaxBreakers: -1,
		Breaker:     breaker.Config{FailureRate: 0.5},
	})
	fmt.Println(err)
	// Output:
	// sghttp "transport": invalid configuration: Breaker.FailureRate = 0.5: must be in percent, from 1 to 100, or Off; did you mean 50 %?; MaxBreakers = -1: must be from 1 to 100000
}

func ExampleParseRetryAfter() {
	now := time.Date(2030, time.May, 1, 12, 0, 0, 0, time.UTC)
	for _, value := range []string{"120", "Wed, 01 May 2030 12:00:30 GMT", "Wed, 01 May 2030 11:00:00 GMT", "soon"} {
		wait, ok := sghttp.ParseRetryAfter(value, now)
		fmt.Println(wait, ok)
	}
	// Output:
	// 2m0s true
	// 30s true
	// 0s false
	// 0s false
}
