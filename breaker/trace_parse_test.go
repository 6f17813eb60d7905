package breaker_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// aTrace returns a small valid trace, with parts replaced: old, new, old, new, …
func aTrace(replace ...string) []byte {
	const text = `{"name":"small","config":{"failureRateThreshold":50,"slowCallRateThreshold":100,` +
		`"slowCallDurationThreshold_ms":1000,"slidingWindowType":"TIME_BASED","slidingWindowSize":10,` +
		`"minimumNumberOfCalls":1,"waitDurationInOpenState_ms":1000,"permittedNumberOfCallsInHalfOpenState":3,` +
		`"maxWaitDurationInHalfOpenState_ms":500,"automaticTransitionFromOpenToHalfOpenEnabled":true},"steps":[` +
		`{"t":0,"op":"acquire","id":1,"permitted":true,"after":{"state":"CLOSED","failureRate":-1,"slowCallRate":-1}},` +
		`{"t":20,"op":"error","id":1,"duration_ms":20,"after":{"state":"OPEN","failureRate":100,"slowCallRate":0,"bufferedCalls":1,"failedCalls":1}},` +
		`{"t":30,"op":"acquire","id":2,"permitted":false,"after":{"state":"OPEN","failureRate":100,"slowCallRate":0,"bufferedCalls":1,"failedCalls":1}},` +
		`{"t":1020,"op":"observe","after":{"state":"HALF_OPEN","failureRate":-1,"slowCallRate":-1}},` +
		`{"t":1030,"op":"transition","to":"DISABLED","after":{"state":"DISABLED","failureRate":-1,"slowCallRate":-1}},` +
		`{"t":1030,"op":"reset","after":{"state":"CLOSED","failureRate":-1,"slowCallRate":-1}}]}`
	return []byte(strings.NewReplacer(replace...).Replace(text))
}

func TestParseTrace(t *testing.T) {
	tr, err := parseTrace(aTrace())
	if err != nil {
		t.Fatal(err)
	}
	if err := tr.run(true); err != nil {
		t.Error(err)
	}
	for name, c := range map[string]struct{ old, replacement, problem string }{
		"not JSON":             {`{"name"`, `{name`, "invalid character"},
		"no name":              {`"small"`, `""`, "needs a name"},
		"a rate above 100":     {`:50,`, `:100.5,`, "failureRateThreshold = 100.5: must be above 0 and at most 100"},
		"no slow rate":         {`"slowCallRateThreshold":100,`, ``, "slowCallRateThreshold = 0"},
		"an unknown window":    {`TIME_BASED`, `TIME`, `slidingWindowType = "TIME"`},
		"a window too large":   {`"slidingWindowSize":10`, `"slidingWindowSize":2592001`, "must be from 1 to 2592000"},
		"a negative wait":      {`"waitDurationInOpenState_ms":1000`, `"waitDurationInOpenState_ms":-1`, "waitDurationInOpenState_ms = -1"},
		"an id of 0":           {`"id":1`, `"id":0`, "id = 0: must be from 1"},
		"an id too large":      {`"id":2`, `"id":2000000000000`, "id = 2000000000000: must be"},
		"an id twice":          {`"id":2,"permitted":false`, `"id":2,"permitted":true,"x":0,"after":{"state":"OPEN"}},{"t":30,"op":"acquire","id":2,"permitted":true`, "still running"},
		"an outcome of no one": {`"op":"error","id":1`, `"op":"error","id":7`, "no such call is running"},
		"no permitted":         {`"permitted":true,`, ``, "permitted is missing"},
		"no after":             {`"after":{"state":"HALF_OPEN"`, `"before":{"state":"HALF_OPEN"`, "after is missing"},
		"an unknown state":     {`"state":"HALF_OPEN"`, `"state":"AJAR"`, `"AJAR" is no state`},
		"an unknown op":        {`"observe"`, `"obey"`, `op = "obey": unknown`},
		"time running back":    {`"t":1020`, `"t":10`, "t must be from 30, the time of the step before"},
		"a time too late":      {`"t":1030`, `"t":1000000000000`, "to 315360000000"},
		"a wrong duration":     {`"duration_ms":20`, `"duration_ms":21`, "duration_ms must be 20"},
		"no duration":          {`"duration_ms":20,`, ``, "duration_ms must be 20"},
		"no target":            {`"to":"DISABLED",`, ``, "to is missing"},
		"too many turns":       {`_ms":1000,"perm`, `_ms":1,"perm`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			line := aTrace(c.old, c.replacement)
			if c.problem == "" {
				line = aTrace(c.old, c.replacement, `_ms":500`, `_ms":1`, `"t":1030`, `"t":10000000000`)
				c.problem = "timers alone would make more than 10000 transitions"
			}
			_, err := parseTrace(line)
			if err == nil || !strings.Contains(err.Error(), c.problem) {
				t.Errorf("got error %v, want one with %q", err, c.problem)
			}
		})
	}
}

func TestReadTraces(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, body string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := string(aTrace())
	n := 0
	count := func(*trace) { n++ }
	if err := readTraces(file("two.jsonl", good+"\n\n"+good), count); err != nil || n != 2 {
		t.Errorf("two traces: got %d, %v", n, err)
	}
	for name, c := range map[string]struct{ body, problem string }{
		"bad.jsonl":    {good + "\n{}\n", "bad.jsonl:2: a trace needs a name"},
		"bad.jsonl.gz": {good, "bad.jsonl.gz: gzip"},
		"long.jsonl":   {strings.Repeat(" ", maxLine+1), "long.jsonl:1: bufio.Scanner: token too long"},
	} {
		err := readTraces(file(name, c.body), count)
		if err == nil || !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%s: got error %v, want one with %q", name, err, c.problem)
		}
	}
	if err := readTraces(filepath.Join(dir, "missing.jsonl"), count); !os.IsNotExist(err) {
		t.Errorf("a missing file: got error %v", err)
	}
	// A trace that tells another story is a difference, not an error of the reader.
	tr, err := parseTrace(aTrace(`"bufferedCalls":1`, `"bufferedCalls":2`))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "difference", fmt.Sprint(tr.run(true)), "step 1 (t=20 error 1): calls in the window: got 1, want 2")
}

// FuzzTrace holds that no input makes the parser panic, and that whatever it accepts
// can be run to its end.
func FuzzTrace(f *testing.F) {
	f.Add(aTrace())
	f.Add(aTrace("TIME_BASED", "COUNT_BASED", ":true}", ":false}", `_ms":500`, `_ms":0`))
	f.Add(aTrace(`"error"`, `"release"`))
	f.Add(aTrace(`"error"`, `"ignored"`, `"minimumNumberOfCalls":1`, `"minimumNumberOfCalls":5`))
	f.Add([]byte(`{"name":"x","config":{},"steps":[{}]}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		tr, err := parseTrace(line)
		if err != nil {
			return
		}
		// Differences are expected: the answers are the fuzzer's. Each half sees
		// steps that the other stops short of.
		_ = tr.run(true)
		_ = tr.run(false)
	})
}
