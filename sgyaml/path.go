package sgyaml

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// A step leads from a value into it: by a key, or by an index in brackets. Keys that
// are no plain names stand in brackets, too.
type step struct {
	name    string
	bracket bool
}

func (s step) index() (int, bool) {
	if !s.bracket {
		return 0, false
	}
	i, err := strconv.Atoi(s.name)
	return i, err == nil && i >= 0
}

// keyStep returns the step to a key of a mapping.
func keyStep(key string) step {
	return step{key, strings.ContainsFunc(key, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-'
	}) || key != "" && unicode.IsDigit(rune(key[0]))}
}

func indexStep(i int) step { return step{strconv.Itoa(i), true} }

func formatPath(steps []step) string {
	var b strings.Builder
	for _, s := range steps {
		switch {
		case s.bracket:
			b.WriteString("[" + s.name + "]")
		case b.Len() > 0:
			b.WriteString("." + s.name)
		default:
			b.WriteString(s.name)
		}
	}
	return b.String()
}

// maxSteps bounds paths.
const maxSteps = 100

// parsePath reads what formatPath writes. The empty path has no steps.
func parsePath(path string) ([]step, error) {
	var steps []step
	for rest := path; rest != ""; {
		s := step{bracket: rest[0] == '['}
		ok := true
		if s.bracket {
			s.name, rest, ok = strings.Cut(rest[1:], "]")
		} else {
			if len(steps) > 0 {
				ok = rest[0] == '.'
				rest = rest[1:]
			}
			end := strings.IndexAny(rest, ".[")
			if end < 0 {
				end = len(rest)
			}
			s.name, rest = rest[:end], rest[end:]
		}
		if !ok || s.name == "" || len(steps) == maxSteps {
			return nil, fmt.Errorf("must be a path such as services[0].faults[1].to")
		}
		steps = append(steps, s)
	}
	return steps, nil
}

// goPath reads the path of a [switchgear.Problem], such as Services[0].Faults[1].To,
// and takes it as it comes.
func goPath(path string) []step {
	steps, err := parsePath(path)
	if err != nil {
		return []step{{name: path}}
	}
	for i := range steps {
		if !steps[i].bracket {
			steps[i].name = keyOf(steps[i].name)
		}
	}
	return steps
}
