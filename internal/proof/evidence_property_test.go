package proof

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/evidence"
	"github.com/switchgear-go/switchgear/internal/proof/model"
)

// T6: a score that gets its good outcomes late and by the lump is the one that the
// plain algorithm computes, outcome by outcome, each at its own time.
func TestEvidenceEqualsTheModel(t *testing.T) {
	var ledger ledger
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawEvidence(t)
		shares := pick(t, "shares", 1, 2)
		test, err := evidence.NewTest(*cfg, shares)
		if err != nil {
			t.Fatal(err)
		}
		e := modelEvidence(*cfg, shares)
		d := scoreDriver{test: test, e: e, now: origin, tally: tally{}}
		outcome := func(bad bool) func(*rapid.T) {
			return func(t *rapid.T) { d.record(t, bad) }
		}
		t.Repeat(map[string]func(*rapid.T){
			"":      d.compare,
			"bad 1": outcome(true), "bad 2": outcome(true), "bad 3": outcome(true), "good": outcome(false),
			"good, deferred": func(t *rapid.T) {
				if test.NeedsEveryOutcome() {
					d.record(t, false)
					return
				}
				n := pick(t, "n", 1, 2, int(e.Points), int(e.Threshold))
				for range n {
					d.want.Record(e, d.now, false)
					d.deferred++
				}
				d.last = max(d.last, d.now)
			},
			"wait": func(t *rapid.T) { d.now += pick(t, "d", ms, 1, 60*ms, sec, time.Minute) },
			"fade": func(t *rapid.T) {
				d.now += e.Per * pick[time.Duration](t, "points", 1, 2, time.Duration(e.Points), time.Duration(e.Threshold))
				d.now -= pick[time.Duration](t, "almost", 0, 1)
			},
			"back": func(t *rapid.T) { // a clock reading that was overtaken
				if d.deferred == 0 && oneIn(t, 4, "really") {
					d.now -= pick(t, "d", 1, ms, 3*sec)
					d.last = d.now
					d.tally.note("back in time")
				}
			},
			"reset": func(t *rapid.T) {
				if oneIn(t, 6, "really") {
					d.got.Reset()
					d.want, d.deferred = model.Score{}, 0
				}
			},
		})
		ledger.add(d.tally)
	})
	ledger.require(t, 50, "above zero", "tripped", "faded", "faded to nothing", "deferred", "limited", "back in time", "without memory")
}

type scoreDriver struct {
	test *evidence.Test
	e    *model.Evidence
	got  evidence.Score
	want model.Score

	now      time.Duration
	deferred int64         // good outcomes that got has not heard of
	last     time.Duration // the newest time at which one of them ended
	tally    tally
}

func (d *scoreDriver) record(t *rapid.T, bad bool) {
	if d.deferred > 0 {
		d.got.Good(d.test, d.last, d.deferred)
		d.deferred = 0
		d.tally.note("deferred")
	}
	before := d.want
	trip, want := d.got.Record(d.test, d.now, bad), d.want.Record(d.e, d.now, bad)
	if trip != want {
		t.Fatalf("Record: got trip %v, want %v at %+v", trip, want, d.want)
	}
	if bad && d.want.Points < min(before.Value(d.e, d.now)+d.e.Points, d.e.Threshold+d.e.Points-1) {
		d.tally.note("limited")
	}
	if trip {
		d.tally.note("tripped")
	}
	d.compareReport(t)
}

// compare is allowed at any time: what is deferred only makes the value lower.
func (d *scoreDriver) compare(t *rapid.T) {
	got := d.got
	got.Good(d.test, d.last, d.deferred)
	want := d.want.Value(d.e, d.now)
	if v := int64(got.Value(d.test, d.now)); v != want {
		t.Fatalf("Value: got %d, want %d at %v of %+v", v, want, d.now, d.want)
	}
	if v := int64(d.got.Value(d.test, d.now)); v < want {
		t.Fatalf("Value without what is deferred: got %d, below %d", v, want)
	}
	if want > 0 {
		d.tally.note("above zero")
	}
	if want < d.want.Points {
		d.tally.note("faded")
	}
	if d.want.Points > 0 && want == 0 {
		d.tally.note("faded to nothing")
	}
	if d.e.Per == 0 {
		d.tally.note("without memory")
	}
}

// compareReport compares the numbers of the explanation, just after an outcome.
func (d *scoreDriver) compareReport(t *rapid.T) {
	r, s := d.got.Report(d.test, d.now), d.want
	if s.Points == 0 {
		if r.Score != 0 || r.Calls != 0 || r.Failures != 0 {
			t.Fatalf("Report: got %+v, want nothing", r)
		}
		return
	}
	if int64(r.Score) != s.Points || r.Calls != s.Calls || r.Failures != s.Failed || r.Forgotten != s.Forgotten ||
		r.Since != s.Since || r.Elapsed != max(d.now-s.Since, 0) {
		t.Fatalf("Report: got %+v, want %+v at %v", r, s, d.now)
	}
}

// Z1: in a breaker's configuration the memory can be switched off, and nothing fades.
func TestEvidenceWithoutMemoryNeverFades(t *testing.T) {
	test, err := evidence.NewTest(evidence.Config{Memory: switchgear.Off}, 1)
	if err != nil {
		t.Fatal(err)
	}
	var s evidence.Score
	s.Record(test, 0, true)
	if got, want := s.Value(test, 1<<62), test.Points(); got != want {
		t.Errorf("after 146 years: got %d points, want %d", got, want)
	}
}
