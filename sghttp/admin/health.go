package admin

import (
	"fmt"
	"net/http"
	"strings"
)

// Statuses of [Health].
const (
	Up       = "UP"
	Degraded = "DEGRADED"
)

// maxUnhealthy is how many breakers the health page names.
const maxUnhealthy = 100

// Health is the answer of GET /health.
type Health struct {
	Status string `json:"status"`
	// States is the number of breakers in each state that one is in.
	States map[string]int `json:"states"`
	// Degraded are those that are OPEN, HALF_OPEN or FORCED_OPEN, by name: the first 100.
	Degraded []Summary `json:"degraded,omitempty"`
}

func (h *Handler) health(w http.ResponseWriter, r *http.Request, _ string) *problem {
	strict, p := flag(r, "strict")
	if p != nil {
		return p
	}
	answered := Health{Status: Up, States: map[string]int{}}
	bad := 0
	entries := h.breakers()
	shared := twinsOf(entries)
	for _, e := range entries {
		state := e.Breaker.State().String()
		answered.States[state]++
		if !strings.HasSuffix(state, "OPEN") {
			continue
		}
		answered.Status = Degraded
		if bad++; bad <= maxUnhealthy {
			answered.Degraded = append(answered.Degraded, h.summary(e, shared))
		}
	}
	status := http.StatusOK
	if strict && answered.Status == Degraded {
		status = http.StatusServiceUnavailable
	}
	answer(w, r, status, answered, func() string {
		var b strings.Builder
		fmt.Fprintln(&b, answered.Status)
		for _, s := range answered.Degraded {
			fmt.Fprintln(&b, s.Text)
		}
		if bad > maxUnhealthy {
			fmt.Fprintf(&b, "and %d more\n", bad-maxUnhealthy)
		}
		return b.String()
	})
	return nil
}
