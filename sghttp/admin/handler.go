package admin

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/registry"
)

// A Handler serves what the package comment lists. Make it with [New]; it must not be
// copied.
type Handler struct {
	options

	cfg   Config
	reg   *registry.Registry
	guard guard

	ring    *ring
	stop    func()        // ends the listening
	streams chan struct{} // holds one for each open stream
}

// New makes a handler over reg and begins to listen to its events. If cfg is not valid
// the error is a [*switchgear.ConfigError] that lists everything wrong with it.
func New(reg *registry.Registry, cfg Config, opts ...Option) (*Handler, error) {
	cfg, err := cfg.compile()
	if err != nil {
		return nil, err
	}
	if reg == nil {
		return nil, &switchgear.ConfigError{Policy: "admin handler", Problems: []switchgear.Problem{
			{Path: "Registry", Value: "nil", Bound: "must be given"},
		}}
	}
	h := &Handler{
		options: options{clk: clock.Real()},
		cfg:     cfg, reg: reg, guard: newGuard(&cfg),
		streams: make(chan struct{}, cfg.Streams),
	}
	for _, opt := range opts {
		if opt != nil {
			opt(&h.options)
		}
	}
	h.ring = newRing(cfg.Recent, h.clk.Now())
	h.stop = h.ring.follow(reg)

	return h, nil
}

// Close ends all streams and the listening; the rest goes on working. A program that shuts
// a server down gracefully gives it to [http.Server.RegisterOnShutdown], since a stream
// does not end by itself. It may be called again.
func (h *Handler) Close() {
	h.stop()
	h.ring.close()
}

// ServeHTTP serves one request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	secure(w.Header())
	if p := h.serve(w, r); p != nil {
		fail(w, r, p)
	}
}

func (h *Handler) serve(w http.ResponseWriter, r *http.Request) *problem {
	if p := h.guard.host(r); p != nil {
		return p
	}
	what, name, serve := h.route(r)
	if serve == nil {
		return &problem{status: http.StatusNotFound, Error: "no such path"}
	}
	if p := what.allows(w, r); p != nil {
		return p
	}
	if p := h.guard.check(w, r, what); p != nil {
		return p
	}
	return serve(w, r, name)
}

// A service answers a request; name is the breaker's that the path names, if it does.
type service func(w http.ResponseWriter, r *http.Request, name string) *problem

// route finds what a path is for. It is done by hand because a [http.ServeMux] cleans
// paths and has a meaning of its own for the segment %2F, and a name may be anything.
func (h *Handler) route(r *http.Request) (what action, name string, serve service) {
	segments := strings.Split(strings.TrimPrefix(r.URL.EscapedPath(), "/"), "/")
	if len(segments) > 1 && segments[0] == "breakers" {
		var err error
		if name, err = url.PathUnescape(segments[1]); err != nil || name == "" {
			return what, "", nil
		}
		segments[1] = ""
	}
	switch strings.Join(segments, "/") {
	case "breakers":
		return reading, "", h.list
	case "breakers/":
		if r.Method == http.MethodPost && name == "move" {
			return writing, "", h.moveAll
		}
		return reading, name, h.show
	case "breakers//move":
		return writing, name, h.move
	case "events":
		return reading, "", h.events
	case "events/stream":
		return reading, "", h.stream
	case "health":
		return reading, "", h.health
	}
	return what, "", nil
}

// An action is what a path is for.
type action int

const (
	reading action = iota
	writing
)

// allows checks the method.
func (a action) allows(w http.ResponseWriter, r *http.Request) *problem {
	methods := []string{http.MethodGet, http.MethodHead}
	if a == writing {
		methods = []string{http.MethodPost}
	}
	if slices.Contains(methods, r.Method) {
		return nil
	}
	w.Header().Set("Allow", strings.Join(methods, ", "))
	return &problem{status: http.StatusMethodNotAllowed, Error: "no such method here", Field: "method", Bound: strings.Join(methods, " or ")}
}
