package scenario

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/switchgear-go/switchgear/sgyaml"
	"github.com/switchgear-go/switchgear/sim"
)

// MaxVariants is how many variants a document may have.
const MaxVariants = 32

// A Document is a scenario as it was written. It never changes.
type Document struct {
	content
	file string
	// whole is everything: paths in it begin at the top.
	whole *sgyaml.Document
}

// content is what a document says, as far as it can be said without its variants.
type content struct {
	Name, Title, Teaches string
	Scenario             *sgyaml.Document
	Variants             []variant
}

type variant struct {
	Name string
	Set  map[string]*sgyaml.Document // by paths within the scenario
}

// A Scenario is a document that is valid.
type Scenario struct {
	// Name, Title and Teaches are what the document says. Only Name is never empty.
	Name, Title, Teaches string
	// Variants are what to compare, at least one.
	Variants []Variant
}

// A Variant is one configuration of a scenario.
type Variant struct {
	// Name is unique in the scenario.
	Name string
	// Config is what the document says, without defaults filled in. Its Name is
	// that of the variant, unless the document has one there.
	Config sim.Config
}

// Parse reads a document. The file's name is for errors; it is not opened.
//
// The error, an [*sgyaml.Error], lists all that is wrong, values out of bounds
// included.
func Parse(file string, data []byte) (*Document, error) {
	whole, err := sgyaml.Parse(file, data)
	if err != nil {
		return nil, err
	}
	d := &Document{file: file, whole: whole}
	if err := d.read(); err != nil {
		return nil, err
	}
	return d, nil
}

// Name returns the document's name: by default that of its file, without the ending.
func (d *Document) Name() string {
	if d.content.Name != "" {
		return d.content.Name
	}
	base := path.Base(strings.ReplaceAll(d.file, `\`, "/"))
	return strings.TrimSuffix(strings.TrimSuffix(base, ".yaml"), ".yml")
}

// Title returns what the document says of itself in one line; it may be empty.
func (d *Document) Title() string { return d.content.Title }

// Teaches returns what is to be seen in it; it may be empty.
func (d *Document) Teaches() string { return strings.TrimSpace(d.content.Teaches) }

// Set returns a copy with one value of the scenario replaced, or added, such as
// client.call.breaker.open.wait by 1s. The value is written as in a document: off, null
// and {} are possible. It holds in all variants but those that set the same, or
// something around it, themselves.
//
// The error is an [*sgyaml.Error]. It names the nearest path, if there is no such path,
// and whatever bound the value breaks. There is nothing to set within a part that is
// null, nor a zero where zero means the default.
func (d *Document) Set(path, value string) (*Document, error) {
	if n := len(d.Variants); n > 0 && !slices.ContainsFunc(d.Variants, func(v variant) bool { return !v.sets(path) }) {
		return nil, &sgyaml.Error{Problems: []sgyaml.Problem{{
			Path: path, Value: value, Bound: "would change nothing: each variant sets this itself",
		}}}
	}
	if path == "" {
		return nil, &sgyaml.Error{Problems: []sgyaml.Problem{{Value: value, Bound: "needs a path such as client.call.timeout"}}}
	}
	base, err := d.content.Scenario.Set(path, value)
	if err != nil {
		return nil, err
	}
	whole, err := d.whole.Replace("scenario", base)
	if err != nil {
		return nil, err
	}
	c := &Document{file: d.file, whole: whole}
	if err := c.read(); err != nil {
		return nil, err
	}
	return c, nil
}

// sets reports whether a variant decides what is at a path.
func (v variant) sets(path string) bool {
	for own := range v.Set {
		if rest, ok := strings.CutPrefix(path, own); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return true
		}
	}
	return false
}

// Scenario returns what the document says. The error, an [*sgyaml.Error], is one that
// Parse and Set would have returned.
func (d *Document) Scenario() (*Scenario, error) {
	s := &Scenario{Name: d.Name(), Title: d.Title(), Teaches: d.Teaches()}
	for _, v := range d.variants() {
		cfg, err := d.config(v)
		if err != nil {
			return nil, err
		}
		s.Variants = append(s.Variants, Variant{v.Name, cfg})
	}
	return s, nil
}

// variants returns the variants, or the only one.
func (d *Document) variants() []variant {
	if len(d.Variants) == 0 {
		return []variant{{Name: d.Name()}}
	}
	return d.Variants
}

// read takes the document apart and looks for all that is wrong with it.
func (d *Document) read() error {
	var all collected
	var c content
	all.add(d.whole.Load(&c, func() error {
		d.content = c // as far as it can be read
		return nil
	}))
	switch {
	case d.content.Scenario == nil:
		if !slices.ContainsFunc(all.list, func(p sgyaml.Problem) bool { return p.Path == "" }) {
			all.say(d.whole.Position(), "scenario", "must be there")
		}
		return all.err()
	case len(d.Variants) > MaxVariants:
		all.say(d.at("variants"), "variants", fmt.Sprintf("must be at most %d", MaxVariants))
		return all.err()
	}
	seen := map[string]bool{}
	for i, v := range d.variants() {
		if v.Name == "" || seen[v.Name] {
			path := fmt.Sprintf("variants[%d]", i)
			all.say(d.at(path), path+".name", "must be there, and differ from those of other variants")
		}
		seen[v.Name] = true
		_, err := d.config(v)
		all.add(err)
	}
	for i := range all.list {
		if p := &all.list[i]; p.Path == "" && p.Position == d.content.Scenario.Position() {
			p.Path = "scenario" // paths begin within it
		}
	}
	return all.err()
}

// at returns where the value at a path is.
func (d *Document) at(path string) sgyaml.Position {
	if v, ok := d.whole.At(path); ok {
		return v.Position()
	}
	return d.whole.Position()
}

// config returns the configuration of a variant.
func (d *Document) config(v variant) (cfg sim.Config, err error) {
	tree := d.content.Scenario
	// In the order of the paths, what is around something is set before it.
	for _, path := range slices.Sorted(maps.Keys(v.Set)) {
		if tree, err = tree.Replace(path, v.Set[path]); err != nil {
			return cfg, err
		}
	}
	var settled sim.Config
	err = tree.Load(&cfg, func() error {
		s, err := sim.New(cfg)
		if err == nil {
			settled = s.Config()
		}
		return err
	})
	if err == nil {
		err = tree.Zeros(&settled)
	}
	if cfg.Name == "" {
		cfg.Name = v.Name
	}
	return cfg, err
}

// collected are problems of several errors.
type collected struct{ list []sgyaml.Problem }

func (c *collected) any() bool { return len(c.list) > 0 }

// add adds the problems of an error, each only once, since variants share most of
// what they say.
func (c *collected) add(err error) {
	if err == nil {
		return
	}
	bad, ok := errors.AsType[*sgyaml.Error](err)
	if !ok {
		bad = &sgyaml.Error{Problems: []sgyaml.Problem{{Bound: err.Error()}}}
	}
	for _, p := range bad.Problems {
		if !slices.Contains(c.list, p) {
			c.list = append(c.list, p)
		}
	}
}

func (c *collected) say(at sgyaml.Position, path, bound string) {
	c.list = append(c.list, sgyaml.Problem{Position: at, Path: path, Bound: bound})
}

// err returns an [*sgyaml.Error], or nil.
func (c *collected) err() error {
	if !c.any() {
		return nil
	}
	slices.SortStableFunc(c.list, func(a, b sgyaml.Problem) int { return a.Line - b.Line })
	n := min(len(c.list), sgyaml.MaxProblems)
	return &sgyaml.Error{Problems: c.list[:n], More: len(c.list) - n}
}
