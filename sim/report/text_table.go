package report

import "strings"

// A table has a few columns of keys at its left and figures beside them. If it is
// too wide, it goes on below, with the keys again.
type table struct {
	keys   int
	header [][]string
	// rows with fewer cells than columns are headings within the table.
	rows [][]string
}

const gap = "  " // between columns

func (t *table) print(p *printer) {
	columns := len(t.header[0])
	widths := make([]int, columns)
	for _, rows := range [][][]string{t.header, t.rows} {
		for _, row := range rows {
			if len(row) < columns {
				continue
			}
			for i, s := range row {
				widths[i] = max(widths[i], cells(s))
			}
		}
	}
	left := 0
	for i := range t.keys {
		widths[i] = min(widths[i], max(p.width/2/t.keys-len(gap), 4))
		left += widths[i] + len(gap)
	}
	for from := t.keys; from < columns; {
		to, used := from, left
		for to < columns && (to == from || used+widths[to] <= p.width) {
			used += widths[to] + len(gap)
			to++
		}
		if from > t.keys {
			p.line("")
		}
		for _, row := range t.header {
			t.row(p, row, widths, from, to)
		}
		for _, row := range t.rows {
			if len(row) < columns {
				p.line("%s", strings.Join(row, gap))
				continue
			}
			t.row(p, row, widths, from, to)
		}
		from = to
	}
}

func (t *table) row(p *printer, row []string, widths []int, from, to int) {
	var b strings.Builder
	for i := range t.keys {
		b.WriteString(padRight(clipPath(row[i], widths[i]), widths[i]) + gap)
	}
	for i := from; i < to; i++ {
		b.WriteString(padLeft(row[i], widths[i]))
		if i < to-1 {
			b.WriteString(gap)
		}
	}
	p.line("%s", b.String())
}
