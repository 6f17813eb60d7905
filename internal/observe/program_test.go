package observe

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// program returns the path of an installed program.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	return path
}

// read returns a file of the repository.
func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("../..", path))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// until asks often until ok says yes, and fails if it does not within the limit. Besides,
// ok returns what it has seen.
func until(t *testing.T, what string, limit time.Duration, ok func() (bool, any)) {
	t.Helper()
	end := time.After(limit)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		yes, seen := ok()
		if yes {
			return
		}
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("not within %v: %s; but %v", limit, what, seen)
		}
	}
}

// startPrometheus runs a Prometheus with these rules, which scrapes a target twice a
// second, and returns its address.
func startPrometheus(t *testing.T, target, rules string, args ...string) string {
	t.Helper()
	path := program(t, "prometheus")
	dir := t.TempDir()
	config := fmt.Sprintf(`
global:
  scrape_interval: 500ms
  scrape_timeout: 500ms
  evaluation_interval: 250ms
rule_files: [rules.yml]
scrape_configs:
  - job_name: test
    static_configs: [{targets: [%q]}]
`, target)
	for name, text := range map[string]string{"prometheus.yml": config, "rules.yml": rules} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()

	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, path, append([]string{
		"--config.file=" + filepath.Join(dir, "prometheus.yml"),
		"--storage.tsdb.path=" + filepath.Join(dir, "data"),
		"--web.listen-address=" + address,
		"--log.level=warn",
	}, args...)...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait() // it was told to end
		log.Close()
		if t.Failed() {
			b, _ := os.ReadFile(log.Name())
			t.Logf("prometheus says:\n%s", b)
		}
	})
	until(t, "prometheus is ready", 20*time.Second, func() (bool, any) {
		resp, err := http.Get("http://" + address + "/-/ready")
		if err != nil {
			return false, err
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK, resp.Status
	})
	return address
}
