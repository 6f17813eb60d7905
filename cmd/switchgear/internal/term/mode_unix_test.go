//go:build unix

package term

import (
	"os"
	"testing"
)

// The null device stands in for a terminal: see console.
func TestDetectTerminal(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()

	for _, c := range []struct {
		name string
		env  map[string]string
		want Mode
	}{
		{"a terminal gets everything", map[string]string{"TERM": "xterm"}, Mode{Colour: true, Live: true}},
		{"NO_COLOR forbids colours only", map[string]string{"NO_COLOR": "1"}, Mode{Live: true}},
		{"an empty NO_COLOR forbids nothing", map[string]string{"NO_COLOR": ""}, Mode{Colour: true, Live: true}},
		{"a dumb terminal gets plain text", map[string]string{"TERM": "dumb"}, Mode{}},
	} {
		if got := Detect(null, env(c.env)); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}
