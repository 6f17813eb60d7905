package sgyaml

// A Document is a YAML document, or one value within it. It never changes.
type Document struct {
	limits Limits
	root   *node
}

// Position is a place in a file. Line and Column count from 1; without a Line the
// value was not written in a file, but [Document.Set].
type Position struct {
	File         string
	Line, Column int
}

// Position returns where the value begins.
func (d *Document) Position() Position { return d.root.at }

// At returns the value at a path, such as services[0].faults[1].to, as a document of
// its own: paths in it and in errors about it begin there, and positions remain
// those of the whole. It reports whether there is one. The empty path is the document.
func (d *Document) At(path string) (*Document, bool) {
	steps, err := parsePath(path)
	if err != nil {
		return nil, false
	}
	n := d.root
	for _, s := range steps {
		if n = n.child(s); n == nil {
			return nil, false
		}
	}
	return d.with(n), true
}

func (d *Document) with(n *node) *Document {
	return &Document{limits: d.limits, root: n}
}

type kind uint8

const (
	scalar kind = iota
	sequence
	mapping
)

// String returns what the kind is to somebody who reads about it.
func (k kind) String() string { return [...]string{"a single value", "a list", "a mapping"}[k] }

// A node is one value. Nodes never change and so may be part of several documents,
// or several times of one, as aliases are.
type node struct {
	kind    kind
	plain   bool   // a scalar without quotes
	text    string // of a scalar
	at      Position
	entries []entry // of a mapping, keys are unique
	items   []*node // of a sequence
	faults  []fault
	size    int // nodes in it, itself included
	depth   int // 1 for a scalar
}

// A fault is something wrong with a value, or with a key in it, that does not keep
// the document from being read.
type fault struct {
	at                Position
	key, value, bound string
}

type entry struct {
	key   string
	at    Position
	value *node
}

// measure sets size and depth from those of the children.
func (n *node) measure() {
	n.size, n.depth = 1, 1
	for _, c := range n.items {
		n.size, n.depth = n.size+c.size, max(n.depth, c.depth+1)
	}
	for i := range n.entries {
		c := n.entries[i].value
		n.size, n.depth = n.size+c.size, max(n.depth, c.depth+1)
	}
}

func (n *node) entry(key string) *entry {
	for i := range n.entries {
		if n.entries[i].key == key {
			return &n.entries[i]
		}
	}
	return nil
}

// child returns what one step leads to, or nil.
func (n *node) child(s step) *node {
	if i, ok := s.index(); ok && n.kind == sequence {
		if i < len(n.items) {
			return n.items[i]
		}
		return nil
	}
	if e := n.entry(s.name); e != nil {
		return e.value
	}
	return nil
}

// empty reports whether there is nothing where a value should be.
func (n *node) empty() bool { return n.kind == scalar && n.plain && n.text == "" }

// null reports whether it says that there is none.
func (n *node) null() bool {
	if n.kind != scalar || !n.plain {
		return false
	}
	switch n.text {
	case "null", "Null", "NULL", "~":
		return true
	}
	return false
}
