package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/switchgear-go/switchgear/sghttp/admin"
)

// suggested is how many names are told to somebody who gave one that is not there.
const suggested = 5

// unknown is the error for a name that no breaker has. It tells the nearest ones.
func (c *ctlClient) unknown(ctx context.Context, wanted string) error {
	said := "there is no breaker " + named(wanted)
	if isPattern(wanted) {
		said = "no breaker matches " + named(wanted)
	}
	var l admin.List
	if _, err := c.call(ctx, http.MethodGet, "/breakers?limit=1000", nil, &l); err != nil {
		return fmt.Errorf("%s\nThere may be others; they cannot be listed: %w", said, err)
	}
	if len(l.Breakers) == 0 {
		return fmt.Errorf("%s: the program has made none so far", said)
	}
	var names []string
	for _, s := range l.Breakers {
		names = append(names, s.Name)
	}
	names = nearest(wanted, names)
	for i, name := range names {
		names[i] = named(name)
	}
	said += "\nThese are there: " + strings.Join(names, ", ")
	if more := l.Total - len(names); more > 0 {
		said += fmt.Sprintf(" and %d more, see switchgear ctl list", more)
	}
	return errors.New(said)
}

// nearest returns the names most like the one wanted, the nearest first.
func nearest(wanted string, names []string) []string {
	wanted = strings.ToLower(strings.Map(func(r rune) rune {
		if r == '*' || r == '?' {
			return -1
		}
		return r
	}, wanted))
	far := map[string]int{}
	for _, name := range names {
		if lower := strings.ToLower(name); !strings.Contains(lower, wanted) {
			far[name] = distance(wanted, lower)
		}
	}
	names = slices.Clone(names)
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(far[a], far[b]) })
	return names[:min(len(names), suggested)]
}

// distance is how many letters have to be put in, taken out or changed to make one of
// the other. It looks at the first 64 of each.
func distance(a, b string) int {
	clip := func(s string) []rune {
		r := []rune(s)
		return r[:min(len(r), 64)]
	}
	from, to := clip(a), clip(b)
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range from {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range to {
			change := diagonal
			if x != y {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(to)]
}
