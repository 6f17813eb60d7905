package demo

import (
	"bytes"
	"context"
	"errors"
	"net"
	"regexp"
	"runtime"
	"testing"
	"time"
)

// Whenever it comes, a cancelled context ends the performance in the same instant
// of virtual time, and leaves no goroutine behind: see inVirtualTime.
func TestStopsAtOnce(t *testing.T) {
	step := 700 * time.Millisecond
	if testing.Short() {
		step *= 5
	}
	for after := time.Duration(0); after < 140*time.Second; after += step {
		inVirtualTime(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			time.AfterFunc(after, cancel)
			begin := time.Now()
			_, err := Play(ctx, Config{Speed: 1, network: newPipes().network()})
			if took := time.Since(begin); took != after || !errors.Is(err, context.Canceled) {
				t.Errorf("cancelled after %v, it returned after %v with %v", after, took, err)
			}
		})
	}
}

func TestDeadNetworkIsAnError(t *testing.T) {
	broken := errors.New("broken")
	inVirtualTime(t, func(t *testing.T) {
		deaf := newPipes().network()
		deaf.dial = func(context.Context, string, string) (net.Conn, error) { return nil, broken }
		if _, err := Play(t.Context(), Config{Speed: 1, network: deaf}); !errors.Is(err, broken) {
			t.Errorf("err = %v, want %v", err, broken)
		}
		absent := network{listen: func() (net.Listener, error) { return nil, broken }}
		if _, err := Play(t.Context(), Config{Speed: 1, network: absent}); !errors.Is(err, broken) {
			t.Errorf("err = %v, want %v", err, broken)
		}
	})
}

// Over the real network and in real time, only counts are judged, and that no
// wait was cut short.
func TestOverLoopback(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	var out bytes.Buffer
	selected := []int{0}
	if testing.Short() {
		selected = []int{2, 3, 5} // act 1 is long, and nothing can go wrong in it
	}
	for _, act := range selected {
		report, err := Play(t.Context(), Config{Speed: MaxSpeed, Act: act, Screen: plainScreen(&out)})
		if err != nil {
			t.Fatal(err)
		}
		complain(t, report, Note)
		if !report.Pass() {
			t.Errorf("the report does not pass:\n%s", &out)
		}
	}

	address := regexp.MustCompile(`http://(127\.0\.0\.1:\d+)`).FindStringSubmatch(out.String())
	if address == nil {
		t.Fatalf("the screen does not tell the address:\n%s", &out)
	}
	if conn, err := net.Dial("tcp", address[1]); err == nil {
		conn.Close()
		t.Errorf("%s is still served", address[1])
	}
	backTo(t, goroutines)
}

// backTo waits until no more than n goroutines are left. Connections that have
// been closed take a moment to let theirs go.
func backTo(t *testing.T, n int) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	deadline := time.After(10 * time.Second)
	for runtime.NumGoroutine() > n {
		select {
		case <-tick.C:
		case <-deadline:
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, there were %d:\n%s", runtime.NumGoroutine(), n, stacks[:runtime.Stack(stacks, true)])
		}
	}
}

// The real network, stopped in the middle of a hanging request.
func TestStopsOverLoopback(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := Play(ctx, Config{Speed: 1}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("err = %v, want %v", err, context.DeadlineExceeded)
	}
	backTo(t, goroutines)
}
