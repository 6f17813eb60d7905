package flaky_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/switchgear-go/switchgear/cmd/switchgear/internal/flaky"
)

func Example() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	server := flaky.Serve(listener, flaky.New(10*time.Millisecond))
	defer server.Close()
	defer http.DefaultClient.CloseIdleConnections()

	show := func(resp *http.Response, err error) {
		if err != nil {
			fmt.Println(err)
			return
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		fmt.Printf("%d %s", resp.StatusCode, body)
	}
	show(http.Get(server.URL() + "/inventory/WIDGET-7"))
	show(http.Post(server.URL()+"/admin/set-healthy/false", "", nil))
	show(http.Get(server.URL() + "/inventory/WIDGET-7")) // hangs
	// Output:
	// 200 {"sku":"WIDGET-7","quantity":42}
	// 200 {"healthy":false}
	// 503 {"error":"overloaded"}
}
