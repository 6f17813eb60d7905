package metrics

import (
	"strings"
	"unicode/utf8"
)

// Other is the name under which entries are added up that have no points of their own.
const Other = "other"

// maxName bounds the label values that names become, in bytes: the longest host name
// with a port fits. A longer name is cut.
const maxName = 260

// Label makes a label value of a name, which may be anything: at most maxName bytes of
// valid UTF-8. Different names may end up the same. Quoting is left to who writes the
// value down.
func Label(name string) string {
	// What is put in place of bytes that are not UTF-8 is longer than they are. The first
	// cut bounds the work, and the second the result.
	return cut(strings.ToValidUTF8(cut(name), "\uFFFD"))
}

// cut shortens s to maxName bytes, if it can between two characters.
func cut(s string) string {
	if len(s) <= maxName {
		return s
	}
	n := maxName
	for n > maxName-utf8.UTFMax && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
