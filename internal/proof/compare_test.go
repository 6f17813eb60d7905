package proof

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/internal/proof/model"
	"github.com/switchgear-go/switchgear/window"
)

// check compares what can be read without making the breaker add anything up: most
// histories must run without such help.
func (d *driver) check() {
	d.t.Helper()
	d.reconcile()
	if got, want := len(d.got), len(d.want); got != want {
		d.t.Fatalf("S7: %d events, want %d; the last is %v", got, want, d.got[got-1])
	}
	if got := d.b.State(); got.String() != string(d.m.State) {
		d.t.Fatalf("state: got %v, want %v", got, d.m.State)
	}
	if got, want := d.b.Ready(), d.m.Ready(d.now()); got != want {
		d.t.Fatalf("S6: Ready: got %v, want %v in %v", got, want, d.m.State)
	}
	d.checkTimer()
	d.tally.note("in " + string(d.m.State))
	if d.setup.Curious {
		d.observe()
	}
}

// checkTimer compares the pending timers (K2).
func (d *driver) checkTimer() {
	d.t.Helper()
	want, ok := d.m.Timer()
	got, pending := d.clk.Next()
	if pending != ok || ok && got != want || d.clk.Pending() > 1 {
		d.t.Fatalf("K2, S4, O5, H6: pending timers: got %d, next at %v; want %v at %v, in %v since %v",
			d.clk.Pending(), got, ok, want, d.m.State, d.m.Start)
	}
}

// reconcile compares the model's new events with those that the listener has seen,
// and makes the model do what the listener did.
func (d *driver) reconcile() {
	d.t.Helper()
	for len(d.m.Events) > 0 {
		for _, e := range d.m.Events {
			i := len(d.want)
			if i >= len(d.got) {
				d.t.Fatalf("S7: event %d is missing: %+v", i+1, e)
			}
			d.compareEvent(d.got[i], e)
			d.want = append(d.want, e)
		}
		d.m.Events = nil
		if d.due != nil {
			d.modelMove(*d.due)
			d.due = nil
			d.tally.note("moved by a listener")
		}
	}
}

func (d *driver) compareEvent(got event.Event, want model.Event) {
	d.t.Helper()
	wall := d.clk.Now()
	kind := event.Transition
	if want.Renewed {
		kind = event.Renewed
	}
	d.equal("event", got, event.Event{
		Seq: got.Seq, Time: wall, Source: "breaker", Name: "stock", Kind: kind,
		From: string(want.From), To: string(want.To), Period: want.Period,
		Author: want.Author, Reason: want.Reason, Detail: got.Detail,
	})
	change, ok := got.Detail.(*breaker.Change)
	if !ok {
		d.t.Fatalf("T5: the detail of %v is a %T", got, got.Detail)
	}
	var expires time.Time
	if want.Expires != model.Never {
		expires = wall.Add(want.Expires - want.At)
	}
	d.equal("change", *change, breaker.Change{
		Numbers: numbers(want.Numbers), Lasted: want.Lasted, Refused: want.Refused,
		Probes: want.Probes, GivenBack: want.GivenBack, Trip: change.Trip, Expires: expires,
		Expired: want.Expired, ConfigVersion: 1 + d.reloaded,
	})
	if want.From == model.Open {
		d.open += want.Lasted
	}
	d.compareTrip(change.Trip, want.Trip)
	if want.Trip != nil && d.m.Last == want.Trip && d.m.State == model.Open && d.m.Period == want.Period {
		d.m.Adopt(change.Trip.Wait)
	}
	d.tally.event(want)
	d.noteGrowth(want)
}

// noteGrowth notes what the length of an open interval shows (O1 to O3).
func (d *driver) noteGrowth(e model.Event) {
	if e.Trip == nil || e.To != model.Open {
		return
	}
	c := d.setup.modelConfig()
	if e.Trip.Retrips > 0 && c.Factor > 1 {
		d.tally.note("interval grown")
	}
	if e.Trip.Retrips < d.growth && c.Factor > 1 {
		d.tally.note("growth taken back")
	}
	if e.Trip.Wait > c.MaxWait+time.Duration(float64(c.MaxWait)*float64(c.Jitter)/100_00) {
		d.tally.note("interval made longer by a hint")
	}
	d.growth = e.Trip.Retrips
	if e.Trip.Rule != "operator" {
		d.growth++
	}
}

// compareTrip compares two trip records (T5). Waits may differ by the rounding of one
// multiplication.
func (d *driver) compareTrip(got *breaker.Trip, want *model.Trip) {
	d.t.Helper()
	if (got == nil) != (want == nil) {
		d.t.Fatalf("T5: got trip %+v, want %+v", got, want)
	}
	if got == nil {
		return
	}
	expect := breaker.Trip{
		Rule: breaker.Rule(want.Rule), Time: got.Time, Numbers: numbers(want.Numbers),
		Threshold: switchgear.Percent(want.Threshold) / 100, Limit: want.Limit,
		Consecutive: want.Consecutive, Evidence: got.Evidence, Wait: want.Wait, Hint: want.Hint, Retrips: want.Retrips,
		Author: want.Author, Reason: want.Reason, Errors: got.Errors,
	}
	if off := got.Wait - want.Wait; -1 <= off && off <= 1 {
		expect.Wait = got.Wait
	}
	d.equal("T5: trip", *got, expect)
	d.compareErrors(got.Errors, want.Errors)
	if (got.Evidence == nil) != (want.Evidence == nil) {
		d.t.Fatalf("T6: got evidence %+v, want %+v", got.Evidence, want.Evidence)
	}
	if r, s := got.Evidence, want.Evidence; r != nil {
		test := d.setup.modelConfig().Failures
		if got.Rule == breaker.RuleSlowEvidence {
			test = d.setup.modelConfig().Slows
		}
		type report struct{ score, threshold, points, calls, failures, forgotten int64 }
		d.equal("T6: evidence", report{int64(r.Score), int64(r.Threshold), int64(r.PointsPerFailure), r.Calls, r.Failures, r.Forgotten},
			report{s.Points, test.Threshold, test.Points, s.Calls, s.Failed, s.Forgotten})
		d.equal("T6: since", r.Since, s.Since)
		d.equal("T6: elapsed", r.Elapsed, want.At-s.Since)
	}
}

// compareErrors compares the groups of a trip record: how many there were of each kind.
func (d *driver) compareErrors(got []breaker.ErrorGroup, want map[string]int) {
	d.t.Helper()
	counts := map[string]int{}
	for _, g := range got {
		counts[g.Kind] += g.Count
		if g.Sample == "" {
			d.t.Fatalf("T5: no sample of %q", g.Kind)
		}
	}
	expect := map[string]int{}
	for kind, n := range want {
		if kind == model.Overdue {
			kind = "error"
		}
		expect[kind] += n
	}
	if !maps.Equal(counts, expect) {
		d.t.Fatalf("T5: errors: got %v, want %v", counts, expect)
	}
	if !slices.IsSortedFunc(got, func(a, b breaker.ErrorGroup) int { return b.Count - a.Count }) {
		d.t.Fatalf("T5: the most frequent error does not come first: %v", got)
	}
}

// observe compares everything else.
func (d *driver) observe() {
	d.t.Helper()
	d.tally.note("observed in " + string(d.m.State))
	now, wall := d.now(), d.clk.Now()
	at := func(t time.Duration) time.Time { return wall.Add(t - now) }
	m, c := d.m, d.setup.modelConfig()
	m.PassTime(now)

	got := d.b.Snapshot()
	want := breaker.Snapshot{
		Name: "stock", State: stateOf(m.State), Period: m.Period, ConfigVersion: 1 + d.reloaded, Since: at(m.Start),
		Numbers: numbers(m.Numbers(now)), Grace: m.Grace(now), Author: m.Author, Reason: m.Reason,
		LastTrip: got.LastTrip, Counters: counters(m.Counters), OpenTime: d.open,
	}
	if m.State == model.Open {
		want.OpenTime += now - m.Start
	}
	if m.Expires != model.Never {
		want.Expires = at(m.Expires)
	}
	if m.LastFailed != model.Never {
		want.LastFailure = at(m.LastFailed)
	}
	switch m.State {
	case model.Open, model.ForcedOpen:
		want.RetryAfter, _ = m.Refusal().RetryAfter(now)
		want.IntervalPassed = m.State == model.Open && now >= m.Until
	case model.HalfOpen:
		want.ProbesOut = m.Running()
	case model.Closed:
		want.Consecutive = m.Run
		want.Evidence = level(c.Failures, m.Score, now)
		want.SlowEvidence = level(c.Slows, m.Slows, now)
	}
	if d.setup.Panics {
		want.ListenerPanics = uint64(len(d.heard))
	}
	d.equal("snapshot", got, want)
	d.compareTrip(got.LastTrip, m.Last)
	d.compareRates(got.Numbers, want.Numbers)
	d.askRefusals()
	d.compareRing()
	d.compareTotals()
	d.compareSaved(got)
}

// compareRates recomputes the rates of W3.
func (d *driver) compareRates(got, want breaker.Numbers) {
	d.t.Helper()
	rate := func(part int64) (float64, bool) {
		if want.Calls == 0 || want.Calls < want.Minimum {
			return 0, false
		}
		return 100 * float64(part) / float64(want.Calls), true
	}
	failed, failedOK := got.FailureRate()
	slow, slowOK := got.SlowRate()
	wantFailed, wantOK := rate(want.Failed)
	wantSlow, _ := rate(want.Slow)
	if failed != wantFailed || slow != wantSlow || failedOK != wantOK || slowOK != wantOK {
		d.t.Fatalf("W3: rates %v %v, %v %v; want %v, %v %v", failed, failedOK, slow, slowOK, wantFailed, wantSlow, wantOK)
	}
}

// compareRing holds the ring of recent events against what the listener saw (H7), and
// that against the order of events.
func (d *driver) compareRing() {
	d.t.Helper()
	ring := d.b.Events()
	if want := min(len(d.heard), 32); len(ring) != want {
		d.t.Fatalf("S7: the ring holds %d events, want %d", len(ring), want)
	}
	for i, e := range ring {
		d.equal("S7: event in the ring", e, d.heard[len(d.heard)-len(ring)+i])
	}
	for i, e := range d.heard {
		if e.Seq != uint64(i+1) {
			d.t.Fatalf("S7: event %d has the number %d", i+1, e.Seq)
		}
	}
}

// compareTotals is the equation of N1: each outcome that was reported is counted once.
func (d *driver) compareTotals() {
	d.t.Helper()
	c := d.b.Counters()
	if sum := c.Successful + c.Failed + c.Ignored + c.Released + c.Late; sum != d.ended {
		d.t.Fatalf("N1: %d outcomes were reported, %d are counted: %+v", d.ended, sum, c)
	}
}

// level is the gauge of an evidence score.
func level(e *model.Evidence, s model.Score, now time.Duration) float64 {
	if e == nil {
		return 0
	}
	return min(1, float64(s.Value(e, now))/float64(e.Threshold))
}

func numbers(n model.Numbers) breaker.Numbers {
	return breaker.Numbers{
		Counts:  window.Counts(n.Counts),
		Minimum: n.Minimum,
	}
}

func counters(c model.Counters) breaker.Counters { return breaker.Counters(c) }

func stateOf(s model.State) (state breaker.State) {
	if err := state.UnmarshalText([]byte(s)); err != nil {
		panic(err)
	}
	return state
}

// equal compares two values field by field. Times are equal if they are the same
// instant.
func (d *driver) equal(what string, got, want any) {
	d.t.Helper()
	g, w := reflect.ValueOf(got), reflect.ValueOf(want)
	if g.Kind() != reflect.Struct || g.Type() == reflect.TypeFor[time.Time]() {
		if got != want {
			d.t.Fatalf("%s: got %v, want %v", what, got, want)
		}
		return
	}
	for i := range g.NumField() {
		if !g.Type().Field(i).IsExported() {
			if fmt.Sprint(g.Field(i)) != fmt.Sprint(w.Field(i)) {
				d.t.Fatalf("%s: got %+v, want %+v", what, got, want)
			}
			continue
		}
		a, b := g.Field(i).Interface(), w.Field(i).Interface()
		if t, ok := a.(time.Time); ok && t.Equal(b.(time.Time)) {
			continue
		}
		if !reflect.DeepEqual(a, b) {
			d.t.Fatalf("%s: %s: got %+v, want %+v\n got %+v\nwant %+v", what, g.Type().Field(i).Name, a, b, got, want)
		}
	}
}
