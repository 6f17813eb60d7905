package main

import (
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"

	"github.com/switchgear-go/switchgear/sim/sweep"
)

// simFlags are the flags that all commands have that simulate something.
type simFlags struct {
	seed   uint64
	seeds  int
	axes   []axis
	asJSON bool
	csv    string // a folder
	html   string // a file
	width  int    // 0: as wide as the terminal
}

// simFlagsHelp explains them; a command puts in what its values look like.
const simFlagsHelp = `  --seeds N           make the runs of N consecutive seeds, and print the mean
                      and the 5th and 95th percentile of each figure; at most
                      100000
  --sweep %-11s do that for each of these values; given several times, for
                      all combinations, of which there may be 1000

  --json              print one JSON document, and nothing else
  --csv DIR           write tables into this folder, which is made if need be
  --html FILE         write a page with charts that needs no network
  --width N           columns of the text, from 60 to 500; default those of the
                      terminal, or 100
`

func (f *simFlags) register(flags *flag.FlagSet) {
	flags.Func("seed", "", func(text string) (err error) {
		if f.seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			return errors.New("must be a whole number from 0 to 18446744073709551615")
		}
		return nil
	})
	number(flags, "seeds", &f.seeds, 1, sweep.MaxSeeds)
	flags.Func("sweep", "", func(text string) error {
		a, err := parseAxis(text)
		if err != nil {
			return err
		}
		for _, other := range f.axes {
			if other.key == a.key {
				return fmt.Errorf("must have another key than %s, which has been given", a.key)
			}
		}
		f.axes = append(f.axes, a)
		if n := combined(f.axes); n > sweep.MaxPoints {
			return fmt.Errorf("makes %d combinations: must be at most %d", n, sweep.MaxPoints)
		}
		return nil
	})
	flags.BoolVar(&f.asJSON, "json", false, "")
	flags.StringVar(&f.csv, "csv", "", "")
	flags.StringVar(&f.html, "html", "", "")
	number(flags, "width", &f.width, 60, 500)
}

// tabled reports whether a table is wanted, and not only runs.
func (f *simFlags) tabled() bool { return f.seeds > 0 || len(f.axes) > 0 }

// An axis is one --sweep: what is to change, and the values it takes.
type axis struct {
	key    string
	values []string
}

// parseAxis reads "wait=1s,5s".
func parseAxis(text string) (axis, error) {
	key, list, ok := strings.Cut(text, "=")
	if !ok || key == "" {
		return axis{}, errors.New("must be KEY=VALUE,VALUE, such as wait=1s,5s")
	}
	a := axis{key: key, values: strings.Split(list, ",")}
	seen := map[string]bool{}
	for _, v := range a.values {
		if v == "" {
			return axis{}, errors.New("must not have an empty value")
		}
		if seen[v] {
			return axis{}, fmt.Errorf("must not have %s twice", v)
		}
		seen[v] = true
	}
	return a, nil
}

// combined returns how many combinations the values of the axes have, or, of too
// many, a number that is too large as well.
func combined(axes []axis) int {
	n := 1
	for _, a := range axes {
		if n *= len(a.values); n > sweep.MaxPoints {
			return n
		}
	}
	return n
}

// combinations returns all of them, the values of the last axis changing fastest.
// Without axes there is one, without settings.
func combinations(axes []axis) [][]sweep.Setting {
	list := [][]sweep.Setting{nil}
	for _, a := range axes {
		var next [][]sweep.Setting
		for _, before := range list {
			for _, v := range a.values {
				next = append(next, append(before[:len(before):len(before)], sweep.Setting{Key: a.key, Value: v}))
			}
		}
		list = next
	}
	return list
}
