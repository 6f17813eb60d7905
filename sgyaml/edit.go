package sgyaml

import (
	"fmt"
	"slices"
)

// Set returns a copy of the document with one value replaced, or added if its key is
// absent; a mapping around it that is absent is added as well. One that is null is not:
// somebody has said that there is none, and replacing it by {} takes that back. The value
// is written as in a document: 1s, off, null, {}, [1s, 2s].
//
// Whether there is such a key, and whether the value is right for it, shows when the
// copy is decoded. An index must exist. The error is an [*Error] about the path.
func (d *Document) Set(path, value string) (*Document, error) {
	part, err := d.limits.Parse("", []byte(value))
	if err != nil {
		e := err.(*Error)
		for i := range e.Problems {
			e.Problems[i].Position = Position{}
			e.Problems[i].Path, e.Problems[i].Value = path, shorten(value)
		}
		return nil, e
	}
	part.root = part.root.nowhere()
	return d.Replace(path, part)
}

// Replace is [Document.Set] with a value that has been read before. It keeps the
// position that it has.
func (d *Document) Replace(path string, value *Document) (*Document, error) {
	e := editor{path: path, value: value.root}
	root, problem := d.root, ""
	steps, err := parsePath(path)
	if err != nil {
		problem = err.Error()
	} else {
		root, problem = e.put(root, steps, nil)
	}
	switch {
	case problem != "":
	case root.size > d.limits.Values:
		problem = fmt.Sprintf("would make more than %d values", d.limits.Values)
	case root.depth > d.limits.Depth:
		problem = fmt.Sprintf("would be more than %d deep", d.limits.Depth)
	default:
		return d.with(root), nil
	}
	return nil, &Error{Problems: []Problem{{Position: value.root.at, Path: shorten(path), Bound: problem}}}
}

type editor struct {
	path  string
	value *node
}

// put returns n, which may be nil, with the value put in where the steps lead. done are
// those that led to n.
func (e *editor) put(n *node, steps, done []step) (*node, string) {
	if len(steps) == 0 {
		return e.value, ""
	}
	s, done := steps[0], append(done[:len(done):len(done)], steps[0])
	if n != nil && n.null() && len(done) > 1 {
		return nil, fmt.Sprintf("%s is null, and there is nothing in it to set: set it to {} before", formatPath(done[:len(done)-1]))
	}
	if n == nil || n.null() || n.empty() {
		n = &node{kind: mapping, at: e.value.at}
	}
	if i, ok := s.index(); ok && n.kind == sequence {
		if i >= len(n.items) {
			return nil, fmt.Sprintf("%s has %d entries, and none with the number %d, counted from 0",
				formatPath(done[:len(done)-1]), len(n.items), i)
		}
		item, problem := e.put(n.items[i], steps[1:], done)
		return n.withItem(i, item), problem
	}
	if n.kind != mapping {
		return nil, fmt.Sprintf("%s is %v", orDocument(done[:len(done)-1]), n.kind)
	}
	var old *node
	if e := n.entry(s.name); e != nil {
		old = e.value
	}
	value, problem := e.put(old, steps[1:], done)
	return n.withEntry(s.name, value), problem
}

func orDocument(steps []step) string {
	if len(steps) == 0 {
		return "the document"
	}
	return formatPath(steps)
}

func (n *node) withItem(i int, item *node) *node {
	if item == nil {
		return nil
	}
	c := *n
	c.items = slices.Clone(n.items)
	c.items[i] = item
	c.measure()
	return &c
}

func (n *node) withEntry(key string, value *node) *node {
	if value == nil {
		return nil
	}
	c := *n
	c.entries = slices.Clone(n.entries)
	if e := c.entry(key); e != nil {
		e.value = value
	} else {
		c.entries = append(c.entries, entry{key, value.at, value})
	}
	c.measure()
	return &c
}

// nowhere returns a copy without positions.
func (n *node) nowhere() *node {
	c := *n
	c.at = Position{}
	c.entries = slices.Clone(n.entries)
	for i := range c.entries {
		c.entries[i].at = Position{}
		c.entries[i].value = c.entries[i].value.nowhere()
	}
	c.items = slices.Clone(n.items)
	for i := range c.items {
		c.items[i] = c.items[i].nowhere()
	}
	return &c
}
