package sim

import (
	"slices"
	"time"

	"github.com/switchgear-go/switchgear/sim/internal/stats"
)

// A recorder files every call of the client under its row and its segment. The
// segments are what the ends of the windows cut the run into, so that windows may
// overlap and a call is filed once all the same.
type recorder struct {
	cfg *Config

	cuts     []time.Duration // ends of segments but the last
	segments []tally
	segment  int           // of arrivals now
	boundary time.Duration // its end
	level    *stats.Level  // attempts in flight, cut at all ends of windows and rows

	rows   []Row
	open   []*openRow // by row; nil when it has not begun or is summed up
	spare  []*openRow
	row    int
	rowEnd time.Duration

	sorter stats.Sorter
	sum    tally
}

// An openRow still waits for calls to end, or for the row to. Its values are given
// up as soon as neither is so: that bounds memory.
type openRow struct {
	tally
	arrived uint64
}

func newRecorder(cfg *Config) recorder {
	r := recorder{cfg: cfg}
	for _, w := range cfg.Windows {
		r.cuts = append(r.cuts, w.From, w.To)
	}
	slices.Sort(r.cuts)
	r.cuts = slices.Compact(r.cuts)
	if len(r.cuts) > 0 && r.cuts[0] == 0 {
		r.cuts = r.cuts[1:]
	}
	r.segments = make([]tally, len(r.cuts)+1)
	r.open = make([]*openRow, (cfg.Duration+cfg.Row-1)/cfg.Row)
	ends := slices.Clone(r.cuts)
	for i := range r.open {
		_, to := r.span(i)
		ends = append(ends, to)
	}
	slices.Sort(ends)
	r.level = stats.NewLevel(slices.Compact(ends))
	return r
}

// span returns from when to when a row lasts.
func (r *recorder) span(row int) (from, to time.Duration) {
	from = time.Duration(row) * r.cfg.Row
	return from, min(from+r.cfg.Row, r.cfg.Duration)
}

// start begins a run.
func (r *recorder) start() {
	for i := range r.segments {
		r.segments[i].reset()
	}
	r.segment, r.boundary = 0, r.endOf(0)
	r.level.Reset()
	for i := range r.open {
		if r.open[i] != nil { // of a run that was broken off
			r.spare = append(r.spare, r.open[i])
			r.open[i] = nil
		}
	}
	r.rows = make([]Row, len(r.open))
	for i := range r.rows {
		r.rows[i].At = time.Duration(i) * r.cfg.Row
	}
	r.row, r.rowEnd = -1, 0
	r.nextRow()
}

func (r *recorder) endOf(segment int) time.Duration {
	if segment < len(r.cuts) {
		return r.cuts[segment]
	}
	return never
}

// arrived files a call's arrival and returns where the call belongs.
func (r *recorder) arrived(now time.Duration) (row uint32, segment uint16) {
	for now >= r.boundary {
		r.segment++
		r.boundary = r.endOf(r.segment)
	}
	for now >= r.rowEnd && r.row+1 < len(r.open) {
		r.nextRow()
	}
	r.open[r.row].arrived++
	return uint32(r.row), uint16(r.segment)
}

func (r *recorder) nextRow() {
	r.row++
	r.rowEnd += r.cfg.Row
	o := new(openRow)
	if n := len(r.spare); n > 0 {
		o, r.spare = r.spare[n-1], r.spare[:n-1]
		o.arrived = 0
		o.reset()
	}
	r.open[r.row] = o
	if r.row > 0 {
		r.closeRow(r.row - 1)
	}
}

// closeRow sums a row up that no call can be filed under any more.
func (r *recorder) closeRow(i int) {
	o := r.open[i]
	if o == nil || o.series.Count() < o.arrived {
		return
	}
	o.row(&r.rows[i], &r.sorter)
	r.open[i] = nil
	r.spare = append(r.spare, o)
}

// ended files how a call ended.
func (r *recorder) ended(row uint32, segment uint16, o Outcome, sent uint32, took time.Duration) {
	r.segments[segment].add(o, sent, took)
	open := r.open[row]
	open.add(o, sent, took)
	if int(row) < r.row && open.series.Count() == open.arrived {
		r.closeRow(int(row))
	}
}

// report sums the run up.
func (r *recorder) report(res *Result, now time.Duration) {
	for r.row+1 < len(r.open) {
		r.nextRow()
	}
	r.closeRow(r.row)
	r.level.Add(max(now, r.cfg.Duration), 0)
	for i := range r.rows {
		row := &r.rows[i]
		from, to := r.span(i)
		row.Sent = r.level.Rises(from, to)
		row.Peak, _, row.InFlight = r.level.Between(from, to)
	}
	res.RowLength, res.Rows = r.cfg.Row, r.rows
	for i := range r.segments {
		r.segments[i].series.Sort(&r.sorter)
	}
	res.Whole = r.between(0, never)
	for _, w := range r.cfg.Windows {
		wr := WindowResult{Window: w, Summary: r.between(w.From, w.To)}
		wr.Peak, wr.PeakAt, wr.InFlight = r.level.Between(w.From, w.To)
		res.Windows = append(res.Windows, wr)
	}
}

// between sums up the segments that lie between two cuts.
func (r *recorder) between(from, to time.Duration) Summary {
	first := 0
	for first < len(r.cuts) && r.cuts[first] <= from {
		first++
	}
	last := first
	for last < len(r.cuts) && r.cuts[last] < to {
		last++
	}
	if first == last {
		return r.segments[first].summary()
	}
	r.sum.union(r.segments[first:last+1], &r.sorter)
	return r.sum.summary()
}
