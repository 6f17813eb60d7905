package sghttp

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/switchgear-go/switchgear/adaptive"
	"github.com/switchgear-go/switchgear/bulkhead"
)

// The writers below have one ability each, to be combined.
type (
	canFlush  struct{}
	canHijack struct{ err error }
	canRead   struct{}
	canPush   struct{}

	bare    struct{ http.ResponseWriter }
	wrapper struct{ http.ResponseWriter }
)

func (canFlush) Flush() {}
func (c canHijack) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return nil, nil, c.err
}
func (canRead) ReadFrom(src io.Reader) (int64, error) { return io.Copy(io.Discard, src) }
func (canPush) Push(string, *http.PushOptions) error  { return errPush }

var errHijack, errPush = errors.New("hijack"), errors.New("push")

func (w wrapper) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// K53: a handler sees what the writer inside can do, and nothing that it cannot.
func TestServerWriterK53Shapes(t *testing.T) {
	inner := func() bare { return bare{httptest.NewRecorder()} }
	for name, tt := range map[string]struct {
		w                         http.ResponseWriter
		flush, hijack, read, push bool
	}{
		"bare":     {inner(), false, false, false, false},
		"recorder": {httptest.NewRecorder(), true, false, false, false},
		"HTTP/1": {struct {
			bare
			canFlush
			canHijack
			canRead
		}{bare: inner(), canHijack: canHijack{errHijack}}, true, true, true, false},
		"HTTP/2": {struct {
			bare
			canFlush
			canPush
		}{bare: inner()}, true, false, false, true},
		"no files": {struct {
			bare
			canFlush
			canHijack
		}{bare: inner(), canHijack: canHijack{errHijack}}, true, true, false, false},
		"hijack only": {struct {
			bare
			canHijack
		}{bare: inner(), canHijack: canHijack{errHijack}}, false, true, false, false},
		"copying only, which is met nowhere": {struct {
			bare
			canRead
		}{bare: inner()}, false, false, false, false},
		"pushing only, which is met nowhere": {struct {
			bare
			canPush
		}{bare: inner()}, false, false, false, false},
		"below a wrapper": {wrapper{struct {
			bare
			canFlush
			canHijack
			canRead
			canPush
		}{bare: inner(), canHijack: canHijack{errHijack}}}, true, true, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			got := (&exchange{inner: tt.w}).shaped()
			_, flush := got.(http.Flusher)
			_, hijack := got.(http.Hijacker)
			_, read := got.(io.ReaderFrom)
			_, push := got.(http.Pusher)
			equal(t, "flush", flush, tt.flush)
			equal(t, "hijack", hijack, tt.hijack)
			equal(t, "read", read, tt.read)
			equal(t, "push", push, tt.push)
			if tt.hijack {
				_, _, err := got.(http.Hijacker).Hijack()
				equal(t, "Hijack", err, errHijack)
			}
			if tt.push {
				equal(t, "Push", got.(http.Pusher).Push("/style.css", nil), errPush)
			}
			_, text := got.(io.StringWriter)
			equal(t, "text", text, true)
		})
	}
}

func TestServerWriterShapesDoNotAllocate(t *testing.T) {
	x := &exchange{inner: httptest.NewRecorder()}
	equal(t, "allocations", testing.AllocsPerRun(100, func() { x.shaped() }), 0)
}

func TestServerWriterNotSupported(t *testing.T) {
	s := newServer(t, ServerConfig{CountStatuses: true})
	h := s.Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		rc := http.NewResponseController(w)
		matches(t, "Flush", rc.Flush(), http.ErrNotSupported)
		_, _, err := rc.Hijack()
		matches(t, "Hijack", err, http.ErrNotSupported)
		w.WriteHeader(http.StatusTeapot) // not taken for a second one
	}))
	w := httptest.NewRecorder()
	h.ServeHTTP(bare{w}, httptest.NewRequest("GET", "/", nil))
	equal(t, "status", w.Code, http.StatusTeapot)
	equal(t, "counters", s.Counters().Statuses, ServerStatuses{ClientErrors: 1})
}

// A counting writer tells what arrives at the writer inside.
type counting struct {
	*httptest.ResponseRecorder
	codes []int
}

func (c *counting) WriteHeader(code int) {
	c.codes = append(c.codes, code)
	c.ResponseRecorder.WriteHeader(code)
}

func TestServerWriterStatus(t *testing.T) {
	text := func(w http.ResponseWriter) { io.WriteString(w, "text") }
	for name, tt := range map[string]struct {
		handler     func(w http.ResponseWriter)
		codes       []int // as the writer inside got them
		want        ServerStatuses
		superfluous uint64
	}{
		"nothing": {func(http.ResponseWriter) {}, nil, ServerStatuses{Successful: 1}, 0},
		"K53: text, then an error": {func(w http.ResponseWriter) {
			text(w)
			http.Error(w, "failed", 500)
		}, nil, ServerStatuses{Successful: 1}, 1},
		"K53: bytes, then an error": {func(w http.ResponseWriter) {
			w.Write([]byte("bytes"))
			w.WriteHeader(500)
		}, nil, ServerStatuses{Successful: 1}, 1},
		"K53: flush, then an error": {func(w http.ResponseWriter) {
			w.(http.Flusher).Flush()
			w.WriteHeader(500)
		}, nil, ServerStatuses{Successful: 1}, 1},
		"twice":            {func(w http.ResponseWriter) { w.WriteHeader(302); w.WriteHeader(500) }, []int{302}, ServerStatuses{Redirected: 1}, 1},
		"not found":        {func(w http.ResponseWriter) { http.Error(w, "?", 404); text(w) }, []int{404}, ServerStatuses{ClientErrors: 1}, 0},
		"failure":          {func(w http.ResponseWriter) { w.WriteHeader(500); text(w) }, []int{500}, ServerStatuses{ServerErrors: 1}, 0},
		"without meaning":  {func(w http.ResponseWriter) { w.WriteHeader(999) }, []int{999}, ServerStatuses{Others: 1}, 0},
		"switched":         {func(w http.ResponseWriter) { w.WriteHeader(101); w.WriteHeader(500) }, []int{101}, ServerStatuses{Switched: 1}, 1},
		"hints come first": {func(w http.ResponseWriter) { w.WriteHeader(103); w.WriteHeader(103); w.WriteHeader(404) }, []int{103, 103, 404}, ServerStatuses{ClientErrors: 1}, 0},
		"no such status": {func(w http.ResponseWriter) {
			func() {
				defer func() { equal(t, "panicked", recover() != nil, true) }()
				w.WriteHeader(99)
			}()
			w.WriteHeader(500)
		}, []int{99, 500}, ServerStatuses{ServerErrors: 1}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, ServerConfig{CountStatuses: true})
			w := &counting{ResponseRecorder: httptest.NewRecorder()}
			s.Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { tt.handler(w) })).
				ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
			equal(t, "codes", w.codes, tt.codes)
			equal(t, "statuses", s.Counters().Statuses, tt.want)
			equal(t, "superfluous", s.Counters().Superfluous, tt.superfluous)
			s.atRest(t)
		})
	}
}

// A panicking handler has the status that it wrote, or none.
func TestServerWriterStatusOfPanics(t *testing.T) {
	s := newServer(t, ServerConfig{CountStatuses: true})
	s.serveSafely(t.Context(), func(w http.ResponseWriter, _ *http.Request) { panic("boom") })
	equal(t, "nothing written", s.Counters().Statuses, ServerStatuses{})
	s.serveSafely(t.Context(), func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(202)
		panic("boom")
	})
	equal(t, "written", s.Counters().Statuses, ServerStatuses{Successful: 1})
	s.atRest(t)
}

// A reader's writer copies by itself, and has a note of what went which way.
type ownCopy struct {
	*httptest.ResponseRecorder
	copied int64
}

func (w *ownCopy) ReadFrom(src io.Reader) (int64, error) {
	n, err := io.Copy(struct{ io.Writer }{w.ResponseRecorder}, src)
	w.copied += n
	return n, err
}
func (*ownCopy) Hijack() (net.Conn, *bufio.ReadWriter, error) { return nil, nil, http.ErrNotSupported }

func TestServerWriterReadFrom(t *testing.T) {
	errRead := errors.New("cannot read")
	big := strings.Repeat("x", 10_000)
	for name, tt := range map[string]struct {
		src    io.Reader
		first  int // a status to write before; 0 is none
		own    int64
		status int // of the response, if the handler then fails with 500
	}{
		"nothing to copy":         {strings.NewReader(""), 0, 0, 500},
		"cannot be read at all":   {failing("", errRead), 0, 0, 500},
		"small":                   {strings.NewReader("hello"), 0, 0, 200},
		"large":                   {strings.NewReader(big), 0, 10_000 - sniffed, 200},
		"breaks off early":        {failing("hello", errRead), 0, 0, 200},
		"breaks off late":         {failing(big, errRead), 0, 10_000 - sniffed, 200},
		"with a status before it": {strings.NewReader(big), 206, 10_000, 206},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, ServerConfig{CountStatuses: true})
			inner := &ownCopy{ResponseRecorder: httptest.NewRecorder()}
			var n int64
			s.Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if tt.first != 0 {
					w.WriteHeader(tt.first)
				}
				// The reader must not have a WriteTo, which io.Copy prefers.
				n, _ = io.Copy(w, struct{ io.Reader }{tt.src})
				w.WriteHeader(500)
			})).ServeHTTP(inner, httptest.NewRequest("GET", "/", nil))
			equal(t, "status", inner.Code, tt.status)
			equal(t, "copied by itself", inner.copied, tt.own)
			equal(t, "copied", int(n), inner.Body.Len())
		})
	}
}

// failing reads a text, and then an error.
func failing(text string, err error) io.Reader {
	return io.MultiReader(strings.NewReader(text), errorReader{err})
}

type errorReader struct{ err error }

func (r errorReader) Read([]byte) (int, error) { return 0, r.err }

func TestServerWriterHijack(t *testing.T) {
	type taken struct {
		*httptest.ResponseRecorder
		canHijack
	}
	run := func(t *testing.T, cfg ServerConfig, err error, check func(s *Server)) *Server {
		s := newServer(t, cfg)
		s.Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _, got := w.(http.Hijacker).Hijack()
			equal(t, "error", got, err)
			check(s)
		})).ServeHTTP(taken{httptest.NewRecorder(), canHijack{err}}, httptest.NewRequest("GET", "/", nil))
		s.atRest(t)
		return s
	}
	both := ServerConfig{Adaptive: &adaptive.Config{}, Bulkhead: &bulkhead.Config{}}
	running := func(n int) func(s *Server) {
		return func(s *Server) {
			equal(t, "adaptive", s.Adaptive().Running(), n)
			equal(t, "bulkhead", s.Bulkhead().Snapshot().Running, n)
			equal(t, "handlers", s.Snapshot().Running, 1)
		}
	}
	t.Run("held until the handler returns", func(t *testing.T) {
		s := run(t, both, nil, running(1))
		equal(t, "ignored", s.Adaptive().Counters().Ignored, 1)
		equal(t, "counters", s.Counters(), ServerCounters{Requests: 1, Admitted: 1, Hijacked: 1})
	})
	t.Run("released at once", func(t *testing.T) {
		cfg := both
		cfg.ReleaseOnHijack = true
		s := run(t, cfg, nil, running(0))
		equal(t, "ignored", s.Adaptive().Counters().Ignored, 1)
		equal(t, "admitted", s.Adaptive().Counters().Admitted, 1)
	})
	t.Run("refused", func(t *testing.T) {
		cfg := both
		cfg.ReleaseOnHijack = true
		s := run(t, cfg, errors.New("no"), running(1))
		equal(t, "counters", s.Counters(), ServerCounters{
			Requests: 1, Admitted: 1, Statuses: ServerStatuses{Successful: 1},
		})
	})
}
