package report

import (
	"math"
	"strings"
	"time"
)

const (
	gutter      = 10  // cells left of a chart, for its scale
	mostColumns = 140 // of a chart
)

var blocks = []rune(" ▁▂▃▄▅▆▇█")

// A scale maps values to the height of a chart, 0 to 1.
type scale struct {
	low, high float64
	log       bool
}

func (s scale) at(v float64) float64 {
	if s.log {
		v, s.low, s.high = math.Log(max(v, s.low)), math.Log(s.low), math.Log(s.high)
	}
	return min(max((v-s.low)/(s.high-s.low), 0), 1)
}

// charts prints what happened over time, each quantity on one scale for all runs.
func (p *printer) charts(runs []Run) {
	end := longest(runs)
	columns := p.columns(runs, end)
	axis := p.axis(runs, end, columns)

	p.heading("Attempts sent to the dependency, per second")
	p.chart(runs, axis, linear, func(r *Run) series { return sample(r, rate, end, columns, false) },
		func(v float64) string { return tidy(v) + "/s" })
	each := "second's calls"
	if row := runs[0].Result.RowLength; row != time.Second {
		each = round(row) + " of calls"
	}
	p.heading("p99 latency of each %s, logarithmic", each)
	p.chart(runs, axis, logarithmic, func(r *Run) series { return sample(r, p99, end, columns, true) },
		func(v float64) string { return round(time.Duration(v*1e9 + 0.5)) })
	p.heading("Attempts in flight to the dependency")
	p.chart(runs, axis, linear, func(r *Run) series { return sample(r, inFlight, end, columns, false) }, tidy)
	p.timeline(runs, axis, end, columns)
}

// columns returns how many columns the charts have: a whole number of them to a row
// where there is room for that, so that none looks different by chance.
func (p *printer) columns(runs []Run, end time.Duration) int {
	room := min(p.width-gutter, mostColumns)
	length := max(runs[0].Result.RowLength, 1)
	if rows := (end + length - 1) / length; rows <= time.Duration(room) {
		return int(rows) * (room / int(rows))
	}
	return room
}

// linear goes from 0 to the largest value.
func linear(all []series) scale {
	s := scale{high: 1e-9}
	for _, one := range all {
		for _, v := range one {
			s.high = max(s.high, v)
		}
	}
	return s
}

// logarithmic goes from one power of ten to another.
func logarithmic(all []series) scale {
	low, high := math.Inf(1), 0.0
	for _, one := range all {
		for _, v := range one {
			if v > 0 {
				low, high = min(low, v), max(high, v)
			}
		}
	}
	if high == 0 {
		return scale{1e-3, 1, true}
	}
	low = math.Pow(10, math.Floor(math.Log10(low)))
	high = math.Pow(10, math.Ceil(math.Log10(high)-1e-9))
	return scale{low, max(high, low*10), true}
}

func (p *printer) chart(runs []Run, axis []string, choose func([]series) scale, of func(*Run) series, label func(float64) string) {
	all := make([]series, len(runs))
	for i := range runs {
		all[i] = of(&runs[i])
	}
	height := 3
	if len(runs) > 4 {
		height = 1
	}
	s := choose(all)
	for i := range runs {
		p.line("%s", plain(runs[i].Name))
		lines := plot(all[i], s, height)
		for j, l := range lines {
			left := ""
			switch {
			case j == 0:
				left = label(s.high) + " ┤"
			case j == height-1:
				left = label(s.low) + " ┤"
			default:
				left = "│"
			}
			p.line("%s%s", padLeft(left, gutter), l)
		}
	}
	for _, l := range axis {
		p.line("%s", l)
	}
}

// plot draws columns from the bottom. A value that is there shows, however small.
func plot(values series, s scale, height int) []string {
	lines := make([]strings.Builder, height)
	for _, v := range values {
		eighths := 0
		if v > 0 {
			eighths = max(int(math.Round(s.at(v)*float64(8*height))), 1)
		}
		for j := range lines {
			n := eighths - 8*(height-1-j)
			lines[j].WriteRune(blocks[min(max(n, 0), 8)])
		}
	}
	out := make([]string, height)
	for j := range lines {
		out[j] = lines[j].String()
	}
	return out
}

// axis returns the lines below a chart: the faults, and the time.
func (p *printer) axis(runs []Run, end time.Duration, columns int) (lines []string) {
	left := strings.Repeat(" ", gutter)
	if list := faults(runs); len(list) > 0 {
		row := []rune(strings.Repeat("·", columns))
		for _, f := range list {
			from := int(int64(columns) * int64(f.from) / int64(end))
			to := max(int((int64(columns)*int64(f.to)+int64(end)-1)/int64(end)), from+1)
			for i := from; i < min(to, columns); i++ {
				row[i] = '▀'
			}
		}
		lines = append(lines, padLeft("fault ", gutter)+string(row))
	}
	marks, labels := []rune(strings.Repeat("─", columns)), []rune(strings.Repeat(" ", columns+gutter))
	every := tick(end, columns)
	for at := time.Duration(0); at < end; at += every {
		i := int(int64(columns) * int64(at) / int64(end))
		text := []rune(mark(at, end))
		if i >= columns || i+len(text) > len(labels) {
			break
		}
		marks[i] = '┴'
		copy(labels[i:], text)
	}
	marks[0] = '└'
	return append(lines, left+string(marks), left+strings.TrimRight(string(labels), " "))
}

// tick returns a round distance between marks such that their labels have room.
func tick(end time.Duration, columns int) time.Duration {
	least := end * 10 / time.Duration(max(columns, 10))
	if end > inHours {
		for _, n := range []time.Duration{1, 2, 3, 6, 12, 24, 48, 120, 240} {
			if n*time.Hour >= least {
				return n * time.Hour
			}
		}
	}
	for unit := time.Millisecond; ; unit *= 10 {
		for _, n := range []time.Duration{1, 2, 5} {
			if unit*n >= least {
				return unit * n
			}
		}
	}
}

// Runs longer than these have axes in hours, and in days.
const (
	inHours = 4 * time.Hour
	inDays  = 4 * 24 * time.Hour
)

// mark writes an instant of the axis of a run.
func mark(at, end time.Duration) string {
	switch {
	case end > inDays:
		return trim(at.Hours()/24) + " d"
	case end > inHours:
		return trim(at.Hours()) + " h"
	}
	return round(at)
}

// timeline prints one character a column for each place with breakers.
func (p *printer) timeline(runs []Run, axis []string, end time.Duration, columns int) {
	printed, crowd, lost := false, false, false
	for i := range runs {
		for _, l := range lanes(&runs[i]) {
			if !printed {
				p.heading("State of the breakers")
				printed = true
			}
			name := plain(runs[i].Name)
			if s := plain(l.several(&runs[i].Config)); s != "" {
				name += ": " + s
			}
			p.line("%s", name)
			p.line("%s%s", strings.Repeat(" ", gutter), l.draw(end, columns))
			crowd = crowd || l.breakers > 1
			lost = lost || l.until < runs[i].Config.Duration
		}
	}
	if !printed {
		return
	}
	for _, l := range axis {
		p.line("%s", l)
	}
	left := strings.Repeat(" ", gutter)
	p.line("%s─ closed   █ open   ▒ half-open for some of the time", left)
	if crowd {
		p.line("%s▁ to █ of several breakers: how many were not closed", left)
	}
	if lost {
		p.line("%s? not known: there were more transitions than a run keeps", left)
	}
}

// draw draws a lane.
func (l *lane) draw(end time.Duration, columns int) string {
	var b strings.Builder
	i := 0
	for c := range columns {
		from, to := part(end, c, columns), part(end, c+1, columns)
		if from >= l.until {
			b.WriteByte('?')
			continue
		}
		for i+1 < len(l.steps) && l.steps[i+1].at <= from {
			i++
		}
		open, half := 0, 0
		for j := i; j < len(l.steps) && (j == i || l.steps[j].at < to); j++ {
			open, half = max(open, l.steps[j].open), max(half, l.steps[j].halfOpen)
			if l.breakers > 1 {
				open = max(open, l.steps[j].open+l.steps[j].halfOpen)
			}
		}
		switch {
		case l.breakers > 1 && open > 0:
			b.WriteRune(blocks[min(max((8*open+l.breakers/2)/l.breakers, 1), 8)])
		case half > 0:
			b.WriteRune('▒')
		case open > 0:
			b.WriteRune('█')
		default:
			b.WriteRune('─')
		}
	}
	return b.String()
}
