package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A live is a live system that runs.
type live struct {
	*watched
	url string
}

func startLive(t *testing.T, args ...string) *live {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	l := &live{watched: &watched{t, newScreen(), newScreen(), cancel, make(chan int, 1)}}
	args = append([]string{"demo", "serve", "--admin", "--addr", "127.0.0.1:0", "--rate", "50"}, args...)
	go func() { l.code <- run(ctx, args, streams{l.out, l.errs}) }()
	l.url = l.out.await(t, `system on (http://127\.0\.0\.1:\d+),`)[1]
	l.out.await(t, `What happens:\n`)
	return l
}

func (l *live) ask(method, path string) string {
	l.t.Helper()
	req, err := http.NewRequestWithContext(l.t.Context(), method, l.url+path, nil)
	if err != nil {
		l.t.Fatal(err)
	}
	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		l.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		l.t.Fatal(err)
	}
	return resp.Status + " " + string(body)
}

// words splits a line as a shell does, as far as the lines here need it.
func words(line string) (found []string) {
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 1 {
			found = append(found, part)
		} else {
			found = append(found, strings.Fields(part)...)
		}
	}
	return found
}

// What the program says to try is tried, as somebody would who reads it.
func TestLiveSystemIsWhatItSays(t *testing.T) {
	t.Setenv(tokenVariable, "")
	l := startLive(t)
	said := map[string]outcome{}
	l.out.mu.Lock()
	text := l.out.text.String()
	l.out.mu.Unlock()
	ctl := func() {
		for line := range strings.Lines(text) {
			if args, ok := strings.CutPrefix(line, "  switchgear "); ok {
				words := words(args)
				said[words[1]] = invoke(t.Context(), words...)
			}
		}
	}
	w := invokeWatch(t, "ctl", "events", "--watch", "--addr", l.url)
	for !strings.Contains(l.ask("GET", "/breakers?format=text"), "3 of 3 breakers") {
	}
	ctl()
	said["list"].wants(t, exitOK, "3 breakers: 3 CLOSED\n", "")
	said["hold-closed"].wants(t, exitFailed, "", "none was sent\n")

	if got := l.ask("POST", "/admin/set-healthy/false"); !strings.HasPrefix(got, "200 ") {
		t.Errorf("got %s", got)
	}
	l.out.await(t, `  200, POST "/admin/set-healthy/false"\n`)
	l.out.await(t, `inventory: CLOSED → OPEN after .* calls failed .*, mostly timeout "inventory": not done within 500ms.*; next probe in `)
	w.out.await(t, `inventory: CLOSED → OPEN`)
	t.Setenv(tokenVariable, l.out.await(t, `export SWITCHGEAR_TOKEN=(\S+)\n`)[1])
	invoke(t.Context(), "ctl", "list", "--addr", l.url).wants(t, exitOK, "3 breakers: 1 OPEN, 2 CLOSED\n", "")
	ctl()
	said["hold-closed"].wants(t, exitOK, "METRICS_ONLY  inventory ", "")
	said["hold-closed"].wants(t, exitOK, "1 breaker moved; switchgear ctl reset ends it earlier\n", "")
	said["reset"].wants(t, exitOK, "1 breaker moved\n", "")
	l.out.await(t, `inventory: METRICS_ONLY → CLOSED by `)
	invoke(t.Context(), "ctl", "show", "inventory", "--addr", l.url).wants(t, exitOK, "  until now    open for ", "")

	metrics := l.ask("GET", "/metrics")
	for _, name := range liveServices {
		if !strings.Contains(metrics, `switchgear_breaker_calls_total{kind="successful",name="`+name+`"}`) {
			t.Errorf("no %s among the metrics", name)
		}
		if got := l.ask("POST", map[bool]string{true: "", false: "/" + name}[name == liveServices[0]]+"/admin/set-healthy/true"); !strings.HasPrefix(got, "200 ") {
			t.Errorf("%s: %s", name, got)
		}
	}
	l.stop("demo serve")
	if conn, err := net.Dial("tcp", strings.TrimPrefix(l.url, "http://")); err == nil {
		conn.Close()
		t.Error("the port is still open")
	}
	w.errs.await(t, `The next attempt is in 3s\n`)
	w.stop("ctl events")
}

// invokeWatch is invoke for what goes on.
func invokeWatch(t *testing.T, args ...string) *watched {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	w := &watched{t, newScreen(), newScreen(), cancel, make(chan int, 1)}
	go func() { w.code <- run(ctx, args, streams{w.out, w.errs}) }()
	return w
}

func TestLiveSystemWithATokenOfOnesOwn(t *testing.T) {
	t.Setenv(tokenVariable, "")
	file := filepath.Join(t.TempDir(), "it's a token")
	if err := os.WriteFile(file, []byte(ctlWriteToken+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	l := startLive(t, "--token-file", file)
	l.out.mu.Lock()
	text := l.out.text.String()
	l.out.mu.Unlock()
	quoted := strings.ReplaceAll(file, "'", `'\''`)
	if strings.Contains(text, ctlWriteToken) || !strings.Contains(text, "--token-file '"+quoted+"'\n") {
		t.Errorf("it says\n%s", text)
	}
	for !strings.Contains(l.ask("GET", "/breakers?format=text"), "3 of 3 breakers") {
	}
	invoke(t.Context(), "ctl", "reset", "*", "--reason", "x", "--addr", l.url, "--token-file", file).wants(t, exitOK, "3 breakers moved\n", "")
	l.stop("demo serve")
}

func TestLiveSystemUsage(t *testing.T) {
	short := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(short, []byte("sesame"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"--rate 5", exitUsage, "--rate and --token-file are for --admin"},
		{"--token-file x", exitUsage, "--rate and --token-file are for --admin"},
		{"--admin --rate 0", exitUsage, "for flag --rate: must be a whole number from 1 to 1000"},
		{"--admin --token-file " + short + "x", exitFailed, "--token-file: open "},
		{"--admin --token-file " + short, exitFailed, "must have from 16 to 512"},
	} {
		got := invoke(t.Context(), strings.Fields("demo serve --addr 127.0.0.1:0 "+c.args)...)
		got.wants(t, c.code, "", c.want)
		if strings.Contains(got.err, "sesame") {
			t.Errorf("the token is printed: %s", got.err)
		}
	}
}
