package registry

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/switchgear-go/switchgear"
)

// MaxName is how many bytes a name may have.
const MaxName = 256

var (
	// ErrExists is matched by the error for a name that is taken: by another kind of
	// policy, by another instance, or with another configuration. What stands there
	// stays as it is.
	ErrExists = errors.New("registry: name is taken")

	// ErrFull is matched by the error for a new name when [Config.Max] entries are
	// there and none of them may go.
	ErrFull = errors.New("registry: full")
)

// source is the Source of the registry's own events, and the kind of policy in
// configuration errors.
const source = "registry"

// checkName returns a [*switchgear.ConfigError] if name cannot be one.
func checkName(name string) error {
	wrong := func(value any, bound string) error {
		return &switchgear.ConfigError{
			Policy: source, Name: clip(name),
			Problems: []switchgear.Problem{{Path: "Name", Value: value, Bound: bound}},
		}
	}
	switch {
	case name == "":
		return wrong(`""`, "must not be empty")
	case len(name) > MaxName:
		return wrong(fmt.Sprintf("%d bytes", len(name)), fmt.Sprintf("must have at most %d bytes", MaxName))
	case !utf8.ValidString(name):
		return wrong(fmt.Sprintf("%q", name), "must be valid UTF-8")
	}
	return nil
}

// clip makes any text one that checkName accepts, unless it is empty.
func clip(s string) string {
	if len(s) > MaxName {
		s = s[:MaxName]
		for n := 1; n < utf8.UTFMax && n < len(s); n++ { // a letter may have been cut in two
			if tail := s[len(s)-n:]; utf8.RuneStart(tail[0]) {
				if !utf8.FullRuneInString(tail) {
					s = s[:len(s)-n]
				}
				break
			}
		}
	}
	for s = strings.ToValidUTF8(s, "\uFFFD"); len(s) > MaxName; { // a byte has become three
		_, n := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-n]
	}
	return s
}
