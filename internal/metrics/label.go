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
	if len(name) > maxName {
		n := maxName
		for n > maxName-utf8.UTFMax && !utf8.RuneStart(name[n]) {
			n--
		}
		name = name[:n]
	}
	return strings.ToValidUTF8(name, "\uFFFD")
}
