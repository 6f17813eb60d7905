package sghttp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// A choppy reader hands out its text in pieces of any size, with the end along with the
// last one or after it, and may break off.
type choppy struct {
	random *rand.Rand
	text   []byte
	breaks bool // at the end of text
	closed int
}

var errBroken = errors.New("broken")

func (c *choppy) Read(p []byte) (int, error) {
	n := min(len(p), len(c.text), c.random.Intn(40))
	copy(p, c.text[:n])
	c.text = c.text[n:]
	switch {
	case len(c.text) > 0 || n > 0 && c.random.Intn(2) == 0:
		return n, nil
	case c.breaks:
		return n, errBroken
	}
	return n, io.EOF
}

func (c *choppy) Close() error { c.closed++; return nil }

// The naive model of a recording keeps all that was read, and decides at the end.
func TestPropertyRecording(t *testing.T) {
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewSource(seed))
	for range rounds(5000) {
		text := make([]byte, random.Intn(200))
		random.Read(text)
		known := int64(-1)
		switch random.Intn(4) {
		case 0, 1:
			known = int64(len(text))
		case 2:
			known = int64(random.Intn(200)) // a lie
		}
		from := &choppy{random: random, text: text, breaks: random.Intn(8) == 0}
		bound := 1 + random.Intn(250)
		r := newRecording(&http.Request{Body: from, ContentLength: known}, bound)
		if known == 0 {
			known = -1 // to net/http a body without a length
		}

		var read []byte
		var end error
		announced, beyond := false, false // the model: all that was announced was read; something after it
		for range random.Intn(60) {
			p := make([]byte, 1+random.Intn(50))
			var n int
			n, end = r.Read(p)
			beyond = beyond || announced && n > 0
			read = append(read, p[:n]...)
			announced = announced || known >= 0 && int64(len(read)) >= known && (end == nil || end == io.EOF)
			if end != nil {
				break
			}
		}
		wrong := len(read) > bound || beyond || end == errBroken && !announced
		want := !wrong && (announced || end == io.EOF)
		data, complete := r.all()
		if complete != want || complete && !bytes.Equal(data, read) || len(data) > bound {
			t.Fatalf("seed %d: read %d of %d bytes, %d announced, bound %d, end %v: complete %v with %d bytes, want %v",
				seed, len(read), len(text), known, bound, end, complete, len(data), want)
		}
	}
}

// Whatever the body, its length, and what the server reads of it: an attempt sends all of
// it, or is not made.
func TestPropertyBodiesAreWhole(t *testing.T) {
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewSource(seed))
	synctest.Test(t, func(t *testing.T) {
		for range rounds(1000) {
			cfg := patient()
			cfg.MaxBufferedBody = 1 + random.Intn(250)
			text := make([]byte, 1+random.Intn(200))
			random.Read(text)
			body := &choppy{random: random, text: text}
			ctx, method := context.Background(), http.MethodPost
			repeatable := random.Intn(3) > 0
			if repeatable {
				ctx = Idempotent(ctx)
			}
			req := must(http.NewRequestWithContext(ctx, method, "http://api.example/", body))
			req.ContentLength = int64(len(text))
			if random.Intn(2) == 0 {
				req.ContentLength = -1
			}
			reopens := random.Intn(3) == 0
			if reopens {
				req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }
			}
			early := random.Intn(4) == 0 // the server answers before it has read the body
			bad := random.Intn(4)        // answers

			attempts := 0
			rt := newTransport(t, sender(func(req *http.Request) (*http.Response, error) {
				attempts++
				defer req.Body.Close()
				if early && attempts == 1 {
					io.ReadFull(req.Body, make([]byte, len(text)/2))
				} else if sent := must(io.ReadAll(req.Body)); !bytes.Equal(sent, text) {
					t.Errorf("seed %d: attempt %d sent %d bytes, want %d", seed, attempts, len(sent), len(text))
				}
				if attempts <= bad {
					return answers(503)(req)
				}
				return answers(200)(req)
			}), cfg)
			resp, err := rt.RoundTrip(req)
			want := min(3, bad+1)
			if !repeatable || !reopens && (early || len(text) > cfg.MaxBufferedBody) {
				want = 1
			}
			status := 200
			if bad >= want {
				status = 503
			}
			if err != nil || resp.StatusCode != status || attempts != want || body.closed != 1 {
				t.Fatalf("seed %d: got %v, %v after %d attempts, closed %d times, want status %d after %d",
					seed, resp, err, attempts, body.closed, status, want)
			}
		}
	})
}
