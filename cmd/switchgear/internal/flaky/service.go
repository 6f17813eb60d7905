package flaky

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// Quantity is the stock of every article.
const Quantity = 42

// A Service is the inventory. Make it with [New]. It is safe for concurrent use.
type Service struct {
	hang      time.Duration
	healthy   atomic.Bool
	inventory atomic.Int64
	mux       *http.ServeMux
}

// New returns a healthy service. While it is not healthy, each request hangs for
// that long before it fails.
func New(hang time.Duration) *Service {
	s := &Service{hang: hang, mux: http.NewServeMux()}
	s.healthy.Store(true)
	s.mux.HandleFunc("GET /{$}", s.overview)
	s.mux.HandleFunc("GET /inventory/{sku}", s.getInventory)
	s.mux.HandleFunc("POST /admin/set-healthy/{healthy}", s.setHealthy)
	return s
}

// Requests returns how many inventory requests have arrived, malformed ones too.
// It is the service's own count, whatever its callers believe.
func (s *Service) Requests() int { return int(s.inventory.Load()) }

// ServeHTTP answers one request.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

func (s *Service) getInventory(w http.ResponseWriter, r *http.Request) {
	s.inventory.Add(1)
	sku := r.PathValue("sku")
	if sku != strings.ToUpper(sku) {
		answer(w, http.StatusBadRequest, problem{"SKU must be upper case"})
		return
	}
	if s.healthy.Load() {
		answer(w, http.StatusOK, article{sku, Quantity})
		return
	}
	timer := time.NewTimer(s.hang)
	defer timer.Stop()
	select {
	case <-timer.C:
		answer(w, http.StatusServiceUnavailable, problem{"overloaded"})
	case <-r.Context().Done(): // nobody is waiting any more
	}
}

func (s *Service) setHealthy(w http.ResponseWriter, r *http.Request) {
	text := r.PathValue("healthy")
	healthy, err := strconv.ParseBool(text)
	if err != nil || text != strconv.FormatBool(healthy) { // ParseBool takes "1" and "T" too
		answer(w, http.StatusBadRequest, problem{"true or false, please"})
		return
	}
	s.healthy.Store(healthy)
	answer(w, http.StatusOK, health{healthy})
}

func (s *Service) overview(w http.ResponseWriter, r *http.Request) {
	state := "healthy"
	if !s.healthy.Load() {
		state = fmt.Sprintf("not healthy: inventory requests hang for %v and fail", s.hang)
	}
	fmt.Fprintf(w, `A flaky inventory service, now %s.

  GET  /inventory/WIDGET-7         how many there are
  POST /admin/set-healthy/false    let it fail
  POST /admin/set-healthy/true     let it recover
`, state)
}

type article struct {
	SKU      string `json:"sku"`
	Quantity int    `json:"quantity"`
}

type health struct {
	Healthy bool `json:"healthy"`
}

type problem struct {
	Error string `json:"error"`
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body) // an error is the client's: it has gone
}
