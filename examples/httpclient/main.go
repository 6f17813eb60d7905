// Command httpclient makes requests to a server that is busy every now and then. The
// client repeats what may be repeated, and leaves alone what may not.
package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"

	"github.com/switchgear-go/switchgear/pipeline"
	"github.com/switchgear-go/switchgear/sghttp"
)

func main() {
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n := requests.Add(1); n%3 != 0 {
			http.Error(w, "busy", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintf(w, "%s %s", r.Method, r.URL.Path)
	}))
	defer server.Close()

	cfg := pipeline.Interactive()
	client, err := sghttp.NewClient(sghttp.Config{Pipeline: &cfg})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}

	show := func(resp *http.Response, err error) {
		if err != nil {
			fmt.Println("error:", err)
			return
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		fmt.Printf("%d %q, after %d requests\n", resp.StatusCode, strings.TrimSpace(string(body)), requests.Swap(0))
	}
	show(client.Get(server.URL + "/stock/BOLT-M8"))                        // repeated until it works
	show(client.Post(server.URL+"/orders", "", strings.NewReader("BOLT"))) // an order is made once
}
