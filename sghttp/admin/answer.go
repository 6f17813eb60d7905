package admin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// A problem is why a request is not answered.
type problem struct {
	status int

	Error string `json:"error"`
	// Field is the part of the request that is wrong, and Bound what is allowed there.
	Field string `json:"field,omitempty"`
	Bound string `json:"bound,omitempty"`
}

// invalid returns a problem with one field of a request.
func invalid(field, bound string, args ...any) *problem {
	bound = fmt.Sprintf(bound, args...)
	return &problem{status: http.StatusBadRequest, Error: field + " " + bound, Field: field, Bound: bound}
}

func fail(w http.ResponseWriter, r *http.Request, p *problem) {
	answer(w, r, p.status, p, func() string { return "error: " + p.Error + "\n" })
}

// answer writes v as JSON, or the text if people read it.
func answer(w http.ResponseWriter, r *http.Request, status int, v any, text func() string) {
	if forPeople(r) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(text())) // a reader that is gone needs no answer
		return
	}
	body, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		status, body = http.StatusInternalServerError, []byte(`{"error": "the answer cannot be written as JSON"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n'))
}

// forPeople reports whether text is wanted in place of JSON.
func forPeople(r *http.Request) bool {
	switch r.URL.Query().Get("format") {
	case "text":
		return true
	case "json":
		return false
	}
	accept := strings.Join(r.Header.Values("Accept"), ",")
	return strings.Contains(accept, "text/plain") && !strings.Contains(accept, "application/json")
}

const (
	defaultLimit = 100
	maxLimit     = 1000
)

// limit reads how many of a list are wanted.
func limit(r *http.Request) (int, *problem) {
	s := r.URL.Query().Get("limit")
	if s == "" {
		return defaultLimit, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > maxLimit {
		return 0, invalid("limit", "must be from 1 to %d", maxLimit)
	}
	return n, nil
}

// flag reads a parameter that is true or false.
func flag(r *http.Request, name string) (bool, *problem) {
	s := r.URL.Query().Get(name)
	if s == "" {
		return false, nil
	}
	on, err := strconv.ParseBool(s)
	if err != nil {
		return false, invalid(name, "must be true or false")
	}
	return on, nil
}
