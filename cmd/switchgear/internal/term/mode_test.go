package term

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func env(pairs map[string]string) func(string) string {
	return func(key string) string { return pairs[key] }
}

func TestDetect(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()

	t.Run("a buffer, a file and a pipe get plain text", func(t *testing.T) {
		for _, w := range []interface{ Write([]byte) (int, error) }{&bytes.Buffer{}, file, w} {
			if got := Detect(w, env(nil)); got != (Mode{}) {
				t.Errorf("Detect(%T) = %+v, want nothing", w, got)
			}
		}
	})
}
