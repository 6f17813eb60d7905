package sghttp

import (
	"io"
	"math/rand"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/adaptive"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/ratelimit"
)

// Random sequences of what handlers do to a response: the client gets the same with the
// server and without, and the status that was noted is the one it got.
func TestServerPropertyTransparent(t *testing.T) {
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewSource(seed))
	codes := []int{200, 204, 302, 404, 500, 503}
	steps := []func(w http.ResponseWriter, n int){
		func(w http.ResponseWriter, n int) { w.WriteHeader(codes[n%len(codes)]) },
		func(w http.ResponseWriter, n int) { w.Write(make([]byte, n)) },
		func(w http.ResponseWriter, n int) { io.WriteString(w, strings.Repeat("y", n)) },
		func(w http.ResponseWriter, n int) { http.NewResponseController(w).Flush() },
		func(w http.ResponseWriter, n int) { io.Copy(w, io.LimitReader(zeros{}, int64(n*n))) },
		func(w http.ResponseWriter, n int) { w.Header().Add("X-Number", strings.Repeat("z", n)) },
		func(w http.ResponseWriter, n int) { http.Error(w, "failed", codes[n%len(codes)]) },
	}
	for range rounds(5_000) {
		type step struct{ what, n int }
		var program []step
		for range random.Intn(6) {
			program = append(program, step{random.Intn(len(steps)), random.Intn(50)})
		}
		handler := func(w http.ResponseWriter, _ *http.Request) {
			for _, s := range program {
				steps[s.what](w, s.n)
			}
		}
		bare := &ownCopy{ResponseRecorder: httptest.NewRecorder()}
		handler(bare, nil)
		s := newServer(t, ServerConfig{CountStatuses: true})
		got := &ownCopy{ResponseRecorder: httptest.NewRecorder()}
		s.Wrap(http.HandlerFunc(handler)).ServeHTTP(got, httptest.NewRequest("GET", "/", nil))

		want, have := bare.Result(), got.Result()
		equal(t, "status", have.StatusCode, want.StatusCode)
		equal(t, "header", have.Header, want.Header)
		equal(t, "body", string(must(io.ReadAll(have.Body))), string(must(io.ReadAll(want.Body))))
		equal(t, "flushed", got.Flushed, bare.Flushed)
		noted := s.Counters().Statuses
		equal(t, "noted", map[int]uint64{
			2: noted.Successful, 3: noted.Redirected, 4: noted.ClientErrors, 5: noted.ServerErrors,
		}[want.StatusCode/100], 1)
		if t.Failed() {
			t.Fatalf("seed %d, program %v", seed, program)
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// A naive model of a server's admission: tokens are counted once a second, and places
// one by one.
type serverModel struct {
	keyBurst, burst, adaptive, places int
	keys                              map[string]int
	tokens, running                   int
}

func (m *serverModel) ask(key string, share int) (by RefusedBy, ok bool) {
	if _, known := m.keys[key]; !known {
		m.keys[key] = m.keyBurst
	}
	if m.keys[key] == 0 {
		return RefusedByKey, false
	}
	m.keys[key]--
	if m.tokens == 0 {
		return RefusedByRate, false
	}
	m.tokens--
	if m.running*100 >= m.adaptive*share {
		return RefusedByAdaptive, false
	}
	if m.running == m.places {
		return RefusedByBulkhead, false
	}
	m.running++
	return 0, true
}

func (m *serverModel) second() {
	m.tokens = min(m.tokens+1, m.burst)
	for key, n := range m.keys {
		m.keys[key] = min(n+1, m.keyBurst)
	}
}

// Random requests, ends of requests and seconds: a server decides as the model does.
func TestServerPropertyAdmission(t *testing.T) {
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewSource(seed))
	shares := []int{100, 90, 60}
	clients := []string{"192.0.2.1", "192.0.2.2", "192.0.2.3"}
	for range rounds(200) {
		m := &serverModel{
			keyBurst: 1 + random.Intn(8), burst: 1 + random.Intn(15), adaptive: 1 + random.Intn(12), places: 1 + random.Intn(12),
			keys: map[string]int{},
		}
		m.tokens = m.burst
		var priority adaptive.Priority
		s, clk := virtualServer(t, ServerConfig{
			KeyedRateLimit: &ratelimit.KeyedConfig{Limit: ratelimit.Config{Rate: 1, Burst: m.keyBurst}},
			RateLimit:      &ratelimit.Config{Rate: 1, Burst: m.burst},
			Adaptive:       fixed(m.adaptive),
			Bulkhead:       &bulkhead.Config{MaxConcurrent: m.places},
		}, WithServerPriority(func(*http.Request) adaptive.Priority { return priority }))
		var running []*visit
		var counted [refusers]uint64
		for step := range 300 {
			switch random.Intn(5) {
			case 0:
				clk.Advance(time.Second)
				m.second()
			case 1:
				if n := len(running); n > 0 {
					i := random.Intn(n)
					running[i].release()
					running[i] = running[n-1]
					running = running[:n-1]
					m.running--
				}
			default:
				client := clients[random.Intn(len(clients))]
				priority = adaptive.Priority(random.Intn(len(shares)))
				wantBy, want := m.ask(client, shares[priority])
				v, by, err := s.admit(&http.Request{RemoteAddr: client + ":1"})
				equal(t, "admitted", err == nil, want)
				if err == nil {
					running = append(running, &v)
				} else {
					equal(t, "refused by", by, wantBy)
					counted[by]++
				}
			}
			equal(t, "adaptive", s.Adaptive().Running(), m.running)
			equal(t, "bulkhead", s.Bulkhead().Snapshot().Running, m.running)
			if t.Failed() {
				t.Fatalf("seed %d, step %d, model %+v", seed, step, m)
			}
		}
		equal(t, "refused by the adaptive limit", s.Adaptive().Counters().Rejected, counted[RefusedByAdaptive])
		equal(t, "refused by the bulkhead", s.Bulkhead().Counters().Refused, counted[RefusedByBulkhead])
	}
}
