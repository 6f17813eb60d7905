package sghttp_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/switchgear-go/switchgear/adaptive"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/ratelimit"
	"github.com/switchgear-go/switchgear/sghttp"
)

// An API that serves each client five requests a minute, sheds searches first when there
// is too much to do, and gives up on a request after two seconds.
func ExampleServer() {
	server, err := sghttp.NewServer("api", sghttp.ServerConfig{
		KeyedRateLimit: &ratelimit.KeyedConfig{Limit: ratelimit.Config{Rate: 5.0 / 60, Burst: 5}},
		Adaptive:       &adaptive.Config{},
		Deadline:       &sghttp.DeadlineConfig{Limit: 2 * time.Second},
	}, sghttp.WithServerPriority(func(r *http.Request) adaptive.Priority {
		if r.URL.Path == "/search" {
			return adaptive.Background
		}
		return adaptive.Critical
	}), sghttp.WithServerExempt(func(r *http.Request) bool {
		return r.URL.Path == "/healthz"
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/items", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "three bolts") })
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "well") })

	api := httptest.NewServer(server.Wrap(mux))
	defer api.Close()
	get := func(path string) string {
		resp, err := api.Client().Get(api.URL + path)
		if err != nil {
			return err.Error()
		}
		defer resp.Body.Close()
		return resp.Status
	}
	for range 5 {
		get("/items")
	}
	fmt.Println("the sixth:", get("/items"))
	fmt.Println("health:", get("/healthz"))
	c := server.Counters()
	fmt.Println("admitted", c.Admitted, "refused", c.Refused.Total(), "exempt", c.Exempt)
	// Output:
	// the sixth: 429 Too Many Requests
	// health: 200 OK
	// admitted 5 refused 1 exempt 1
}

// At most two reports are made at a time. Whoever comes third is told so, in the API's
// own words.
func ExampleWithServerAnswer() {
	server := sghttp.MustServer(sghttp.NewServer("reports", sghttp.ServerConfig{
		Bulkhead: &bulkhead.Config{MaxConcurrent: 2},
	}, sghttp.WithServerAnswer(func(w http.ResponseWriter, r *http.Request, why *sghttp.ServerRejection) {
		fmt.Println("log:", why)
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(why.Status)
		fmt.Fprintf(w, `{"title": "There is too much to do.", "status": %d}`, why.Status)
	})))

	begun, proceed := make(chan bool), make(chan bool)
	handler := server.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun <- true
		<-proceed
	}))
	for range 2 {
		go handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/report", nil))
		<-begun
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest("GET", "/report", nil))
	fmt.Println(w.Code, w.Body)
	close(proceed)
	// Output:
	// log: server "reports" refused the request: bulkhead "reports" is full: 2 of 2 calls running
	// 503 {"title": "There is too much to do.", "status": 503}
}
