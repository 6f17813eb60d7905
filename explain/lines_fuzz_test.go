package explain_test

import (
	"encoding/json"
	"errors"
	"strconv"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/explain"
)

// FuzzLines: whatever names, errors, authors and reasons hold, each line is one
// printable line of bounded length, and each record can be written as JSON.
func FuzzLines(f *testing.F) {
	f.Add("payments", "dial tcp: connection refused", "ana", "maintenance")
	f.Add("", "", "", " ")
	f.Add("a\nb", "\x1b[2J\xff", "\u202e", "the operator's move has expired")
	f.Add("x", "y", "z", "restored from nowhere\r")
	f.Fuzz(func(t *testing.T, name, failure, author, reason string) {
		r := newRig(t, name, plain())
		r.calls(20, errors.New(failure))
		r.clock.Advance(time.Minute)
		r.calls(1, errors.New(failure))
		if reason != "" {
			r.move(breaker.Move{To: breaker.ForcedOpen, Author: author, Reason: reason, For: time.Hour})
			r.move(breaker.Move{To: breaker.Closed, Author: author, Reason: reason})
		}
		for _, e := range r.heard {
			rec, ok := explain.Of(e)
			if !ok {
				t.Fatalf("not explained: %v", e)
			}
			checkLine(t, rec)
		}
		checkLine(t, r.now())
	})
}

func checkLine(t *testing.T, rec explain.Record) {
	line := rec.String()
	// Four bytes may become \U0010ffff each, and there are at most five foreign texts.
	if len(line) > 5*256*4+200 || !utf8.ValidString(line) {
		t.Errorf("%d bytes: %q", len(line), line)
	}
	for _, c := range line {
		if !strconv.IsPrint(c) {
			t.Errorf("%q is in the line %q", c, line)
		}
	}
	if _, err := json.Marshal(rec); err != nil {
		t.Error(err)
	}
}
