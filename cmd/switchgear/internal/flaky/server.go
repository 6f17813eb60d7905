package flaky

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// A Server runs an HTTP handler on a listener until it is closed.
type Server struct {
	url    string
	http   http.Server
	cancel context.CancelFunc
	ended  chan struct{}
	err    error        // of the accept loop, set before ended is closed
	calls  sync.RWMutex // a reader is a request under way, a writer waits for all
}

// Serve answers what arrives at the listener, which from then on belongs to the
// server. It returns at once.
func Serve(listener net.Listener, handler http.Handler) *Server {
	base, cancel := context.WithCancel(context.Background())
	s := &Server{
		url:    "http://" + listener.Addr().String(),
		cancel: cancel,
		ended:  make(chan struct{}),
	}
	s.http = http.Server{
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return base },
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			s.calls.RLock()
			defer s.calls.RUnlock()
			if base.Err() == nil {
				handler.ServeHTTP(w, r)
			}
		}),
	}
	go func() {
		defer close(s.ended)
		s.err = s.http.Serve(listener)
	}()
	return s
}

// URL returns the address of the server, such as "http://127.0.0.1:8080".
func (s *Server) URL() string { return s.url }

// Ended is closed when the server has stopped accepting requests, because it was
// closed or because the listener failed; [Server.Err] then knows.
func (s *Server) Ended() <-chan struct{} { return s.ended }

// Err returns why the server stopped: nil if it still runs or was closed.
func (s *Server) Err() error {
	select {
	case <-s.ended:
		if s.err != http.ErrServerClosed {
			return s.err
		}
	default:
	}
	return nil
}

// Close frees the port, ends the requests that are under way and waits until
// they are gone.
func (s *Server) Close() error {
	err := s.http.Close() // first, so that no client takes what follows for an answer
	s.cancel()
	<-s.ended
	s.calls.Lock()
	defer s.calls.Unlock()
	return err
}
