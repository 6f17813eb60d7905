package flaky

import (
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// serve starts a server on loopback and a client for it.
func serve(t *testing.T, handler http.Handler) (*Server, *http.Client) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := Serve(listener, handler)
	transport := &http.Transport{}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		server.Close()
	})
	return server, &http.Client{Transport: transport}
}

func TestServerAnswers(t *testing.T) {
	server, client := serve(t, New(time.Hour))
	if !strings.HasPrefix(server.URL(), "http://127.0.0.1:") {
		t.Errorf("URL() = %q, want one on loopback", server.URL())
	}
	resp, err := client.Get(server.URL() + "/inventory/WIDGET-7")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if got := string(body); err != nil || resp.StatusCode != 200 || got != `{"sku":"WIDGET-7","quantity":42}`+"\n" {
		t.Errorf("got %d %q, %v", resp.StatusCode, got, err)
	}
	if err := server.Err(); err != nil {
		t.Errorf("Err() = %v while the server runs", err)
	}
}

// arrivals passes requests on and tells when they come and go.
type arrivals struct {
	http.Handler
	come, gone chan struct{}
}

func (a arrivals) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	close(a.come)
	a.Handler.ServeHTTP(w, r)
	close(a.gone)
}

func TestCloseEndsHangingRequests(t *testing.T) {
	service := New(time.Hour)
	service.healthy.Store(false)
	handler := arrivals{service, make(chan struct{}), make(chan struct{})}
	server, client := serve(t, handler)

	failed := make(chan error, 1)
	go func() {
		resp, err := client.Get(server.URL() + "/inventory/A")
		if err == nil {
			resp.Body.Close()
		}
		failed <- err
	}()
	<-handler.come
	if err := server.Close(); err != nil {
		t.Errorf("Close() = %v", err)
	}
	select {
	case <-handler.gone:
	default:
		t.Error("Close returned while a request was still under way")
	}
	if err := <-failed; err == nil {
		t.Error("the client got an answer from a closed server")
	}
	if err := server.Err(); err != nil {
		t.Errorf("Err() = %v after Close, want nil", err)
	}
	if _, err := client.Get(server.URL()); err == nil {
		t.Error("the port is still open")
	}
	server.Close() // again is harmless
}

type broken struct{ net.Listener }

var errBroken = errors.New("broken")

func (broken) Accept() (net.Conn, error) { return nil, errBroken }

func TestFailingListenerIsReported(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := Serve(broken{listener}, New(0))
	<-server.Ended()
	if got := server.Err(); !errors.Is(got, errBroken) {
		t.Errorf("Err() = %v, want %v", got, errBroken)
	}
	server.Close()
}
