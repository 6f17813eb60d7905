package proof

import (
	"encoding/json"
	"reflect"
	"slices"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/internal/proof/model"
)

// compareSaved compares what the breaker saves with the model and with its own snapshot,
// and looks whether a new breaker that it is restored to would save the same.
func (d *driver) compareSaved(s breaker.Snapshot) {
	d.t.Helper()
	now, m := d.now(), d.m
	at := func(t time.Duration) time.Time { return d.clk.Now().Add(t - now).UTC() }
	got := d.b.Save()
	want := breaker.Saved{
		Version: 1, Name: "stock", Time: at(now), State: s.State, Since: s.Since.UTC(),
		Author: m.Author, Reason: m.Reason, Retrips: m.Growth(now), LastTrip: s.LastTrip,
		Runs: got.Runs, Buckets: got.Buckets,
	}
	switch {
	case m.Expires != model.Never:
		want.Until = at(m.Expires)
	case m.State == model.Open:
		want.Until = at(m.Until)
	}
	var outcomes []model.Outcome
	if (m.State == model.Closed || m.State == model.MetricsOnly) && !m.Grace(now) {
		want.Consecutive = m.Run
		outcomes = m.Shown.Visible(now)
	}
	d.equal("saved", got, want)
	d.compareOutcomes(got, outcomes)
	d.restore(got)
}

// compareOutcomes compares a saved window with the outcomes that the model shows.
func (d *driver) compareOutcomes(got breaker.Saved, want []model.Outcome) {
	d.t.Helper()
	if d.m.Shown.Last > 0 {
		var all []model.Outcome
		for _, r := range got.Runs {
			all = append(all, slices.Repeat([]model.Outcome{{Failed: r.Failed, Slow: r.Slow}}, int(r.N))...)
		}
		if !slices.Equal(all, want) || got.Buckets != nil {
			d.t.Fatalf("saved outcomes: got %+v, want %+v", got.Runs, want)
		}
		return
	}
	var buckets []breaker.SavedBucket
	for _, o := range want {
		start := d.clk.Now().Add(time.Duration(o.Bucket)*d.m.Shown.Bucket - d.now()).UTC()
		if n := len(buckets); n == 0 || !buckets[n-1].Start.Equal(start) {
			buckets = append(buckets, breaker.SavedBucket{Start: start})
		}
		b := &buckets[len(buckets)-1]
		b.Calls++
		b.Failed += count(o.Failed)
		b.Slow += count(o.Slow)
		b.SlowFailed += count(o.Failed && o.Slow)
	}
	if !slices.Equal(got.Buckets, buckets) || got.Runs != nil {
		d.t.Fatalf("saved outcomes: got %+v, want %+v", got.Buckets, buckets)
	}
}

func count(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// restore makes a new breaker of what was saved, in the same instant. In a state that
// a restart does not change, nothing may be lost.
func (d *driver) restore(s breaker.Saved) {
	d.t.Helper()
	if d.setup.Config.Grace > 0 || s.State == breaker.Open || s.State == breaker.HalfOpen || !s.Until.IsZero() && !s.Until.After(s.Time) {
		return // a new grace begins; an interval may become shorter; probes are forgotten; an expiry has passed
	}
	text, err := json.Marshal(s)
	if err != nil {
		d.t.Fatalf("saved: %v", err)
	}
	var read breaker.Saved
	if err := json.Unmarshal(text, &read); err != nil {
		d.t.Fatalf("saved: %v", err)
	}
	b, err := breaker.New("stock", d.setup.Config, breaker.WithClock(still{d.clk}))
	if err != nil {
		d.t.Fatalf("New: %v", err)
	}
	defer b.Close()
	if err := b.Restore(read); err != nil {
		d.t.Fatalf("Restore: %v\n%s", err, text)
	}
	got := b.Save()
	got.Since = s.Since
	gotText, err := json.Marshal(got)
	if err != nil {
		d.t.Fatalf("saved: %v", err)
	}
	if !reflect.DeepEqual(gotText, text) {
		d.t.Fatalf("saved, restored and saved again:\n got %s\nwant %s", gotText, text)
	}
	d.tally.note("restored in " + s.State.String())
}

// still is a clock whose timers never come due, so that a breaker made for a look does
// not disturb the history.
type still struct{ clock.Clock }

func (still) AfterFunc(time.Duration, func()) clock.Timer { return stopped{} }

type stopped struct{}

func (stopped) Stop() bool { return true }
