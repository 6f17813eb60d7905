package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/switchgear-go/switchgear/clock"
)

const (
	chunk = 100     // events that are taken at a time
	piece = 4 << 10 // bytes that are written at a time, see Config.Stuck
)

// retryAfter is how many seconds a reader should wait that found no free stream, and how
// many milliseconds one that lost its stream.
const (
	busyRetry   = "5"
	streamRetry = "retry: 3000\n"
)

func (h *Handler) stream(w http.ResponseWriter, r *http.Request, _ string) *problem {
	from, gone := h.ring.newest(), false
	id := r.Header.Get("Last-Event-ID") // what a browser sends when it comes again
	if id == "" {
		id = r.URL.Query().Get("since")
	}
	if id != "" {
		var ok bool
		if from, gone, ok = h.ring.parse(id); !ok {
			return invalid("since", "must be the id of an event")
		}
	}
	select {
	case h.streams <- struct{}{}:
		defer func() { <-h.streams }()
	default:
		w.Header().Set("Retry-After", busyRetry)
		return &problem{status: http.StatusServiceUnavailable, Error: "as many streams as may be are open", Bound: fmt.Sprint(h.cfg.Streams)}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // proxies, pass it on as it comes
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	s := &reader{w: w, rc: http.NewResponseController(w), stuck: h.cfg.Stuck}
	// The identifier comes first, so that whoever loses the stream before the first event
	// goes on from here too.
	fmt.Fprintf(&s.out, "%sid: %s\n\n", streamRetry, h.ring.id(from))
	if gone {
		s.gap(0)
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer h.clk.AfterFunc(h.cfg.StreamLife, cancel).Stop()
	h.feed(ctx, s, from)
	return nil
}

// feed writes events to a reader until ctx is done, it is too slow or the handler closed.
func (h *Handler) feed(ctx context.Context, s *reader, from uint64) {
	for s.send() && ctx.Err() == nil {
		b := h.ring.after(from, chunk)
		if b.missed > 0 {
			s.gap(b.missed)
		}
		for i, e := range b.events {
			if e.lost > 0 {
				s.gap(e.lost)
			}
			s.event(h.ring.item(b.first+uint64(i), e.Event))
		}
		from = b.first - 1 + uint64(len(b.events))
		switch {
		case len(b.events) > 0:
		case b.closed:
			return
		case !h.wait(ctx.Done(), b.wait):
			return
		default:
			select {
			case <-b.wait:
			default:
				s.out.WriteString(": nothing new\n\n")
			}
		}
	}
}

// wait waits for news, or for the time of a heartbeat. It returns false if the stream is
// over.
func (h *Handler) wait(over, news <-chan struct{}) bool {
	beat := make(chan struct{})
	timer := h.clk.AfterFunc(h.cfg.Heartbeat, func() { close(beat) })
	defer timer.Stop()
	select {
	case <-over:
		return false
	case <-news:
	case <-beat:
	}
	return true
}

// A reader is somebody at the other end of a stream.
type reader struct {
	w     http.ResponseWriter
	rc    *http.ResponseController
	stuck time.Duration
	out   bytes.Buffer // what is to be sent next
}

func (s *reader) event(it Item) {
	data, err := json.Marshal(it) // one line
	if err != nil {
		data = []byte("{}")
	}
	fmt.Fprintf(&s.out, "id: %s\ndata: %s\n\n", it.ID, data)
}

// gap tells of events that the reader has missed; 0 is an unknown number.
func (s *reader) gap(missed uint64) {
	fmt.Fprintf(&s.out, "event: gap\ndata: {\"missed\": %d}\n\n", missed)
}

// send writes what there is, and reports whether the reader took each piece in time. The
// deadline is a socket's, so it is of the machine's time. Afterwards there is none: over
// HTTP/2 it would end a stream in which nothing happens.
func (s *reader) send() bool {
	for s.out.Len() > 0 {
		_ = s.rc.SetWriteDeadline(clock.Real().Now().Add(s.stuck)) // or there is none, see Config.Stuck
		_, err := s.w.Write(s.out.Next(piece))
		if err == nil {
			err = s.rc.Flush()
		}
		if err != nil {
			return false
		}
	}
	_ = s.rc.SetWriteDeadline(time.Time{})
	return true
}
