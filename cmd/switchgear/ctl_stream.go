package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	// quietest is more than the longest time between two heartbeats of a handler. A
	// stream that says nothing for longer is dead.
	quietest = 6 * time.Minute

	leastRetry   = 100 * time.Millisecond
	defaultRetry = 3 * time.Second
	mostRetry    = 30 * time.Second

	mostMessage = 1 << 20 // bytes
)

// A message is one of a stream of server-sent events.
type message struct {
	id, event string
	data      []byte
}

// errEnded is a stream that was ended by the server.
var errEnded = errors.New("the server has ended the stream")

// errTooLong is a message that no admin handler sends. It would come again.
var errTooLong error = &ownError{fmt.Errorf("a message of the stream is longer than %d bytes", mostMessage)}

// follow reads the stream of events after since and gives each message to each. When
// the stream breaks it tells lost and makes a new one, until ctx is done, the handler
// refuses or each returns an error.
func (c *ctlClient) follow(ctx context.Context, since string, each func(message) error, lost func(err error, wait time.Duration)) error {
	s := &stream{client: c, last: since, retry: defaultRetry, each: each}
	wait := time.Duration(0)
	for {
		err := s.read(ctx)
		var own *ownError
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &own):
			return own.err
		case !passes(err):
			return err
		}
		if s.opened || wait == 0 {
			wait = s.retry
		} else {
			wait = min(2*wait, mostRetry)
		}
		lost(err, wait)
		if err := pause(ctx, wait); err != nil {
			return err
		}
	}
}

// ownError is an error that a new connection does not mend.
type ownError struct{ err error }

func (e *ownError) Error() string { return e.err.Error() }

// A stream is a connection after the other.
type stream struct {
	client *ctlClient
	last   string // the identifier of the newest event seen
	retry  time.Duration
	each   func(message) error
	opened bool // the last connection came about
}

func (s *stream) read(ctx context.Context) error {
	s.opened = false
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	silence := time.AfterFunc(quietest, cancel)
	defer silence.Stop()

	header := http.Header{"Accept": {"text/event-stream"}}
	if s.last != "" {
		header.Set("Last-Event-ID", s.last)
	}
	resp, err := s.client.send(ctx, http.MethodGet, "/events/stream", nil, header)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if kind := resp.Header.Get("Content-Type"); !strings.HasPrefix(kind, "text/event-stream") {
		return &ownError{fmt.Errorf("%s/events/stream is no stream of events\nIs there an admin handler? --addr names another place", s.client.base)}
	}
	s.opened = true
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, mostMessage)
	var m message
	for lines.Scan() {
		silence.Reset(quietest)
		if len(lines.Bytes()) > 0 {
			if len(m.data)+len(lines.Bytes()) > mostMessage {
				return errTooLong
			}
			s.field(&m, lines.Bytes())
			continue
		}
		if len(m.data) > 0 {
			if err := s.each(m); err != nil {
				return &ownError{err}
			}
		}
		if m.id != "" {
			s.last = m.id
		}
		m = message{}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return errTooLong
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("nothing has come for %v", quietest)
	case err != nil:
		return fmt.Errorf("the stream broke: %w", err)
	}
	return errEnded
}

// field reads one line of a message. What is unknown is left out, and so are comments.
func (s *stream) field(m *message, line []byte) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "id":
		if !bytes.ContainsAny(value, "\x00\r") && len(value) <= 256 {
			m.id = string(value)
		}
	case "event":
		m.event = string(value)
	case "data":
		if len(m.data) > 0 {
			m.data = append(m.data, '\n')
		}
		m.data = append(m.data, value...)
	case "retry":
		if n, err := strconv.ParseUint(string(value), 10, 32); err == nil {
			s.retry = min(max(time.Duration(n)*time.Millisecond, leastRetry), mostRetry)
		}
	}
}
