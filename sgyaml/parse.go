package sgyaml

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// Limits bound a document. A zero field means its default.
type Limits struct {
	// Bytes is the size of the document. Default 1 MiB.
	Bytes int
	// Depth is how many lists and mappings may lie within one another. Default 50.
	Depth int
	// Values is the number of single values, lists and mappings, where an alias
	// counts as all that it stands for. Default 200,000.
	Values int
}

func (l Limits) settled() Limits {
	return Limits{cmp.Or(l.Bytes, 1<<20), cmp.Or(l.Depth, 50), cmp.Or(l.Values, 200_000)}
}

// Parse reads a document with the default [Limits]. The name of the file is for
// errors; it is not opened.
//
// The error is an [*Error] with the first reason why the document cannot be read.
// What is wrong within a document that can be, such as a key given twice, is reported
// by [Document.Decode] with the rest.
func Parse(file string, data []byte) (*Document, error) { return Limits{}.Parse(file, data) }

// Unmarshal reads a document into the struct that v points to. If there is an error,
// an [*Error], it is left as it was.
func Unmarshal(file string, data []byte, v any) error {
	d, err := Parse(file, data)
	if err != nil {
		return err
	}
	return d.Decode(v)
}

// Parse is the function [Parse] with these limits.
func (l Limits) Parse(file string, data []byte) (*Document, error) {
	c := converter{file: file, limits: l.settled()}
	top, ok := c.load(data)
	if !ok {
		return nil, c.err()
	}
	root := c.convert(top, 1)
	if c.any() {
		return nil, c.err()
	}
	return &Document{limits: c.limits, root: root}, nil
}

// A converter makes nodes of the nodes of package yaml.
type converter struct {
	file   string
	limits Limits
	problems
	made map[*yaml.Node]*node // what aliases stand for; nil while it is being made
}

// load returns the only value of the only document.
func (c *converter) load(data []byte) (*yaml.Node, bool) {
	if len(data) > c.limits.Bytes {
		c.wrong(1, 1, fmt.Sprintf("%d bytes", len(data)), fmt.Sprintf("must be at most %d", c.limits.Bytes))
		return nil, false
	}
	if i := badText(data); i >= 0 {
		line := bytes.Count(data[:i], []byte("\n"))
		column := utf8.RuneCount(data[bytes.LastIndexByte(data[:i], '\n')+1 : i])
		c.wrong(line+1, column+1, fmt.Sprintf("byte 0x%02x", data[i]), "must be UTF-8 text")
		return nil, false
	}
	loader, err := yaml.NewLoader(bytes.NewReader(data))
	if err != nil {
		c.broken(err)
		return nil, false
	}
	var first, second yaml.Node
	switch err := loader.Load(&first); {
	case errors.Is(err, io.EOF) || err == nil && len(first.Content) == 0:
		c.wrong(1, 1, "", "the document is empty")
		return nil, false
	case err != nil:
		c.broken(err)
		return nil, false
	}
	switch err := loader.Load(&second); {
	case err == nil:
		c.wrong(second.Line, second.Column, "", "only one document is allowed in a file: a second one begins here")
		return nil, false
	case !errors.Is(err, io.EOF):
		c.broken(err)
		return nil, false
	}
	return first.Content[0], true
}

// badText returns the place of the first byte that YAML does not allow, or -1: the
// parser would find it as well, but not say where.
func badText(data []byte) int {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n <= 1 || r < ' ' && r != '\n' && r != '\r' && r != '\t' || r >= 0x7f && r < 0xa0 && r != 0x85 {
			return i
		}
		i += n
	}
	return -1
}

// broken reports what the parser could not read.
func (c *converter) broken(err error) {
	bad, ok := errors.AsType[*yaml.LoadError](err)
	if !ok {
		c.wrong(1, 1, "", err.Error())
		return
	}
	text := bad.Message
	if bad.ContextMsg != "" {
		text = bad.ContextMsg + ": " + text
	}
	c.wrong(max(bad.Mark.Line, 1), max(bad.Mark.Column, 1), "", text)
}

func (c *converter) wrong(line, column int, value, bound string) {
	c.add(Problem{Position: Position{c.file, line, column}, Value: value, Bound: bound})
}

func (c *converter) at(n *yaml.Node, value, bound string) { c.wrong(n.Line, n.Column, value, bound) }

// convert returns the node at the given depth.
func (c *converter) convert(n *yaml.Node, depth int) *node {
	if n.Kind == yaml.AliasNode {
		return c.alias(n)
	}
	out := &node{at: Position{c.file, n.Line, n.Column}, size: 1, depth: 1}
	if depth > c.limits.Depth {
		c.at(n, "", fmt.Sprintf("must be at most %d deep", c.limits.Depth))
		return out
	}
	if n.Style&yaml.TaggedStyle != 0 {
		out.fault(n, "", n.Tag, "tags are not allowed: the key says what a value is")
	}
	if n.Anchor != "" {
		if c.made == nil {
			c.made = make(map[*yaml.Node]*node)
		}
		c.made[n] = nil
	}
	switch n.Kind {
	case yaml.MappingNode:
		out.kind = mapping
		c.fill(out, n.Content, depth)
	case yaml.SequenceNode:
		out.kind = sequence
		for _, item := range n.Content {
			out.items = append(out.items, c.convert(item, depth+1))
		}
	default:
		out.text = n.Value
		out.plain = n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
	}
	out.measure()
	c.bound(n, out)
	if n.Anchor != "" {
		c.made[n] = out
	}
	return out
}

// bound keeps aliases of aliases from adding up to more than there is memory for. What
// is too much is emptied, so that what is around it can still be counted.
func (c *converter) bound(n *yaml.Node, out *node) {
	var limit string
	switch {
	case out.size > c.limits.Values:
		limit = fmt.Sprintf("%d values", c.limits.Values)
	case out.depth > c.limits.Depth:
		limit = fmt.Sprintf("%d deep", c.limits.Depth)
	default:
		return
	}
	if !c.any() {
		c.at(n, "", "must be at most "+limit+", with aliases written out")
	}
	*out = node{at: out.at, size: 1, depth: 1}
}

func (c *converter) alias(n *yaml.Node) *node {
	if out := c.made[n.Alias]; out != nil {
		return out
	}
	out := &node{at: Position{c.file, n.Line, n.Column}, plain: true, size: 1, depth: 1}
	out.fault(n, "", "*"+n.Value, "must not stand for a thing that it is part of, or for a key")
	return out
}

// fault notes something wrong with n that does not keep it from being read.
func (n *node) fault(at *yaml.Node, key, value, bound string) {
	n.faults = append(n.faults, fault{Position{n.at.File, at.Line, at.Column}, key, value, bound})
}

// fill adds the entries of a mapping, given as key, value, key, value.
func (c *converter) fill(out *node, content []*yaml.Node, depth int) {
	lines := make(map[string]int, len(content)/2)
	for i := 0; i+1 < len(content); i += 2 {
		key := content[i]
		bound := ""
		switch first := lines[key.Value]; {
		case key.Kind != yaml.ScalarNode || key.Anchor != "" || key.Style&yaml.TaggedStyle != 0:
			bound = "a key must be a plain name"
		case key.Value == "<<":
			bound = "merge keys are not allowed"
		case key.Value == "" || len(key.Value) > maxKey:
			bound = fmt.Sprintf("a key must have from 1 to %d bytes", maxKey)
		case first != 0:
			bound = fmt.Sprintf("is given twice, first in line %d", first)
		}
		if bound != "" {
			out.fault(key, shorten(key.Value), "", bound)
			continue
		}
		lines[key.Value] = key.Line
		out.entries = append(out.entries, entry{key.Value, Position{c.file, key.Line, key.Column}, c.convert(content[i+1], depth+1)})
	}
}

// maxKey is far beyond any name of a field; the rest is for maps with keys of one's
// own.
const maxKey = 200
