package demo

import (
	"bytes"
	"context"
	"net"
	"regexp"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/switchgear-go/switchgear/cmd/switchgear/internal/term"
)

// pipes is a network inside the process. In a synctest bubble real HTTP runs
// over it in virtual time, so that an outage takes no time and always the same
// time.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) network() network {
	return network{listen: func() (net.Listener, error) { return p, nil }, dial: p.dial}
}

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.conns <- theirs:
		return ours, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return pipeAddr{} }

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "pipe" }

// inVirtualTime runs f in a bubble. The bubble also is the check for leaks: it
// fails the test if a goroutine is left when f returns.
func inVirtualTime(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, f)
}

// stalls is a writer that stands still for a time when a line matches.
type stalls struct {
	bytes.Buffer
	line  *regexp.Regexp
	pause time.Duration
	times int // how often, at most
}

func (s *stalls) Write(p []byte) (int, error) {
	if s.times > 0 && s.line.Match(p) {
		s.times--
		time.Sleep(s.pause) // in virtual time
	}
	return s.Buffer.Write(p)
}

func plainScreen(w interface{ Write([]byte) (int, error) }) *term.Screen {
	return term.New(w, term.Mode{})
}
