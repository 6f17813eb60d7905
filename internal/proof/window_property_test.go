package proof

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/switchgear-go/switchgear/internal/proof/model"
	"github.com/switchgear-go/switchgear/window"
)

// windowed is what the two kinds of windows have in common.
type windowed interface {
	Record(now time.Duration, failed, slow bool)
	Good(now time.Duration, n int64)
	Counts(now time.Duration) window.Counts
	Reset()
}

// W1, W6: a count window answers as if it kept all outcomes and counted them again.
func TestCountWindowEqualsTheModel(t *testing.T) {
	var ledger ledger
	rapid.Check(t, func(t *rapid.T) {
		size := pick(t, "size", 3, 1, 2, 7, 63, 64, 65, 130)
		d := windowDriver{w: window.NewCount(size), m: model.Window{Last: size}, tally: tally{}, rarity: pick(t, "rarity", 2, 20)}
		ops := d.ops()
		ops["add a run"] = func(t *rapid.T) {
			run := window.Run{N: int64(pick(t, "n", 1, 0, -3, 2, size-1, size, size+1)), Failed: d.bad(t, "failed"), Slow: d.bad(t, "slow")}
			d.w.(*window.Count).Add(run)
			for range run.N {
				d.m.Record(0, run.Failed, run.Slow)
			}
		}
		ops["resize"] = func(t *rapid.T) {
			size := pick(t, "size", 3, 1, 2, 7, 63, 64, 65, 130)
			d.w = d.w.(*window.Count).Resize(size)
			d.m = d.m.Resize(0, model.Window{Last: size})
			d.tally.note("resized")
		}
		ops["restore"] = func(t *rapid.T) {
			fresh := window.NewCount(d.m.Last)
			for run := range d.w.(*window.Count).Runs() {
				fresh.Add(run)
			}
			d.w = fresh
			d.tally.note("restored")
		}
		ops["runs"] = func(t *rapid.T) { d.compareRuns(t) }
		t.Repeat(ops)
		d.compareRuns(t)
		ledger.add(d.tally)
	})
	ledger.require(t, 50, "failed", "slow", "failed and slow", "good by the lump", "full", "reset", "resized", "restored")
}

// W2, W6: the same for a time window, at any time, also one that runs backwards.
func TestTimeWindowEqualsTheModel(t *testing.T) {
	var ledger ledger
	rapid.Check(t, func(t *rapid.T) {
		length, buckets := drawLength(t)
		d := windowDriver{
			w: window.NewTime(length, buckets), m: timeModel(length, buckets), tally: tally{}, rarity: pick(t, "rarity", 2, 20),
			now: pick[time.Duration](t, "now", 0, -12345*ms, 1<<40),
		}
		ops := d.ops()
		ops["wait"] = func(t *rapid.T) {
			width := d.m.Bucket
			step := width * pick[time.Duration](t, "buckets", 1, 0, 0, 2, time.Duration(d.m.Buckets)-1, time.Duration(d.m.Buckets), 1000)
			d.now += step + pick(t, "and", 0, 1, width/3)
		}
		ops["to the border"] = func(t *rapid.T) {
			end := d.w.(*window.Time).End(d.now)
			if want := d.m.End(d.now); end != want {
				t.Fatalf("End(%v): got %v, want %v", d.now, end, want)
			}
			d.now = end - pick[time.Duration](t, "before", 0, 1)
		}
		ops["back"] = func(t *rapid.T) { // a clock reading that was overtaken
			d.now -= pick(t, "d", 1, d.m.Bucket, 3*d.m.Bucket)
			d.tally.note("back in time")
		}
		ops["add counts"] = func(t *rapid.T) {
			both := int64(pick(t, "failed and slow", 0, 1))
			c := window.Counts{Failed: both + int64(pick(t, "failed", 0, 1, 5)), Slow: both + int64(pick(t, "slow", 0, 1, 5)), SlowFailed: both}
			c.Calls = c.Failed + c.Slow - both + int64(pick(t, "good", 0, 1, 30))
			d.w.(*window.Time).Add(d.now, c)
			for i := range c.Calls { // first those that are both, then failed, slow, good
				d.m.Record(d.now, i < c.Failed, i < both || i >= c.Failed && i < c.Failed+c.Slow-both)
			}
		}
		ops["resize"] = func(t *rapid.T) {
			length, buckets := drawLength(t)
			d.w = d.w.(*window.Time).Resize(d.now, length, buckets)
			d.m = d.m.Resize(d.now, timeModel(length, buckets))
			d.tally.note("resized")
		}
		ops["restore"] = func(t *rapid.T) {
			// What is visible at a time is all that another process could be
			// told; from then on the answers are the same.
			fresh := window.NewTime(time.Duration(d.m.Buckets)*d.m.Bucket, d.m.Buckets)
			for start, c := range d.w.(*window.Time).Buckets(d.now) {
				fresh.Add(start, c)
			}
			d.w = fresh
			d.m.All = d.m.Visible(d.now)
			d.tally.note("restored")
		}
		ops["look ahead"] = func(t *rapid.T) {
			d.compareAt(t, d.now+d.m.Bucket*pick(t, "buckets", 1, time.Duration(d.m.Buckets)-1, time.Duration(d.m.Buckets)))
		}
		t.Repeat(ops)
		ledger.add(d.tally)
	})
	ledger.require(t, 50, "failed", "slow", "failed and slow", "good by the lump", "expired", "back in time", "reset", "resized", "restored")
}

func drawLength(t *rapid.T) (time.Duration, int) {
	buckets := pick(t, "buckets", 3, 1, 2, 10, 60)
	width := pick(t, "width", sec, ms, 7)
	odd := pick(t, "odd", 0, time.Duration(buckets)/2) // not divisible: rounded up
	return time.Duration(buckets)*width - odd, buckets
}

func timeModel(length time.Duration, buckets int) model.Window {
	return model.Window{Bucket: (length + time.Duration(buckets) - 1) / time.Duration(buckets), Buckets: buckets}
}

// A windowDriver takes a window and its model through the same steps.
type windowDriver struct {
	w      windowed
	m      model.Window
	now    time.Duration
	tally  tally
	rarity int // of what is bad; long good stretches take other paths than mixtures
}

func (d *windowDriver) bad(t *rapid.T, label string) bool { return oneIn(t, d.rarity, label) }

func (d *windowDriver) ops() map[string]func(*rapid.T) {
	record := func(t *rapid.T) {
		failed, slow := d.bad(t, "failed"), d.bad(t, "slow")
		d.w.Record(d.now, failed, slow)
		d.m.Record(d.now, failed, slow)
	}
	good := func(t *rapid.T) {
		n := pick(t, "n", 1, -1, 0, 2, 3, 10, 63, 64, 65, 130)
		d.w.Good(d.now, int64(n))
		for range n {
			d.m.Record(d.now, false, false)
		}
		d.tally.note("good by the lump")
	}
	return map[string]func(*rapid.T){
		"": func(t *rapid.T) { d.compareAt(t, d.now) },
		// Several names, since all have the same weight.
		"record 1": record, "record 2": record, "record 3": record, "record 4": record,
		"good 1": good, "good 2": good,
		"reset": func(t *rapid.T) {
			if oneIn(t, 4, "really") {
				d.w.Reset()
				d.m.Reset()
				d.tally.note("reset")
			}
		},
	}
}

func (d *windowDriver) compareAt(t *rapid.T, now time.Duration) {
	got, want := d.w.Counts(now), window.Counts(d.m.Counts(now))
	if got != want {
		t.Fatalf("Counts(%v): got %+v, want %+v", now, got, want)
	}
	for what, n := range map[string]int64{"failed": got.Failed, "slow": got.Slow, "failed and slow": got.SlowFailed} {
		if n > 0 {
			d.tally.note(what)
		}
	}
	switch kept := int64(len(d.m.All)); {
	case d.m.Last > 0 && got.Calls == int64(d.m.Last):
		d.tally.note("full")
	case d.m.Last == 0 && got.Calls < kept:
		d.tally.note("expired")
	}
}

// compareRuns unrolls a count window: its totals may be right and its order wrong.
func (d *windowDriver) compareRuns(t *rapid.T) {
	var got []model.Outcome
	for run := range d.w.(*window.Count).Runs() {
		for range run.N {
			got = append(got, model.Outcome{Failed: run.Failed, Slow: run.Slow})
		}
	}
	if want := d.m.Visible(0); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("Runs: got %v, want %v", got, want)
	}
}
