package explain

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// clip returns at most so many bytes of s, without cutting a letter in two.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// plain returns at most so many bytes of a foreign text, with everything escaped
// that is not printable: nothing in it can end a line, command a terminal, or turn
// the direction of writing.
func plain(s string, most int) string {
	short := clip(s, most)
	var b strings.Builder
	for i, r := range short {
		if r == utf8.RuneError && !strings.HasPrefix(short[i:], "\uFFFD") || !strconv.IsPrint(r) {
			_, size := utf8.DecodeRuneInString(short[i:])
			q := strconv.Quote(short[i : i+size])
			b.WriteString(q[1 : len(q)-1])
			continue
		}
		b.WriteRune(r)
	}
	if len(short) < len(s) {
		b.WriteString("…")
	}
	return b.String()
}

// named returns a breaker's name: as it is if it cannot be misread, else quoted.
func named(name string) string {
	const most = 128
	for _, r := range name {
		switch {
		case r >= '0' && r <= '9', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', strings.ContainsRune("-_./:@", r):
		default:
			return quoted(name, most)
		}
	}
	if name == "" || len(name) > most {
		return quoted(name, most)
	}
	return name
}

// quoted returns a foreign text in quotes.
func quoted(s string, most int) string {
	short := clip(s, most)
	q := strconv.Quote(short)
	if len(short) < len(s) {
		q = q[:len(q)-1] + `…"`
	}
	return q
}
