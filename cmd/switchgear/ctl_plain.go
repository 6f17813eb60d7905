package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// plain returns a foreign text with everything escaped that is not printable. The
// handler does that too; but whoever answers need not be one.
func plain(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && size == 1 || !strconv.IsPrint(r) {
			q := strconv.Quote(s[:size])
			b.WriteString(q[1 : len(q)-1])
		} else {
			b.WriteRune(r)
		}
		s = s[size:]
	}
	return b.String()
}

// named returns a name as it is if it cannot be misread, else quoted.
func named(name string) string {
	for _, r := range name {
		switch {
		case r >= '0' && r <= '9', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', strings.ContainsRune("-_./:@", r):
		default:
			return strconv.Quote(name)
		}
	}
	if name == "" {
		return `""`
	}
	return name
}

// printJSON writes a JSON document, indented or in one line. It says the same as the
// one given, but nothing in it commands a terminal: what is not printable is escaped.
// In valid JSON that can only be in strings.
func printJSON(w io.Writer, raw []byte, indent bool) error {
	var b bytes.Buffer
	var err error
	if indent {
		err = json.Indent(&b, bytes.Trim(raw, " \t\r\n"), "", "  ") // it would keep what follows
	} else {
		err = json.Compact(&b, raw)
	}
	if err != nil {
		return err
	}
	var out strings.Builder
	for _, r := range b.String() {
		switch {
		case r < utf8.RuneSelf && r != 0x7f, r != utf8.RuneError && strconv.IsPrint(r):
			out.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&out, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	out.WriteByte('\n')
	_, err = io.WriteString(w, out.String())
	return err
}
