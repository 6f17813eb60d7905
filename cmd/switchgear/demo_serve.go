package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/switchgear-go/switchgear/cmd/switchgear/internal/flaky"
)

var serveCommand = command{
	name:    "demo serve",
	args:    "[--addr HOST:PORT] [--admin] [--rate N]\n      [--token-file FILE]",
	summary: "run only the service of the demo, to be tried with curl",
	help: `Serves until Ctrl-C, and prints a line for each request.

  GET  /inventory/{sku}                 how many there are, as JSON; 400 if the
                                        SKU is not in upper case
  POST /admin/set-healthy/{true|false}  let it recover or fail. While it is not
                                        healthy, inventory requests hang for
                                        3 seconds and end with 503

With --admin it is a live system for an operator to try: three such services, a
program that calls them steadily through a breaker each, the admin handler for
curl and "switchgear ctl", and metrics for Prometheus. It prints what to try,
and then what the breakers do.

  GET  /breakers?format=text            which are open, why, since when
  POST /breakers/{name}/move            move one: this takes a token
  GET  /events, /events/stream, /health what happened, happens, and how it is
  GET  /metrics                         for Prometheus
  POST /payments/admin/set-healthy/{true|false}
                                        the second service, as above; the third
                                        is shipping

Flags:
  --addr HOST:PORT   where to listen; default 127.0.0.1:8080. Port 0 takes a
                     free one. Who reaches the address can switch the service.
  --admin            the live system
  --rate N           its calls a second to each service, from 1 to 1000;
                     default 20
  --token-file FILE  the token that moves breakers, from 16 to 512 characters;
                     default a new one, which is printed

Exit codes:
  1    the address cannot be used
  2    wrong usage
  130  stopped by Ctrl-C or SIGTERM

Examples:
  switchgear demo serve
  switchgear demo serve --addr 127.0.0.1:0
  switchgear demo serve --admin

  curl -i http://127.0.0.1:8080/inventory/WIDGET-7
  curl -i http://127.0.0.1:8080/inventory/widget-7
  curl -X POST http://127.0.0.1:8080/admin/set-healthy/false
  curl -i http://127.0.0.1:8080/inventory/WIDGET-7
`,
}

func init() { serveCommand.run = runServe }

const serveHang = 3 * time.Second

func runServe(ctx context.Context, args []string, std streams) int {
	var flags flag.FlagSet
	addr := flags.String("addr", "127.0.0.1:8080", "")
	live := flags.Bool("admin", false, "")
	cfg := liveConfig{}
	number(&flags, "rate", &cfg.rate, 1, 1000)
	flags.StringVar(&cfg.tokenFile, "token-file", "", "")
	if code, done := serveCommand.parse(&flags, args, std); done {
		return code
	}
	if _, _, err := net.SplitHostPort(*addr); err != nil {
		return complain(std, serveCommand.name, fmt.Errorf("invalid value %q for flag --addr: must be HOST:PORT, such as 127.0.0.1:8080", *addr))
	}
	if !*live && cfg != (liveConfig{}) {
		return complain(std, serveCommand.name, errNeedsAdmin)
	}
	cfg.rate = cmp.Or(cfg.rate, 20)
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		return failed(ctx, std, serveCommand.name, err)
	}
	if tcp, ok := listener.Addr().(*net.TCPAddr); ok && !tcp.IP.IsLoopback() {
		fmt.Fprintf(std.err, "switchgear demo serve: %v can be reached from other machines\n", tcp)
	}
	if *live {
		return failed(ctx, std, serveCommand.name, serveLive(ctx, std, listener, cfg))
	}
	log := &requestLog{next: flaky.New(serveHang), std: std}
	server := flaky.Serve(listener, log)
	defer server.Close()
	log.printf("A flaky inventory service on %s, until Ctrl-C. Try:\n\n"+
		"  curl -i %[1]s/inventory/WIDGET-7\n"+
		"  curl -X POST %[1]s/admin/set-healthy/false\n\n", server.URL())

	select {
	case <-server.Ended():
		return failed(ctx, std, serveCommand.name, server.Err())
	case <-ctx.Done():
	}
	server.Close() // before the last word: requests that it ends are logged
	return failed(ctx, std, serveCommand.name, ctx.Err())
}

// requestLog prints a line for each request.
type requestLog struct {
	next http.Handler
	mu   sync.Mutex // guards std.out
	std  streams
}

func (l *requestLog) printf(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintf(l.std.out, format, args...)
}

func (l *requestLog) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	begin := time.Now()
	seen := &statusWriter{ResponseWriter: w}
	l.next.ServeHTTP(seen, r)
	status := fmt.Sprint(seen.status)
	if seen.status == 0 { // the client went away first
		status = "---"
	}
	l.printf("%s  %s  %6.3f s  %s %q\n", begin.Format("15:04:05"), status, time.Since(begin).Seconds(), r.Method, r.URL.Path)
}

// statusWriter remembers the status of the answer, 0 while there is none.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets [http.ResponseController] through to what a stream needs.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *statusWriter) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(p)
}
