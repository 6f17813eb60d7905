package report

import (
	"strings"
	"unicode"
)

// plain returns s as it may be shown on a terminal: what would move the cursor,
// change colours or turn the direction of writing becomes "�", and white space of
// any kind one space.
func plain(s string) string {
	return strings.Join(strings.FieldsFunc(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r):
			return unicode.ReplacementChar
		}
		return r
	}, s), func(r rune) bool { return r == ' ' }), " ")
}

// wide holds the characters that take two cells of a terminal, roughly.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x1100, 0x115f, 1}, {0x2e80, 0xa4cf, 1}, {0xac00, 0xd7a3, 1}, {0xf900, 0xfaff, 1},
		{0xfe30, 0xfe6f, 1}, {0xff00, 0xff60, 1}, {0xffe0, 0xffe6, 1},
	},
	R32: []unicode.Range32{{0x1f300, 0x1faff, 1}, {0x20000, 0x3fffd, 1}},
}

func cell(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case unicode.Is(wide, r):
		return 2
	}
	return 1
}

// cells returns how many cells of a terminal s takes.
func cells(s string) (n int) {
	for _, r := range s {
		n += cell(r)
	}
	return n
}

// clip returns s, or as much of its beginning as fits into n cells with a "…".
func clip(s string, n int) string {
	if cells(s) <= n {
		return s
	}
	used := 1
	for i, r := range s {
		if used += cell(r); used > n {
			return s[:i] + "…"
		}
	}
	return s
}

// clipPath does the same with the end of s, which is what tells paths apart.
func clipPath(s string, n int) string {
	for cells(s) > n {
		runes := []rune(strings.TrimPrefix(s, "…"))
		s = "…" + string(runes[1:])
		if len(runes) <= 2 {
			break
		}
	}
	return s
}

func padRight(s string, n int) string { return s + strings.Repeat(" ", max(n-cells(s), 0)) }

func padLeft(s string, n int) string { return strings.Repeat(" ", max(n-cells(s), 0)) + s }

// wrap breaks text into lines of at most n cells. Blank lines part paragraphs; what
// else breaks a line in the source does not.
func wrap(text string, n int) (lines []string) {
	for paragraph := range strings.SplitSeq(strings.ReplaceAll(text, "\r", ""), "\n\n") {
		words := strings.Fields(plain(paragraph))
		if len(words) == 0 {
			continue
		}
		if len(lines) > 0 {
			lines = append(lines, "")
		}
		line := ""
		for _, w := range words {
			for cells(w) > n { // longer than a line: broken where the line ends
				if line != "" {
					lines, line = append(lines, line), ""
				}
				head := strings.TrimSuffix(clip(w, n), "…")
				if head == "" {
					break
				}
				lines, w = append(lines, head), w[len(head):]
			}
			switch {
			case line == "":
				line = w
			case cells(line)+1+cells(w) <= n:
				line += " " + w
			default:
				lines, line = append(lines, line), w
			}
		}
		if line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}
