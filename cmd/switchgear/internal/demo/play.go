package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/switchgear-go/switchgear/cmd/switchgear/internal/flaky"
	"github.com/switchgear-go/switchgear/cmd/switchgear/internal/term"
)

// Bounds of [Config].
const (
	MaxSpeed = 20
	Acts     = 6
)

// Config says what to play.
type Config struct {
	// Speed divides all times, from 1 (real time) to [MaxSpeed].
	Speed int
	// Act is the number of the only act to be played, up to [Acts]; 0 is all.
	Act int
	// Version is copied into the report.
	Version string
	// Screen is what people see. Default: nothing.
	Screen *term.Screen

	// network is where the service listens and how it is reached. Default:
	// a free port on loopback. Tests put virtual time here.
	network network
}

type network struct {
	listen func() (net.Listener, error)
	dial   func(ctx context.Context, network, address string) (net.Conn, error)
}

var loopback = network{
	listen: func() (net.Listener, error) { return net.Listen("tcp", "127.0.0.1:0") },
	dial:   new(net.Dialer).DialContext,
}

// The times of the outage, before they are divided by the speed.
const (
	hang  = 3 * time.Second         // of a request to the failing service
	pause = 1500 * time.Millisecond // between requests, where there is one
)

const (
	calls     = 20 // that a client makes in acts 1, 2 and 3
	threshold = 3  // failures in a row that open the breaker
	sku       = "WIDGET-7"
)

// show is one performance.
type show struct {
	speed   int
	screen  *term.Screen
	service *flaky.Service
	client  *client
	naive   time.Duration // what act 1 measured; 0 if it was not played
}

var acts = [Acts]struct {
	title string
	scene string // what happens
	look  string // what to look at
	play  func(*show, context.Context, *Act) error
}{
	{"A naive client", naiveScene, naiveLook, (*show).playNaive},
	{"The same client behind a breaker", protectedScene, protectedLook, (*show).playProtected},
	{"Malformed requests", malformedScene, malformedLook, (*show).playMalformed},
	{"A full recovery", recoveryScene, recoveryLook, (*show).playRecovery},
	{"Ten callers at the instant of half-open", crowdScene, crowdLook, (*show).playCrowd},
	{"One outage, told by the breaker", episodeScene, episodeLook, (*show).playEpisode},
}

// errStalled: so much time went by unnoticed that the act's script no longer
// fits. Acts return it instead of blaming the breaker.
var errStalled = errors.New("the machine stood still for longer than the act allows")

// plays is how often an act that stalled is tried in all.
const plays = 3

// Play plays the acts and reports. It returns when everything it has started is
// gone, with ctx.Err() soon after ctx ends.
func Play(ctx context.Context, cfg Config) (*Report, error) {
	if cfg.Speed < 1 || cfg.Speed > MaxSpeed {
		return nil, fmt.Errorf("demo: speed %d is not from 1 to %d", cfg.Speed, MaxSpeed)
	}
	if cfg.Act < 0 || cfg.Act > Acts {
		return nil, fmt.Errorf("demo: act %d is not from 1 to %d", cfg.Act, Acts)
	}
	if cfg.Screen == nil {
		cfg.Screen = term.New(io.Discard, term.Mode{})
	}
	if cfg.network.listen == nil {
		cfg.network = loopback
	}

	listener, err := cfg.network.listen()
	if err != nil {
		return nil, err
	}
	s := &show{speed: cfg.Speed, screen: cfg.Screen}
	s.service = flaky.New(s.scaled(hang))
	server := flaky.Serve(listener, s.service)
	defer server.Close()
	transport := &http.Transport{DialContext: cfg.network.dial, MaxIdleConnsPerHost: crowd}
	defer transport.CloseIdleConnections()
	s.client = &client{http: http.Client{Transport: transport}, url: server.URL()}

	s.overture(server.URL())
	report := &Report{Version: cfg.Version, Speed: cfg.Speed}
	for i := range acts {
		if cfg.Act != 0 && cfg.Act != i+1 {
			continue
		}
		act, err := s.perform(ctx, i)
		if err != nil {
			return nil, err
		}
		report.Acts = append(report.Acts, act)
	}
	s.finale(report)
	return report, nil
}

// perform plays one act, again if it stalled.
func (s *show) perform(ctx context.Context, i int) (*Act, error) {
	s.heading(i)
	for try := 1; ; try++ {
		act := &Act{Number: i + 1, Title: acts[i].title}
		err := acts[i].play(s, ctx, act)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err == nil:
			s.results(act)
			return act, nil
		case !errors.Is(err, errStalled) || try == plays:
			return nil, fmt.Errorf("act %d: %w", act.Number, err)
		}
		s.say("(%s; once more)", err)
	}
}

// scaled divides a time of the outage by the speed.
func (s *show) scaled(d time.Duration) time.Duration { return d / time.Duration(s.speed) }

// sleep waits for d, or less if ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
