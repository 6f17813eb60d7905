package sghttp

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"
)

// net/http removes the files of a multipart form when a request has ended, but looks for
// them at the request that it made itself. Middleware that hands on a copy, to give it a
// context, leaves the files of every upload in the temporary folder.
func TestServerRegressionFilesOfAForm(t *testing.T) {
	files := t.TempDir()
	t.Setenv("TMPDIR", files)
	t.Setenv("TMP", files)
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part := must(form.CreateFormFile("upload", "large.bin"))
	part.Write(make([]byte, 100_000))
	form.Close()

	s := newServer(t, ServerConfig{Deadline: &DeadlineConfig{Limit: time.Hour}})
	server := httptest.NewServer(s.Wrap(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		equal(t, "error", r.ParseMultipartForm(1), nil)
		equal(t, "files while it runs", len(must(os.ReadDir(files))), 1)
	})))
	resp := must(server.Client().Post(server.URL, form.FormDataContentType(), &body))
	io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	server.Close() // waits until the request has ended
	equal(t, "files afterwards", len(must(os.ReadDir(files))), 0)
}

// A wrapper that notes "200" as soon as somebody copies into it takes the status of a
// handler away that finds its source empty, or broken, and says so.
func TestServerRegressionCopyOfNothing(t *testing.T) {
	s := newServer(t, ServerConfig{CountStatuses: true})
	server := httptest.NewServer(s.Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, err := io.Copy(w, errorReader{io.ErrUnexpectedEOF})
		equal(t, "error", err, io.ErrUnexpectedEOF)
		http.Error(w, "the source is broken", http.StatusBadGateway)
	})))
	resp := must(server.Client().Get(server.URL))
	resp.Body.Close()
	server.Close()
	equal(t, "status", resp.StatusCode, http.StatusBadGateway)
	equal(t, "statuses", s.Counters().Statuses, ServerStatuses{ServerErrors: 1})
}
