package sghttp_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/switchgear-go/switchgear/pipeline"
	"github.com/switchgear-go/switchgear/sghttp"
)

// A server that is busy for a moment is asked again.
func ExampleNewClient() {
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests++; requests == 1 {
			http.Error(w, "busy", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprint(w, "42")
	}))
	defer server.Close()

	client, err := sghttp.NewClient(sghttp.Config{Pipeline: new(pipeline.Interactive())})
	if err != nil {
		fmt.Println(err)
		return
	}
	resp, err := client.Get(server.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	fmt.Println(resp.StatusCode, string(body), "after", requests, "requests")
	// Output: 200 42 after 2 requests
}
