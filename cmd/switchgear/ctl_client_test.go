package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/sghttp/admin"
)

func TestCtlUsage(t *testing.T) {
	t.Setenv(tokenVariable, "")
	verbs := "list, show, health, events, hold-open, hold-closed, disable, reset\n"
	for _, c := range []struct {
		args string
		code int
		out  string
		err  string
	}{
		{"ctl", exitUsage, "", "switchgear ctl: needs a verb: " + verbs + "See: switchgear help ctl\n"},
		{"ctl --addr x", exitUsage, "", "needs a verb: " + verbs},
		{"ctl lst", exitUsage, "", `switchgear ctl: unknown verb "lst": must be one of ` + verbs},
		{"ctl --json lst", exitUsage, "", `unknown verb "lst"`},
		{"ctl --jsn list", exitUsage, "", "switchgear ctl: unknown flag --jsn\n"},
		{"ctl --help", exitOK, "switchgear ctl: look at the breakers", ""},
		{"ctl list --help", exitOK, "switchgear ctl list: which breakers", ""},
		{"ctl --addr x list --help", exitOK, "switchgear ctl list: which breakers", ""},
		{"help ctl hold-open", exitOK, "switchgear ctl hold-open: refuse every call", ""},
		{"ctl list --state OPENED", exitUsage, "", `invalid value "OPENED" for flag --state: must be states`},
		{"ctl list --every 1ms", exitUsage, "", "for flag --every: must be a time from 100ms to 1h"},
		{"ctl list --every 2h", exitUsage, "", "must be a time from 100ms to 1h"},
		{"ctl show", exitUsage, "", "needs a NAME; switchgear ctl list has them"},
		{"ctl events --last 1001", exitUsage, "", "must be a whole number from 0 to 1000"},
		{"ctl events payments", exitUsage, "", `unexpected argument "payments"`},
		{"ctl list --addr http://", exitUsage, "", "--addr must be a URL such as http://127.0.0.1:8080\n"},
		{"ctl list --addr ftp://a", exitUsage, "", "--addr must be a URL such as"},
		{"ctl list --addr http://a?x=1", exitUsage, "", "--addr must have nothing after the path"},
		{"ctl list --addr http://a#x", exitUsage, "", "--addr must have nothing after the path"},
	} {
		t.Run(c.args, func(t *testing.T) {
			invoke(t.Context(), strings.Fields(c.args)...).wants(t, c.code, c.out, c.err)
		})
	}
}

func TestCtlAddr(t *testing.T) {
	for given, want := range map[string]string{
		"http://a:1":              "http://a:1",
		"a:1":                     "http://a:1",
		"localhost":               "http://localhost",
		"https://a/admin/":        "https://a/admin",
		"http://[::1]:8080/x%2Fy": "http://[::1]:8080/x%2Fy",
	} {
		if got, err := adminURL(given); got != want || err != nil {
			t.Errorf("%s: %q, %v, want %q", given, got, err, want)
		}
	}
}

func TestCtlHandlerBelowAPath(t *testing.T) {
	s := newStation(t, admin.Config{})
	s.breaker("a/b")
	s.answers(func(w http.ResponseWriter, r *http.Request) {
		http.StripPrefix("/ops/breakers", s.admin.Load()).ServeHTTP(w, r)
	})
	s.ctl("show", "a/b", "--addr", s.server.URL+"/ops/breakers/").wants(t, exitOK, "a/b\n  state        CLOSED", "")
	s.ctl("list").wants(t, exitFailed, "", "it answers 404, not found, and not as an admin handler does\nIs the handler there, or below some path?")
	s.ctl("list", "--addr", s.server.URL+"/ops/breakers/x").wants(t, exitFailed, "", ": no such path\nIs the handler mounted below some path? Then --addr needs that path\n")
}

func TestCtlTokens(t *testing.T) {
	s := newStation(t, admin.Config{Token: ctlReadToken, WriteToken: ctlWriteToken, AllowWrites: true})
	b := s.breaker("a")
	file := filepath.Join(t.TempDir(), "token")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	reset := []string{"reset", "a", "--reason", "x"}

	s.ctl("list").wants(t, exitFailed, "", ": the token is missing or wrong\nIt takes the program's token, in SWITCHGEAR_TOKEN or the file of --token-file; none was sent\n")
	t.Setenv(tokenVariable, "wrong-0123456789abcdef")
	s.ctl("list").wants(t, exitFailed, "", "; the one from SWITCHGEAR_TOKEN was sent\n")
	t.Setenv(tokenVariable, ctlReadToken)
	s.ctl("list").wants(t, exitOK, "1 breaker: 1 CLOSED", "")
	s.ctl(reset...).wants(t, exitFailed, "", ": this token may not write\nTo move breakers takes the program's write token, in SWITCHGEAR_TOKEN or the file of --token-file; the one from SWITCHGEAR_TOKEN was sent\n")
	write(" " + ctlWriteToken + "\r\n")
	s.ctl(append(reset, "--token-file", file)...).wants(t, exitOK, "1 breaker moved", "")
	write(ctlReadToken)
	s.ctl(append(reset, "--token-file", file)...).wants(t, exitFailed, "", "the one from "+file+" was sent\n")
	t.Setenv(tokenVariable, ctlWriteToken)
	s.ctl(reset...).wants(t, exitOK, "1 breaker moved", "")

	for text, want := range map[string]string{
		"":                        "must hold one token and nothing else",
		" \n":                     "must hold one token and nothing else",
		strings.Repeat("s", 5000): "must hold one token and nothing else",
		"secret one\nsecret two":  "must be printable ASCII without spaces",
		"secret\x1b":              "must be printable ASCII without spaces",
		"secretñ":                 "must be printable ASCII without spaces",
	} {
		write(text)
		s.ctl("list", "--token-file", file).wants(t, exitUsage, "", file)
		s.ctl("list", "--token-file", file).wants(t, exitUsage, "", want)
	}
	s.ctl("list", "--token-file", file+"x").wants(t, exitUsage, "", "--token-file: open "+file+"x: ")

	s.restart(admin.Config{})
	s.ctl(reset...).wants(t, exitFailed, "", ": writing is off\nOnly the program can allow it: AllowWrites in its admin.Config\n")
	if b.State() != breaker.Closed {
		t.Error("it was moved")
	}
}

// Whatever goes wrong, what is printed does not have the token, and no other server
// gets it.
func TestCtlKeepsTheToken(t *testing.T) {
	s := newStation(t, admin.Config{})
	const secret = "sesame-0123456789abcdef"
	t.Setenv(tokenVariable, secret)
	said := func(o outcome) {
		t.Helper()
		if strings.Contains(o.out+o.err, secret) || strings.Contains(o.out+o.err, "hunter2") {
			t.Errorf("the token is printed: %q %q", o.out, o.err)
		}
	}
	stranger, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close()
	go func() {
		for {
			conn, err := stranger.Accept()
			if err != nil {
				return
			}
			t.Error("somebody else was asked")
			conn.Close()
		}
	}()
	s.answers(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+secret {
			t.Errorf("Authorization is %q", r.Header.Get("Authorization"))
		}
		w.Header().Set("Location", "http://"+stranger.Addr().String()+"/\u009b31m")
		w.WriteHeader(http.StatusTemporaryRedirect)
	})
	for _, args := range [][]string{{"list"}, {"reset", "a", "--reason", "x"}, {"events", "--watch"}} {
		got := s.ctl(args...)
		got.wants(t, exitFailed, "", ": it redirects to http://"+stranger.Addr().String())
		isHarmless(t, got.err)
		said(got)
	}
	for _, addr := range []string{"http://me:hunter2@127.0.0.1", "http://a?token=" + secret, "http://" + secret + ":x:y", "x://" + secret} {
		got := s.ctl("list", "--addr", addr)
		got.wants(t, exitUsage, "", "--addr must ")
		said(got)
	}
	t.Setenv(tokenVariable, secret+" \x7f")
	got := s.ctl("list")
	got.wants(t, exitUsage, "", "the token from SWITCHGEAR_TOKEN must be printable ASCII without spaces")
	said(got)
}

func TestCtlErrorsSayWhatToDo(t *testing.T) {
	s := newStation(t, admin.Config{AllowWrites: true})
	s.breaker("a")
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := "http://" + free.Addr().String()
	free.Close()
	s.ctl("list", "--addr", nobody).wants(t, exitFailed, "", "switchgear ctl list: cannot reach "+nobody+": dial tcp ")
	s.ctl("list", "--addr", nobody).wants(t, exitFailed, "", "\nIs the program running, and does it serve its admin handler there? --addr names another place\n")
	s.ctl("list", "--addr", strings.Replace(s.server.URL, "http:", "https:", 1)).wants(t, exitFailed, "", "server gave HTTP response to HTTPS client")

	for _, c := range []struct {
		name   string
		answer http.HandlerFunc
		want   string
	}{
		{"another Host", func(w http.ResponseWriter, r *http.Request) {
			r.Host = "evil.example"
			s.admin.Load().ServeHTTP(w, r)
		}, ": not addressed to this handler\nUse localhost, an IP address, or a name that the program has in its Hosts\n"},
		{"a page", answersStatus(http.StatusOK, "<html>"), "gives an answer that is not understood"},
		{"other JSON", answersStatus(http.StatusOK, `[1]`), "gives an answer that is not understood"},
		{"another type", answersStatus(http.StatusOK, `{"breakers": [{"state": "BENT"}]}`), "is not understood"},
		{"a proxy", answersStatus(http.StatusForbidden, "<html>"), ": forbidden\nTo move breakers takes the program's write token"},
		{"a failure", answersStatus(http.StatusInternalServerError, `{"error": "the move failed"}`), ": the move failed\n"},
		{"a status of its own", answersStatus(599, ""), "it answers 599, status 599, and not as an admin handler does\n"},
		{"a hostile error", answersStatus(http.StatusBadRequest, `{"error": "\u001b[31m\u202e\u009b"}`), `: \x1b[31m\u202e\u009b` + "\n"},
		{"too much", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.CopyN(w, endlessly{}, ctlMost+1)
		}, "more than 16 MiB came"},
		{"cut off", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, "{")
		}, "unexpected EOF\nIs the program running"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.answers(c.answer)
			s.ctl("list").wants(t, exitFailed, "", c.want)
			isHarmless(t, s.ctl("list").err)
		})
	}
}

type endlessly struct{}

func (endlessly) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestCtlStoppedWhileItWaits(t *testing.T) {
	s := newStation(t, admin.Config{})
	asked := make(chan struct{})
	s.answers(func(_ http.ResponseWriter, r *http.Request) {
		close(asked)
		<-r.Context().Done()
	})
	w := s.watch("list")
	<-asked
	w.stop("ctl list")
}

func TestNearest(t *testing.T) {
	names := []string{"inventory", "payments", "payments/eu", "search", "shipping", "users"}
	for wanted, want := range map[string]string{
		"paymnts": "payments", "PAYMENTS": "payments", "eu": "payments/eu", "pay?*": "payments", "serach": "search", "*": "inventory",
	} {
		if got := nearest(wanted, names); got[0] != want || len(got) != suggested {
			t.Errorf("%s: %q, want %s first", wanted, got, want)
		}
	}
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"", "ab", 2}, {"kitten", "sitting", 3}, {"abc", "abc", 0}, {strings.Repeat("a", 500), strings.Repeat("b", 500), 64}} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
