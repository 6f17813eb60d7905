package sgyaml

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Decode sets the value that v points to, most often a struct, to what the document
// says, and to zero where it says nothing. If there is an error, an [*Error] that lists
// all problems, it leaves the value as it was. It does not look at bounds: [Document.Load]
// does.
func (d *Document) Decode(v any) error { return d.Load(v, nil) }

// Load is [Document.Decode], and has the value validated: validate returns what a New
// says to the value that v points to by then. The problems of a
// [*switchgear.ConfigError] are located, as by [Document.Locate], and reported together
// with those of decoding; of them only those are, that have a value in the document which
// could be decoded, since the others may be the consequence.
func (d *Document) Load(v any, validate func() error) error {
	p := reflect.ValueOf(v)
	if p.Kind() != reflect.Pointer || p.IsNil() || !settable(p.Type().Elem()) {
		return fmt.Errorf("sgyaml: cannot decode into %T", v)
	}
	c := decoder{doc: d, fields: map[reflect.Type][]field{}}
	was, is := reflect.New(p.Type().Elem()).Elem(), reflect.New(p.Type().Elem()).Elem()
	c.decode(d.root, is)
	var other error
	if validate != nil {
		was.Set(p.Elem())
		p.Elem().Set(is)
		other = c.addBounds(validate())
		p.Elem().Set(was)
	}
	if err := c.err(); err != nil {
		return err
	}
	if other == nil {
		p.Elem().Set(is)
	}
	return other
}

// addBounds adds the problems of a [*switchgear.ConfigError], and returns any other
// error.
func (c *decoder) addBounds(err error) error {
	bounds, ok := errors.AsType[*Error](c.doc.Locate(err))
	if !ok {
		return err
	}
	broken := slices.Clone(c.list)
	for _, p := range bounds.Problems {
		_, there := c.doc.At(p.Path)
		hidden := slices.ContainsFunc(broken, func(b Problem) bool { return strings.HasPrefix(p.Path, b.Path) })
		if len(broken) == 0 || there && !hidden {
			c.add(p)
		}
	}
	c.more += bounds.More
	return nil
}

type decoder struct {
	problems
	doc    *Document
	path   []step
	fields map[reflect.Type][]field
}

// wrong reports a problem of the value at the current path.
func (c *decoder) wrong(at Position, value, bound string) {
	c.add(Problem{Position: at, Path: formatPath(c.path), Value: shorten(value), Bound: bound})
}

// decode sets v, which is zero, to what n says.
func (c *decoder) decode(n *node, v reflect.Value) {
	t := v.Type()
	if t != documentType { // it will be decoded later
		c.report(n)
	}
	switch {
	case t == documentType:
		v.Set(reflect.ValueOf(c.doc.with(n)))
	case n.empty() && len(n.faults) > 0:
	case n.empty():
		c.wrong(n.at, "", "has no value: {} is one with all defaults, null is none at all")
	case t.Kind() == reflect.Pointer:
		if !n.null() {
			v.Set(reflect.New(t.Elem()))
			c.decode(n, v.Elem())
		}
	case isText(t):
		if c.is(n, scalar) {
			c.text(n, v)
		}
	case t.Kind() == reflect.Struct:
		if c.is(n, mapping) {
			c.fill(n, v)
		}
	case t.Kind() == reflect.Slice:
		if c.is(n, sequence) {
			v.Set(reflect.MakeSlice(t, len(n.items), len(n.items)))
			for i, item := range n.items {
				c.within(indexStep(i), func() { c.decode(item, v.Index(i)) })
			}
		}
	case t.Kind() == reflect.Map:
		if c.is(n, mapping) {
			c.fillMap(n, v)
		}
	default:
		if c.is(n, scalar) {
			c.scalar(n, v)
		}
	}
}

// report adds what the parser has found.
func (c *decoder) report(n *node) {
	for _, f := range n.faults {
		if f.key == "" {
			c.wrong(f.at, f.value, f.bound)
			continue
		}
		c.within(keyStep(f.key), func() { c.wrong(f.at, f.value, f.bound) })
	}
}

func (c *decoder) within(s step, f func()) {
	c.path = append(c.path, s)
	f()
	c.path = c.path[:len(c.path)-1]
}

func (c *decoder) is(n *node, want kind) bool {
	if n.kind == want && !n.null() {
		return true
	}
	is := n.kind.String()
	if n.kind == scalar {
		is = n.text
	}
	c.wrong(n.at, is, "must be "+want.String())
	return false
}

// fill sets the fields of a struct.
func (c *decoder) fill(n *node, v reflect.Value) {
	fields, ok := c.fields[v.Type()]
	if !ok {
		fields = fieldsOf(v.Type())
		c.fields[v.Type()] = fields
	}
next:
	for i := range n.entries {
		e := &n.entries[i]
		for _, f := range fields {
			if f.key == e.key {
				c.within(step{name: e.key}, func() { c.decode(e.value, v.Field(f.index)) })
				continue next
			}
		}
		c.within(keyStep(e.key), func() { c.wrong(e.at, "", c.unknown(e.key, fields, v.Type())) })
	}
}

// unknown says what else a key may have meant.
func (c *decoder) unknown(key string, fields []field, t reflect.Type) string {
	around := formatPath(c.path[:len(c.path)-1])
	if around != "" {
		around += "."
	}
	if s := suggest(key, fields); s != "" {
		return "there is no such key; did you mean " + around + s + "?"
	}
	if s := elsewhere(key, t); s != "" {
		return "there is no such key here; did you mean " + around + s + "?"
	}
	var known []string
	for _, f := range fields {
		known = append(known, f.key)
	}
	return "there is no such key; there are " + strings.Join(known, ", ")
}

func (c *decoder) fillMap(n *node, v reflect.Value) {
	t := v.Type()
	v.Set(reflect.MakeMapWithSize(t, len(n.entries)))
	for i := range n.entries {
		e := &n.entries[i]
		c.within(keyStep(e.key), func() {
			before := len(c.list) + c.more
			key, value := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
			name := &node{kind: scalar, text: e.key, at: e.at}
			if isText(t.Key()) {
				c.text(name, key)
			} else {
				c.scalar(name, key)
			}
			c.decode(e.value, value)
			if len(c.list)+c.more == before && v.MapIndex(key).IsValid() {
				c.wrong(e.at, e.key, "is the same key as another one")
			}
			v.SetMapIndex(key, value)
		})
	}
}
