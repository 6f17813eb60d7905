// Command httpserver protects a handler from more requests than it can serve: two at a
// time, and one that waits.
package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"time"

	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/sghttp"
)

func main() {
	server, err := sghttp.NewServer("api", sghttp.ServerConfig{
		Bulkhead: &bulkhead.Config{MaxConcurrent: 2, MaxWaiting: 1, MaxWait: time.Second},
		Deadline: &sghttp.DeadlineConfig{Limit: 5 * time.Second},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	release := make(chan struct{})
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-release
		fmt.Fprintln(w, "done")
	})
	listening := httptest.NewServer(server.Wrap(handler))
	defer listening.Close()

	var mu sync.Mutex
	statuses := map[int]int{}
	var requests sync.WaitGroup
	for range 5 {
		requests.Go(func() {
			resp, err := http.Get(listening.URL)
			if err != nil {
				fmt.Println(err)
				return
			}
			defer resp.Body.Close()
			mu.Lock()
			defer mu.Unlock()
			statuses[resp.StatusCode]++
			if statuses[http.StatusServiceUnavailable] == 2 && resp.StatusCode != http.StatusOK {
				close(release) // the others are in; let them finish
			}
		})
	}
	requests.Wait()
	fmt.Printf("%d served, %d told to come back later\n", statuses[http.StatusOK], statuses[http.StatusServiceUnavailable])
}
