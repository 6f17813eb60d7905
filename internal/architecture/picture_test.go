package architecture

import (
	"fmt"
	"regexp"
	"testing"
)

const picture = "docs/architecture.md"

// pictureIsComplete: the architecture page names every place of the layers that
// a package with code fills, so that none is added behind its back.
func pictureIsComplete(r *repository) (bad []string) {
	page := ""
	for _, f := range r.texts {
		if f.path == picture {
			page = f.body
		}
	}
	seen := map[string]bool{".": true}
	for _, s := range r.sources {
		_, folder := place(s.dir)
		if s.test || folder == "" || seen[folder] {
			continue
		}
		seen[folder] = true
		if !regexp.MustCompile(`\b` + regexp.QuoteMeta(folder) + `\b`).MatchString(page) {
			bad = append(bad, fmt.Sprintf("%s: %s is missing", picture, folder))
		}
	}
	return bad
}

func TestPictureIsComplete(t *testing.T) { holds(t, pictureIsComplete) }

func TestPictureIsCompleteNotices(t *testing.T) {
	notices(t, pictureIsComplete, []breach{
		{"nothing wrong", map[string]string{
			picture:                    "`clock` and cmd/x",
			"doc.go":                   "package switchgear\n",
			"clock/clock.go":           "package clock\n",
			"cmd/x/main.go":            "package main\n",
			"cmd/x/internal/a/a.go":    "package a\n",
			"internal/proof/a_test.go": "package proof\n",
		}, nil},
		{"a package is missing", map[string]string{
			picture:             "clocks and event.",
			"clock/a.go":        "package clock\n",
			"clock/b.go":        "package clock\n",
			"event/a.go":        "package event\n",
			"internal/pad/a.go": "package pad\n",
		}, []string{picture + ": clock is missing", picture + ": internal/pad is missing"}},
	})
}
