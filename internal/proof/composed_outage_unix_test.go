//go:build unix

package proof

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/backoff"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/budget"
	"github.com/switchgear-go/switchgear/pipeline"
	"github.com/switchgear-go/switchgear/retry"
	"github.com/switchgear-go/switchgear/sghttp"
	"github.com/switchgear-go/switchgear/timeout"
)

// A whole outage over real connections: the server is a process of its own, which is
// stopped, continued, killed and started again on the same port. A stopped process is the
// worst kind of down: its connections are accepted, and nobody answers.

// An outageServer is the process.
type outageServer struct {
	command *exec.Cmd
	address string
}

// startOutageServer starts it, and returns when it serves.
func startOutageServer(t *testing.T, address string) *outageServer {
	t.Helper()
	command := exec.Command(os.Args[0]) // TestMain makes it a server
	command.Env = append(os.Environ(), serverEnv+"="+address)
	if _, err := command.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	s := &outageServer{command: command}
	t.Cleanup(s.kill)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if at, ok := strings.CutPrefix(lines.Text(), "serving "); ok {
			s.address = at
			return s
		}
	}
	t.Fatal("the server does not serve")
	return nil
}

func (s *outageServer) signal(t *testing.T, signal os.Signal) {
	t.Helper()
	if err := s.command.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
}

// kill ends it, also if it is stopped or gone already.
func (s *outageServer) kill() {
	s.command.Process.Kill()
	s.command.Wait()
}

// seen is how many calls have reached it.
func (s *outageServer) seen(t *testing.T) uint64 {
	t.Helper()
	plain := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 5 * time.Second}
	resp, err := plain.Get("http://" + s.address + "/seen")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.ParseUint(string(body), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// An outageClient makes calls and counts how they end.
type outageClient struct {
	t                       *testing.T
	client                  *http.Client
	url, host               string
	made, answered, refused atomic.Uint64
	failed, strange         atomic.Uint64
}

func newOutageClient(t *testing.T, address string) *outageClient {
	client, err := sghttp.NewClient(sghttp.Config{Pipeline: &pipeline.Config{
		Total:   &timeout.Config{Limit: 500 * ms},
		Retry:   &retry.Config{Attempts: 2, Backoff: backoff.Config{Initial: ms, Max: 2 * ms}},
		Budget:  &budget.Config{Ratio: budget.RatioConfig{MinPerSecond: 100}},
		Breaker: &breaker.Config{Window: breaker.WindowConfig{Calls: 20}, MinimumCalls: 5, Open: breaker.OpenConfig{Wait: 300 * ms}, HalfOpen: breaker.HalfOpenConfig{Probes: 2}},
		Attempt: &timeout.Config{Limit: 100 * ms},
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		client.CloseIdleConnections()
		client.Transport.(*sghttp.Transport).Close()
	})
	return &outageClient{t: t, client: client, url: "http://" + address + "/stock", host: address}
}

func (c *outageClient) pipeline() *pipeline.Pipeline {
	for _, p := range c.client.Transport.(*sghttp.Transport).Pipelines() {
		return p
	}
	c.t.Fatal("no pipeline")
	return nil
}

func (c *outageClient) breaker() *breaker.Breaker { return c.pipeline().Breaker() }

// call makes one call.
func (c *outageClient) call() {
	c.made.Add(1)
	resp, err := c.client.Get(c.url)
	switch {
	case err == nil:
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode == http.StatusOK && err == nil && string(body) == "seven" {
			c.answered.Add(1)
			return
		}
		c.strange.Add(1)
	case errors.Is(err, switchgear.ErrRejected):
		c.refused.Add(1)
		if !strings.Contains(err.Error(), c.host) {
			c.strange.Add(1)
		}
	default:
		c.failed.Add(1)
	}
}

// crowd makes n calls at once, which all return.
func (c *outageClient) crowd(n int) {
	c.t.Helper()
	var all sync.WaitGroup
	for range n {
		all.Go(c.call)
	}
	done := make(chan struct{})
	go func() { all.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		c.t.Fatal("calls do not return")
	}
}

// until calls, a few at a time, until something is so.
func (c *outageClient) until(what string, is func() bool) {
	c.t.Helper()
	for guard := time.Now().Add(30 * time.Second); !is(); {
		if time.Now().After(guard) {
			c.t.Fatalf("never %s; the breaker: %+v", what, c.breaker().Snapshot())
		}
		c.crowd(2)
		time.Sleep(2 * ms)
	}
}

func (c *outageClient) admitted() uint64 {
	n := c.breaker().Counters()
	return n.Successful + n.Failed + n.Ignored + n.Released + n.Late
}

// down looks at an open breaker: it refuses, and lets nothing through. Where its interval
// ends meanwhile, it looks again.
func (c *outageClient) down() {
	c.t.Helper()
	for range 20 {
		c.until("open", func() bool { return c.breaker().State() == breaker.Open })
		before, admitted, refused := c.breaker().Snapshot(), c.admitted(), c.refused.Load()
		attempts := c.pipeline().Retry().Counters().Attempts
		c.crowd(20)
		if after := c.breaker().Snapshot(); after.Period != before.Period {
			continue
		}
		if now := c.admitted(); now != admitted {
			c.t.Errorf("an open breaker admitted %d attempts", now-admitted)
		}
		if n := c.refused.Load() - refused; n != 20 {
			c.t.Errorf("an open breaker refused %d of 20 calls", n)
		}
		if n := c.pipeline().Retry().Counters().Attempts - attempts; n != 20 {
			c.t.Errorf("20 refused calls were tried %d times", n)
		}
		return
	}
	c.t.Error("the breaker was never open for long enough")
}

func (c *outageClient) closed() bool { return c.breaker().State() == breaker.Closed }

func TestComposedOutage(t *testing.T) {
	server := startOutageServer(t, "127.0.0.1:0")
	address := server.address
	c := newOutageClient(t, address)

	c.call()
	c.crowd(9)
	if n := server.seen(t); c.answered.Load() != 10 || n != 10 {
		t.Fatalf("%d of 10 calls were answered, and %d were seen", c.answered.Load(), n)
	}

	retried := c.pipeline().Retry().Counters().Retries
	server.signal(t, syscall.SIGSTOP)
	c.crowd(16)
	c.down()
	if n := c.pipeline().Retry().Counters().Retries; n == retried {
		t.Error("no call was made again when the server had stopped")
	}
	trips := c.breaker().Counters().Trips
	if trips == 0 {
		t.Error("the breaker did not trip when the server had stopped")
	}

	server.signal(t, syscall.SIGCONT)
	c.until("closed after the server went on", c.closed)
	answered := c.answered.Load()
	c.until("an answer after the server went on", func() bool { return c.answered.Load() > answered })
	// What was sent to the stopped server may be read now, or never.
	if seen, sent := server.seen(t), c.admitted(); seen > sent {
		t.Errorf("the server saw %d calls of %d that were admitted", seen, sent)
	}

	server.kill()
	c.crowd(16)
	c.down()
	if n := c.breaker().Counters().Trips; n <= trips {
		t.Error("the breaker did not trip when the server had been killed")
	}
	server = startOutageServer(t, address)
	sent := c.admitted()
	if c.breaker().State() == breaker.Open {
		c.crowd(4)
	}
	c.until("closed after the server was started again", c.closed)
	c.crowd(8)
	if seen := server.seen(t); seen == 0 || seen > c.admitted()-sent {
		t.Errorf("the new server saw %d calls of %d that were admitted", seen, c.admitted()-sent)
	}
	c.addUp()
}

// addUp compares what the callers saw with what the policies counted.
func (c *outageClient) addUp() {
	made, again, b := c.made.Load(), c.pipeline().Retry().Counters(), c.breaker().Counters()
	answered, refused, failed := c.answered.Load(), c.refused.Load(), c.failed.Load()
	if n := c.strange.Load(); n != 0 {
		c.t.Errorf("%d calls ended strangely", n)
	}
	if made != again.Calls || made != answered+refused+failed {
		c.t.Errorf("%d calls were made, %d were counted; %d were answered, %d refused, %d failed", made, again.Calls, answered, refused, failed)
	}
	if refused != b.Rejected {
		c.t.Errorf("%d callers were refused, the breaker counted %d", refused, b.Rejected)
	}
	if again.Attempts != again.Calls+again.Retries || again.Attempts != c.admitted()+b.Rejected {
		c.t.Errorf("%d attempts, of %d calls and %d retries; %d were admitted, %d refused", again.Attempts, again.Calls, again.Retries, c.admitted(), b.Rejected)
	}
	if s := c.pipeline().Attempt().Snapshot(); s.Running != 0 {
		c.t.Errorf("%d attempts are still running", s.Running)
	}
	c.t.Logf("%d calls: %d answered, %d refused, %d failed; %d attempts, %d of them retries; %d trips, %d probes", made, answered, refused, failed, again.Attempts, again.Retries, b.Trips, b.Probes)
}
