package main

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A variant is one way in which the product could be wrong: a piece of its source and
// what stands there instead.
type variant struct {
	// name says what is wrong, after the rules that are broken, and the number of the
	// known fault (K06) if it is one. It is unique.
	name string
	// file is the source file, from the root of the repository.
	file string
	// old must stand in the file exactly once; new takes its place.
	old, new string
	// in is the folder whose tests must notice; empty for the file's own.
	in string
	// by names the test that must notice, among those of that package: the
	// full name of a test function, and after a slash how the name of a subtest begins.
	// All subtests that begin so are run.
	by string
	// hangs tells that the mistake is a deadlock, so that a test which does not end in
	// time has noticed. Everywhere else that is an error: the machine may be slow.
	hangs bool
}

// apply returns the text of the file with the mistake in it.
func (v *variant) apply(text string) (string, error) {
	switch n := strings.Count(text, v.old); {
	case v.old == "" || v.old == v.new:
		return "", fmt.Errorf("it replaces nothing")
	case n != 1:
		return "", fmt.Errorf("%s has changed: the text to be replaced stands there %d times, and must once:\n%s", v.file, n, v.old)
	}
	return strings.Replace(text, v.old, v.new, 1), nil
}

// dir returns the folder of the package whose tests must notice.
func (v *variant) dir() string {
	if v.in != "" {
		return v.in
	}
	return path.Dir(v.file)
}

// levels returns the levels of v.by, as the go command writes names of tests.
func (v *variant) levels() []string { return strings.Split(strings.ReplaceAll(v.by, " ", "_"), "/") }

// pattern returns what to give to go test as -run.
func (v *variant) pattern() string {
	levels := v.levels()
	for i, l := range levels {
		levels[i] = "^" + regexp.QuoteMeta(l)
	}
	levels[0] += "$"
	return strings.Join(levels, "/")
}

// isJudgedBy reports whether v.by names one of the tests, which are full names.
func (v *variant) isJudgedBy(tests []string) bool {
	levels := v.levels()
	return slices.ContainsFunc(tests, func(test string) bool {
		parts := strings.Split(test, "/")
		if len(parts) < len(levels) || parts[0] != levels[0] {
			return false
		}
		for i, l := range levels {
			if !strings.HasPrefix(parts[i], l) {
				return false
			}
		}
		return true
	})
}

// selected returns the variants whose names contain one of the words, or all if there
// are no words. A word that selects nothing is an error.
func selected(all []variant, words []string) ([]variant, error) {
	if len(words) == 0 {
		return all, nil
	}
	used := make(map[string]bool)
	var some []variant
	for _, v := range all {
		found := false
		for _, w := range words {
			if strings.Contains(v.name, w) {
				found, used[w] = true, true
			}
		}
		if found {
			some = append(some, v)
		}
	}
	for _, w := range words {
		if !used[w] {
			return nil, fmt.Errorf("no variant has %q in its name", w)
		}
	}
	return some, nil
}
