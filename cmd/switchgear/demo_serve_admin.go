package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/cmd/switchgear/internal/flaky"
	"github.com/switchgear-go/switchgear/cmd/switchgear/internal/term"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/explain"
	"github.com/switchgear-go/switchgear/registry"
	"github.com/switchgear-go/switchgear/sghttp"
	"github.com/switchgear-go/switchgear/sghttp/admin"
	"github.com/switchgear-go/switchgear/sgprom"
)

// liveConfig is what a live system needs to know.
type liveConfig struct {
	rate      int    // calls a second to each service
	tokenFile string // or "": a token is made up
}

// The services of the live system. The first is at /, where it is without --admin; each
// of the others is below its name.
var liveServices = []string{"inventory", "payments", "shipping"}

// A liveSystem is a program under load: services that can fail, a client that calls
// them through breakers, and what an operator needs.
type liveSystem struct {
	breakers *registry.Registry
	flaps    *explain.FlapDetector
	admin    *admin.Handler
	client   *sghttp.Transport
	idle     func() // closes connections
	mux      *http.ServeMux

	token  string
	screen *term.Screen

	mu     sync.Mutex
	silent bool // nothing more is to be printed
}

// serveLive is "demo serve --admin".
func serveLive(ctx context.Context, std streams, listener net.Listener, cfg liveConfig) error {
	s, err := newLiveSystem(std, cfg)
	if err != nil {
		listener.Close()
		return err
	}
	defer s.close()
	server := flaky.Serve(listener, http.HandlerFunc(s.serve))
	defer server.Close()
	s.printf("%s", s.welcome(server.URL(), cfg))
	stop := s.breakers.Listen(event.Func(s.tell))
	defer stop()

	ctx, cancel := context.WithCancel(ctx)
	load := newLoad(server.URL(), s.client, cfg.rate)
	endLoad := load.start(ctx)
	defer endLoad()
	defer cancel()
	clear := s.screen.Watch(func() string { return s.line(load) })
	defer clear()
	select {
	case <-server.Ended():
		return server.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

func newLiveSystem(std streams, cfg liveConfig) (*liveSystem, error) {
	s := &liveSystem{mux: http.NewServeMux(), screen: term.New(std.out, term.Detect(std.out, os.Getenv))}
	token, err := liveToken(cfg.tokenFile)
	if err != nil {
		return nil, err
	}
	s.token = token
	if s.breakers, err = registry.New(registry.Config{}); err != nil {
		return nil, err
	}
	if s.flaps, err = explain.NewFlapDetector(explain.FlapConfig{}, explain.WithListener(s.breakers.Listener())); err != nil {
		return nil, err
	}
	ledger, err := explain.NewLedger(explain.LedgerConfig{FailedCall: liveAttempt})
	if err != nil {
		return nil, err
	}
	inner := http.DefaultTransport.(*http.Transport).Clone()
	s.idle = inner.CloseIdleConnections
	s.client, err = sghttp.NewTransport(inner, liveClient(),
		sghttp.WithKey(func(r *http.Request) (sghttp.Key, bool) { return sghttp.Key{Host: sghttp.Route(r.Context())}, true }),
		sghttp.WithListener(s.breakers.Listener()), sghttp.WithListener(ledger), sghttp.WithListener(s.flaps))
	if err != nil {
		return nil, err
	}
	if err := s.breakers.Attach("", s.client); err != nil {
		return nil, err
	}
	s.admin, err = admin.New(s.breakers, admin.Config{AllowWrites: true, WriteToken: token},
		admin.WithLedger(ledger), admin.WithFlapDetector(s.flaps))
	if err != nil {
		return nil, err
	}
	collector, err := sgprom.New(s.breakers, sgprom.Config{})
	if err != nil {
		return nil, err
	}
	metrics := prometheus.NewRegistry()
	if err := metrics.Register(collector); err != nil {
		return nil, err
	}
	s.mux.Handle("GET /metrics", promhttp.HandlerFor(metrics, promhttp.HandlerOpts{}))
	for _, path := range []string{"/breakers", "/breakers/", "/events", "/events/", "/health"} {
		s.mux.Handle(path, s.admin)
	}
	s.mux.Handle("/", flaky.New(serveHang))
	for _, name := range liveServices[1:] {
		s.mux.Handle("/"+name+"/", http.StripPrefix("/"+name, flaky.New(serveHang)))
	}
	return s, nil
}

// liveToken is the write token: what the file holds, or a new one.
func liveToken(path string) (string, error) {
	if path == "" {
		return rand.Text(), nil
	}
	var c ctlClient // it knows how a token is to be had
	if err := c.findToken(path); err != nil {
		return "", err
	}
	return c.token, nil
}

// serve answers one request, and tells of those that change something. The load and
// those who only look would drown what matters.
func (s *liveSystem) serve(w http.ResponseWriter, r *http.Request) {
	seen := &statusWriter{ResponseWriter: w}
	s.mux.ServeHTTP(seen, r)
	if r.Method == http.MethodPost {
		s.printf("%s  %d, %s %q\n", time.Now().Format(time.DateTime), cmp.Or(seen.status, http.StatusOK), r.Method, r.URL.Path)
	}
}

// tell prints an event.
func (s *liveSystem) tell(e event.Event) {
	text := plain(fmt.Sprintf("%s: %s %s", e.Name, e.Kind, e.Reason))
	if record, ok := explain.Of(e); ok {
		text = record.String()
	}
	s.printf("%s  %s\n", e.Time.Format(time.DateTime), s.screen.Paint(styleOf(e.To), text))
}

func (s *liveSystem) printf(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.silent {
		s.screen.Printf(format, args...)
	}
}

// line is the live line on a terminal.
func (s *liveSystem) line(load *load) string {
	var others []string
	for e := range s.breakers.Entries() {
		if state := e.Breaker.State(); state != breaker.Closed {
			others = append(others, e.Name+" "+state.String())
		}
	}
	return fmt.Sprintf("%d calls, %d failed, %d refused; %s", load.calls.Load(), load.failed.Load(), load.refused.Load(),
		cmp.Or(strings.Join(others, ", "), "all CLOSED"))
}

func (s *liveSystem) close() {
	s.mu.Lock()
	s.silent = true // an event may be on its way still
	s.mu.Unlock()
	s.admin.Close()
	s.flaps.Close()
	s.client.Close()
	s.breakers.Close()
	s.idle()
}

// welcome says what there is and what to try.
func (s *liveSystem) welcome(url string, cfg liveConfig) string {
	at, header := "", `"Authorization: Bearer $`+tokenVariable+`"`
	if url != defaultAdmin {
		at = " --addr " + url
	}
	token := "moving a breaker takes this token:\n\n  export " + tokenVariable + "=" + s.token
	write := at
	if cfg.tokenFile != "" {
		token = "moving a breaker takes the token in " + cfg.tokenFile + "."
		quoted := "'" + strings.ReplaceAll(cfg.tokenFile, "'", `'\''`) + "'"
		if !strings.ContainsFunc(cfg.tokenFile, func(r rune) bool { return r <= ' ' || strings.ContainsRune("'\"$`\\*?!&|;<>()[]{}~#", r) }) {
			quoted = cfg.tokenFile
		}
		write += " --token-file " + quoted
		header = `"Authorization: Bearer $(cat ` + quoted + `)"`
	}
	return fmt.Sprintf(`A live system on %[1]s, until Ctrl-C. It makes %[2]d calls a second to
each of %[3]s, through a breaker each.

  %[1]s/breakers?format=text   the breakers
  %[1]s/metrics                the same for Prometheus

Whoever reaches it may look and cause outages; %[4]s

1. Let inventory fail, and later recover:

  curl -X POST %[1]s/admin/set-healthy/false
  curl -X POST %[1]s/admin/set-healthy/true

2. Which breaker is open, why, since when, and when will it probe?

  switchgear ctl list%[5]s
  curl '%[1]s/breakers?format=text'

3. Hold it closed for ten minutes, and end that:

  switchgear ctl hold-closed inventory --for 10m --reason "failing over by hand"%[6]s
  switchgear ctl reset inventory --reason "failover is done"%[6]s
  curl -H %[7]s -H 'Content-Type: application/json' \
    -d '{"to": "hold-closed", "for": "10m", "reason": "failing over by hand", "author": "me"}' \
    '%[1]s/breakers/inventory/move?format=text'

What happens:

`, url, cfg.rate, strings.Join(liveServices[:len(liveServices)-1], ", ")+" and "+liveServices[len(liveServices)-1], token, at, write, header)
}

var errNeedsAdmin = errors.New("--rate and --token-file are for --admin")
