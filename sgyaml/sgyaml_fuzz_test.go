package sgyaml_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/switchgear-go/switchgear/pipeline"
	"github.com/switchgear-go/switchgear/sghttp"
	"github.com/switchgear-go/switchgear/sgyaml"
)

// FuzzUnmarshal: whatever the document, there is a configuration or an [*sgyaml.Error];
// and what was read is the same after it was written and read again.
func FuzzUnmarshal(f *testing.F) {
	for _, text := range []string{
		"{}", "", "\xff", "pipeline: {breaker: {open: {wait: 5s, jitter: off}, evidence: {}}}",
		"statuses: {503: 1}\nrepeats: {429: 2}\nmaxBufferedBody: off",
		"pipeline:\n  retry: &r {attempts: 3, backoff: {factor: .inf}}\n  adaptive: {shares: [100, 90%, off]}\n  inject: {faults: [{kind: error, keys: ['a: b']}]}",
		"a: &a [*a]\nb: !!int 5\n? [x]\n: y\n<<: *a", "---\n...\n---\n", "pipeline: {accept: [\"\\u0085\\r\\n\"]}",
		strings.Repeat("[", 60), "a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]",
	} {
		f.Add([]byte(text), "pipeline.breaker.open.wait", "1s")
	}
	limits := sgyaml.Limits{Bytes: 1 << 16, Values: 1000}
	f.Fuzz(func(t *testing.T, data []byte, path, value string) {
		d, err := limits.Parse("fuzz.yaml", data)
		if !known(t, err) {
			return
		}
		if c, err := d.Set(path, value); known(t, err) {
			known(t, c.Decode(new(sghttp.Config)))
			known(t, c.Decode(new(pipeline.Config)))
			known(t, c.Decode(new(map[string]string)))
		}
		var cfg, back sghttp.Config
		if !known(t, d.Decode(&cfg)) {
			return
		}
		text, err := sgyaml.Marshal(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if err := sgyaml.Unmarshal("back.yaml", text, &back); err != nil || !reflect.DeepEqual(cfg, back) {
			t.Fatalf("%v\nwas %+v\nis  %+v\n%s", err, cfg, back, text)
		}
	})
}

func known(t *testing.T, err error) bool {
	if err == nil {
		return true
	}
	bad, ok := errors.AsType[*sgyaml.Error](err)
	if !ok || len(bad.Problems) == 0 || len(bad.Problems) > sgyaml.MaxProblems || len(bad.Error()) > 1<<20 {
		t.Fatalf("%T: %v", err, err)
	}
	return false
}
