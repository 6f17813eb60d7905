package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/switchgear-go/switchgear/sgyaml"
	"github.com/switchgear-go/switchgear/sim"
)

// longList is from how many entries on a list of a configuration is cut short:
// recorded arrivals may be millions.
const longList = 20

// document returns a configuration as a document of package scenario, which can be run
// again, and how many entries of its lists had to be left out of it.
func document(name string, c sim.Config) (text string, left int) {
	c, left = shortened(c)
	return marshalled(struct {
		Name     string
		Scenario sim.Config
	}{name, c}), left
}

// marshalled writes a document, or why there is none.
func marshalled(v any) string {
	b, err := sgyaml.Marshal(v)
	if err != nil {
		return "# " + err.Error() + "\n"
	}
	return string(b)
}

// shortened returns a configuration whose lists are not long, and how many entries are
// left out.
func shortened(c sim.Config) (_ sim.Config, left int) {
	cut := func(n int) int {
		if n > longList {
			left += n - longList
			return longList
		}
		return n
	}
	c.Load.Arrivals = c.Load.Arrivals[:cut(len(c.Load.Arrivals))]
	c.Load.Think.Values = c.Load.Think.Values[:cut(len(c.Load.Think.Values))]
	c.Services = append([]sim.Service(nil), c.Services...)
	for i := range c.Services {
		l := &c.Services[i].Latency
		l.Values = l.Values[:cut(len(l.Values))]
	}
	return c, left
}

// A setting is one value of a configuration.
type setting struct{ path, value string }

// settings lists the values of a configuration that are not zero, in order.
func settings(c sim.Config) []setting {
	c.Name = "" // the runs have names of their own
	c, _ = shortened(c)
	doc, err := sgyaml.Parse("", []byte(marshalled(c)))
	if err != nil {
		return nil
	}
	return flatten(nil, "", doc)
}

func flatten(all []setting, path string, d *sgyaml.Document) []setting {
	var fields map[string]*sgyaml.Document
	if err := d.Decode(&fields); err == nil {
		for _, key := range slices.Sorted(maps.Keys(fields)) {
			sub := key
			if path != "" {
				sub = path + "." + key
			}
			all = flatten(all, sub, fields[key])
		}
		if len(fields) == 0 { // a part with all its defaults
			all = append(all, setting{path, "{}"})
		}
		return all
	}
	var list []*sgyaml.Document
	if err := d.Decode(&list); err == nil {
		for i, entry := range list {
			all = flatten(all, fmt.Sprintf("%s[%d]", path, i), entry)
		}
		return all
	}
	var value string
	if err := d.Decode(&value); err != nil {
		return all
	}
	return append(all, setting{path, value})
}

// A difference is a setting that is not the same in all runs.
type difference struct {
	Path   string
	Values []string // one for each run
}

// maxDifferences bounds what is listed: whole places may differ.
const maxDifferences = 60

// differences compares the configurations of the runs. A part that some runs have
// and others lack altogether, such as a breaker, is one difference; what is in it
// only counts where those that have it disagree.
func differences(runs []Run) (all []difference, left int) {
	var order []string
	values := map[string][]string{} // by path, of parts as well
	put := func(path string, run int, value string) {
		if values[path] == nil {
			values[path] = make([]string, len(runs))
			order = append(order, path)
		}
		values[path][run] = value
	}
	for i := range runs {
		for _, s := range settings(runs[i].Config) {
			for j, c := range s.path {
				if c == '.' || c == '[' && j > 0 {
					put(s.path[:j], i, "yes")
				}
			}
			put(s.path, i, s.value)
		}
	}
	slices.Sort(order)
	for _, path := range order {
		part := ""
		if i := strings.LastIndexAny(path, ".["); i > 0 {
			part = path[:i]
		}
		said, any, same := "", false, true
		shown := make([]string, len(runs))
		for i, v := range values[path] {
			shown[i] = cmp.Or(v, none)
			if part != "" && values[part][i] == "" {
				continue // that the part is missing has been said
			}
			if !any {
				said, any = v, true
			}
			same = same && v == said
		}
		if same {
			continue
		}
		if len(all) == maxDifferences {
			left++
			continue
		}
		all = append(all, difference{path, shown})
	}
	return all, left
}
