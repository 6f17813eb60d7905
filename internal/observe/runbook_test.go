package observe

import (
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/registry"
	"github.com/switchgear-go/switchgear/sghttp/admin"
)

// Each command of the runbook is one that the admin handler carries out.
func TestRunbookCommands(t *testing.T) {
	r := registry.Must(registry.New(registry.Config{}))
	defer r.Close()
	if _, err := r.Breaker("payments", breaker.Config{}); err != nil {
		t.Fatal(err)
	}
	h, err := admin.New(r, admin.Config{AllowWrites: true})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	srv := httptest.NewServer(h)
	defer srv.Close()

	book := strings.ReplaceAll(read(t, bookPath), "\\\n", " ")
	commands := regexp.MustCompile("curl [^\n`]*").FindAllString(book, -1)
	if len(commands) < 10 {
		t.Fatalf("there are only %d commands", len(commands))
	}
	url := regexp.MustCompile(`"\$ADMIN(/[^"]*)"`)
	data := regexp.MustCompile(`-d '([^']*)'`)
	for _, c := range commands {
		at := url.FindStringSubmatch(c)
		if at == nil {
			t.Errorf("no address in %s", c)
			continue
		}
		method, body := http.MethodGet, ""
		if d := data.FindStringSubmatch(c); d != nil {
			method, body = http.MethodPost, d[1]
		}
		req, err := http.NewRequestWithContext(t.Context(), method, srv.URL+at[1], strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(c, "-H 'Content-Type: application/json'") {
			req.Header.Set("Content-Type", "application/json")
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %s: %s", c, resp.Status, text)
		}
	}
}
