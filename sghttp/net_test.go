package sghttp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/http/httputil"
	"net/textproto"
	"net/url"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
)

// These tests put the transport in front of net/http's own and real servers, over
// both versions of HTTP: what works without us works with us, and real errors get
// the outcome that the rules give them.

// hangs makes a handler that reports each request and answers none.
func hangs(begun chan<- struct{}) http.HandlerFunc {
	return func(_ http.ResponseWriter, req *http.Request) {
		begun <- struct{}{}
		<-req.Context().Done()
	}
}

// cutOff announces more than it sends, and breaks off.
func cutOff(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "1000")
	io.WriteString(w, "some of it")
	http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

func TestNetPlain(t *testing.T) {
	handler := func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		fmt.Fprintf(w, "%d: %s %s %s", req.ProtoMajor, req.Method, req.URL.Path, body)
	}
	overHTTP(t, handler, func(t *testing.T, url string, inner *http.Transport) {
		r := newRig(t, inner, Config{JudgeBody: true})
		client := &http.Client{Transport: r}
		for range 3 {
			resp := must(client.Post(url+"/items", "text/plain", strings.NewReader("seven")))
			text := string(must(io.ReadAll(resp.Body)))
			equal(t, "answer", text, fmt.Sprintf("%d: POST /items seven", resp.ProtoMajor))
			equal(t, "Close", resp.Body.Close(), nil)
		}
		counted(t, r.only(), 3, 0, 0)
	})
}

// K21: a caller who cancels is no failure of the dependency.
func TestNetK21CancelledByTheCaller(t *testing.T) {
	begun := make(chan struct{})
	overHTTP(t, hangs(begun), func(t *testing.T, url string, inner *http.Transport) {
		r := newRig(t, inner, Config{Breaker: plain()})
		client := &http.Client{Transport: r}
		errGone := errors.New("the user has left")
		for i := range 20 {
			ctx, cancel := context.WithCancelCause(context.Background())
			go func() {
				<-begun
				if i%2 == 0 {
					cancel(nil)
				} else {
					cancel(errGone) // C1.3: HTTP/1.1 returns the cause
				}
			}()
			_, err := client.Do(request(ctx, url))
			if !errors.Is(err, context.Canceled) && !errors.Is(err, errGone) {
				t.Errorf("got %v, want an error that says cancelled, or why", err)
			}
		}
		equal(t, "state", r.only().State(), breaker.Closed)
		counted(t, r.only(), 0, 0, 20)
	})
}

func TestNetDeadlines(t *testing.T) {
	begun := make(chan struct{}, 100)
	overHTTP(t, hangs(begun), func(t *testing.T, url string, inner *http.Transport) {
		expire := func() context.Context {
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
			t.Cleanup(cancel)
			return ctx
		}
		t.Run("C1.4: the caller's deadline is a failure", func(t *testing.T) {
			r := newRig(t, inner, Config{})
			_, err := (&http.Client{Transport: r}).Do(request(expire(), url))
			matches(t, "Do", err, context.DeadlineExceeded)
			counted(t, r.only(), 0, 1, 0)
		})
		t.Run("C1.4: so is the client's timeout", func(t *testing.T) {
			r := newRig(t, inner, Config{})
			client := &http.Client{Transport: r, Timeout: 20 * time.Millisecond}
			_, err := client.Get(url)
			if timeout, ok := errors.AsType[interface {
				error
				Timeout() bool
			}](err); !ok || !timeout.Timeout() {
				t.Errorf("got %v, want a timeout", err)
			}
			counted(t, r.only(), 0, 1, 0)
		})
		t.Run("C1.4: unless there was too little time from the start", func(t *testing.T) {
			cfg := Config{Breaker: breaker.Config{EnoughTime: time.Hour}}
			r := newTransport(t, inner, cfg) // in real time
			_, err := (&http.Client{Transport: r}).Do(request(expire(), url))
			matches(t, "Do", err, context.DeadlineExceeded)
			for _, b := range r.Breakers() {
				counted(t, b, 0, 0, 1)
			}
		})
	})
}

// K22: a timeout of the inner transport, while the caller's context is alive, is
// the dependency's.
func TestNetK22DependencyTimeout(t *testing.T) {
	begun := make(chan struct{}, 100)
	overHTTP(t, hangs(begun), func(t *testing.T, url string, inner *http.Transport) {
		inner.ResponseHeaderTimeout = 10 * time.Millisecond
		r := newRig(t, inner, Config{Breaker: plain()})
		for range 5 {
			if _, err := r.get(url); err == nil || errors.Is(err, breaker.ErrRejected) {
				t.Errorf("got %v, want a timeout", err)
			}
		}
		counted(t, r.only(), 0, 5, 0)
		equal(t, "state", r.only().State(), breaker.Open)
		_, err := r.get(url)
		matches(t, "the next call", err, breaker.ErrRejected)
	})
}

func TestNetNobodyListens(t *testing.T) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	r := newRig(t, &http.Transport{
		DialContext: func(context.Context, string, string) (net.Conn, error) { return nil, refused },
	}, Config{Breaker: plain()})
	for range 5 {
		_, err := r.get("http://api.example/")
		matches(t, "get", err, syscall.ECONNREFUSED)
	}
	_, err := r.get("http://api.example/")
	matches(t, "get", err, breaker.ErrRejected)
	equal(t, "kind of error", r.only().Snapshot().LastTrip.Errors[0].Kind, "syscall.Errno")
}

// A body that is cut off in the middle is a failure with JudgeBody, and else the
// success that its headers promised.
func TestNetBodyCutOff(t *testing.T) {
	overHTTP(t, cutOff, func(t *testing.T, url string, inner *http.Transport) {
		for _, judge := range []bool{false, true} {
			r := newRig(t, inner, Config{JudgeBody: judge})
			resp := must(r.RoundTrip(request(context.Background(), url)))
			text, err := io.ReadAll(resp.Body)
			equal(t, "text", string(text), "some of it")
			if err == nil {
				t.Error("reading: no error")
			}
			resp.Body.Close()
			if judge {
				counted(t, r.only(), 0, 1, 0)
			} else {
				counted(t, r.only(), 1, 0, 0)
			}
		}
	})
}

// What the end of the caller's context does to a body that is being read.
func TestNetBodyAndContext(t *testing.T) {
	handler := func(w http.ResponseWriter, req *http.Request) {
		io.WriteString(w, "some")
		http.NewResponseController(w).Flush()
		<-req.Context().Done()
	}
	first := func(t *testing.T, body io.Reader) {
		t.Helper()
		_, err := io.ReadFull(body, make([]byte, 4))
		equal(t, "the first bytes", err, nil)
	}
	rest := func(t *testing.T, body io.ReadCloser) {
		t.Helper()
		if _, err := io.ReadAll(body); err == nil {
			t.Error("reading on: no error")
		}
		body.Close()
	}
	overHTTP(t, handler, func(t *testing.T, url string, inner *http.Transport) {
		t.Run("C1.3: cancelled, with and without a cause", func(t *testing.T) {
			r := newRig(t, inner, Config{JudgeBody: true})
			for i, cause := range []error{nil, errors.New("the user has left")} {
				ctx, cancel := context.WithCancelCause(context.Background())
				resp := must(r.RoundTrip(request(ctx, url)))
				first(t, resp.Body)
				cancel(cause)
				rest(t, resp.Body)
				counted(t, r.only(), 0, 0, uint64(i+1))
			}
		})
		t.Run("C1.4: the client's timeout", func(t *testing.T) {
			r := newRig(t, inner, Config{JudgeBody: true})
			client := &http.Client{Transport: r, Timeout: 50 * time.Millisecond}
			if resp, err := client.Get(url); err == nil { // else the machine is slow, which must not matter
				rest(t, resp.Body)
			}
			counted(t, r.only(), 0, 1, 0)
		})
		t.Run("closed early", func(t *testing.T) {
			r := newRig(t, inner, Config{JudgeBody: true})
			client := &http.Client{Transport: r, Timeout: time.Hour}
			resp := must(client.Get(url))
			resp.Body.Close() // the client cancels its context, but only after us
			counted(t, r.only(), 1, 0, 0)
		})
	})
}

// K45: a large body that is read long after its headers arrives whole: nothing
// of ours ends with the call.
func TestNetK45BodyAfterHeaders(t *testing.T) {
	const size = 512 << 10
	proceed := make(chan struct{})
	handler := func(w http.ResponseWriter, _ *http.Request) {
		http.NewResponseController(w).Flush()
		<-proceed
		w.Write(make([]byte, size))
	}
	overHTTP(t, handler, func(t *testing.T, url string, inner *http.Transport) {
		for _, judge := range []bool{false, true} {
			r := newRig(t, inner, Config{JudgeBody: judge})
			resp := must(r.RoundTrip(request(context.Background(), url)))
			proceed <- struct{}{}
			n, err := io.Copy(io.Discard, resp.Body)
			equal(t, "bytes", n, size)
			equal(t, "error", err, nil)
			resp.Body.Close()
			counted(t, r.only(), 1, 0, 0)
		}
	})
}

// K52: downloads through a reverse proxy whose clients leave in the middle.
func TestNetK52ClientLeavesProxy(t *testing.T) {
	const downloads = 20
	stopped := make(chan struct{}, downloads)
	backend := func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(1<<20))
		w.Write(make([]byte, 1<<10))
		http.NewResponseController(w).Flush()
		<-req.Context().Done()
		stopped <- struct{}{}
	}
	overHTTP(t, backend, func(t *testing.T, backendURL string, inner *http.Transport) {
		r := newRig(t, inner, Config{JudgeBody: true, Breaker: plain()})
		target := must(url.Parse(backendURL))
		var complaints strings.Builder
		proxy := &httputil.ReverseProxy{
			FlushInterval: -1, // at once
			Rewrite:       func(p *httputil.ProxyRequest) { p.SetURL(target) },
			Transport:     r,
			ErrorLog:      log.New(&complaints, "", 0),
		}
		left := make(chan struct{}, downloads)
		front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			defer func() { left <- struct{}{} }()
			proxy.ServeHTTP(w, req)
		}))
		defer front.Close()
		client := front.Client()
		for range downloads {
			resp := must(client.Get(front.URL))
			_, err := io.ReadFull(resp.Body, make([]byte, 1<<10))
			equal(t, "the first KiB", err, nil)
			resp.Body.Close()
			<-stopped // the request to the backend was cancelled
			<-left
		}
		equal(t, "state", r.only().State(), breaker.Closed)
		counted(t, r.only(), 0, 0, downloads)
		equal(t, "in progress", r.inProgress(), 0)
	})
}

func TestNetStreaming(t *testing.T) {
	echo := func(w http.ResponseWriter, req *http.Request) {
		control := http.NewResponseController(w)
		control.EnableFullDuplex()
		control.Flush()
		lines := bufio.NewScanner(req.Body)
		for lines.Scan() {
			fmt.Fprintln(w, "echo", lines.Text())
			control.Flush()
		}
	}
	overHTTP(t, echo, func(t *testing.T, url string, inner *http.Transport) {
		for _, judge := range []bool{false, true} {
			r := newRig(t, inner, Config{JudgeBody: judge})
			reader, writer := io.Pipe()
			resp := must(r.RoundTrip(must(http.NewRequest(http.MethodPost, url, reader))))
			answers := bufio.NewReader(resp.Body)
			for _, word := range []string{"one", "two", "three"} {
				fmt.Fprintln(writer, word)
				equal(t, "answer", must(answers.ReadString('\n')), "echo "+word+"\n")
			}
			writer.Close()
			_, err := answers.ReadByte()
			equal(t, "the end", err, io.EOF)
			resp.Body.Close()
			counted(t, r.only(), 1, 0, 0)
		}
	})
}

// A reader that provides the body can say that its own mistake is its own.
func TestNetRequestBodyFails(t *testing.T) {
	handler := func(w http.ResponseWriter, req *http.Request) { io.Copy(io.Discard, req.Body) }
	overHTTP(t, handler, func(t *testing.T, url string, inner *http.Transport) {
		for _, marked := range []bool{false, true} {
			r := newRig(t, inner, Config{})
			reader, writer := io.Pipe()
			if marked {
				writer.CloseWithError(switchgear.MarkIgnored(errCut))
			} else {
				writer.CloseWithError(errCut)
			}
			_, err := r.send(must(http.NewRequest(http.MethodPost, url, reader)))
			matches(t, "send", err, errCut)
			if marked {
				counted(t, r.only(), 0, 0, 1)
			} else {
				counted(t, r.only(), 0, 1, 0)
			}
		}
	})
}

func TestNetInformationalAndTrailers(t *testing.T) {
	handler := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Link", "</style.css>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Set("Trailer", "Sum")
		io.WriteString(w, "hello")
		w.Header().Set("Sum", "5")
	}
	overHTTP(t, handler, func(t *testing.T, url string, inner *http.Transport) {
		r := newRig(t, inner, Config{JudgeBody: true})
		var hints []int
		ctx := httptrace.WithClientTrace(context.Background(), &httptrace.ClientTrace{
			Got1xxResponse: func(code int, _ textproto.MIMEHeader) error {
				hints = append(hints, code)
				return nil
			},
		})
		resp := must(r.RoundTrip(request(ctx, url)))
		equal(t, "1xx", hints, []int{103})
		equal(t, "announced", resp.Trailer, http.Header{"Sum": nil})
		io.ReadAll(resp.Body)
		equal(t, "trailer", resp.Trailer, http.Header{"Sum": {"5"}})
		resp.Body.Close()
		counted(t, r.only(), 1, 0, 0)
	})
}

func TestNetUpgrade(t *testing.T) {
	noLeak(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		defer conn.Close()
		io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		io.Copy(conn, buffered)
	}))
	defer server.Close()
	for _, judge := range []bool{false, true} {
		r := newRig(t, server.Client().Transport, Config{JudgeBody: judge})
		req := request(context.Background(), server.URL)
		req.Header.Set("Connection", "Upgrade")
		req.Header.Set("Upgrade", "echo")
		resp := must(r.RoundTrip(req))
		equal(t, "status", resp.StatusCode, 101)
		counted(t, r.only(), 1, 0, 0)
		equal(t, "in progress", r.inProgress(), 0)

		conn, ok := resp.Body.(io.ReadWriteCloser)
		if !ok {
			t.Fatalf("%T cannot be written to", resp.Body)
		}
		io.WriteString(conn, "ping")
		answer := make([]byte, 4)
		_, err := io.ReadFull(conn, answer)
		equal(t, "error", err, nil)
		equal(t, "echo", string(answer), "ping")
		conn.Close()
	}
}

// Each hop of a redirect is a call of its own host.
func TestNetRedirects(t *testing.T) {
	noLeak(t)
	there := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "here I am")
	}))
	defer there.Close()
	here := httptest.NewServer(http.RedirectHandler(there.URL, http.StatusFound))
	defer here.Close()

	inner := &http.Transport{}
	defer inner.CloseIdleConnections()
	r := newRig(t, inner, Config{})
	resp := must((&http.Client{Transport: r}).Get(here.URL))
	equal(t, "text", string(must(io.ReadAll(resp.Body))), "here I am")
	resp.Body.Close()
	want := []string{strings.TrimPrefix(here.URL, "http://"), strings.TrimPrefix(there.URL, "http://")}
	slices.Sort(want)
	equal(t, "keys", r.keys(), want)
}

func TestNetCloseIdleConnections(t *testing.T) {
	overHTTP(t, func(http.ResponseWriter, *http.Request) {}, func(t *testing.T, url string, inner *http.Transport) {
		r := newRig(t, inner, Config{})
		client := &http.Client{Transport: r}
		reused := func() (is bool) {
			ctx := httptrace.WithClientTrace(context.Background(), &httptrace.ClientTrace{
				GotConn: func(info httptrace.GotConnInfo) { is = info.Reused },
			})
			resp := must(client.Do(request(ctx, url)))
			io.ReadAll(resp.Body)
			resp.Body.Close()
			return is
		}
		reused()
		equal(t, "reused", reused(), true)
		client.CloseIdleConnections()
		equal(t, "reused after CloseIdleConnections", reused(), false)
	})
}
