package sgyaml

import (
	"errors"
	"fmt"
	"reflect"
)

// Zeros finds each number, duration and percentage that the document gives as zero and
// that is something else in settled: what became of the decoded value once its defaults
// were filled in, or a pointer to that. To the configurations a zero means the default,
// which is hardly what somebody means who writes one down. Where zero is a value like
// any other, it stays zero when defaults are filled in, and nothing is found.
//
// The error is nil, or an [*Error]. What the document has and settled has no place for
// is passed over, and so is what is in maps.
func (d *Document) Zeros(settled any) error {
	v := reflect.ValueOf(settled)
	if !v.IsValid() {
		return errors.New("sgyaml: nothing to compare with")
	}
	var found problems
	findZeros(d.root, nil, v, &found)
	return found.err()
}

func findZeros(n *node, path []step, v reflect.Value, found *problems) {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() || v.Type() == documentType {
			return
		}
		v = v.Elem()
	}
	within := func(s step, n *node, v reflect.Value) { findZeros(n, append(path[:len(path):len(path)], s), v, found) }
	switch {
	case n.kind == mapping && v.Kind() == reflect.Struct:
		for _, f := range fieldsOf(v.Type()) {
			if e := n.entry(f.key); e != nil {
				within(step{name: f.key}, e.value, v.Field(f.index))
			}
		}
	case n.kind == sequence && v.Kind() == reflect.Slice:
		for i := range min(len(n.items), v.Len()) {
			within(indexStep(i), n.items[i], v.Index(i))
		}
	case n.kind == scalar && !v.IsZero() && isZero(n, v.Type()):
		found.add(Problem{
			Position: n.at, Path: formatPath(path), Value: shorten(n.text),
			Bound: fmt.Sprintf("zero means the default here, %s: leave it out, or write off where that is allowed", valueText(v.Interface())),
		})
	}
}

// isZero reports whether the value is a number, a duration or a percentage, and zero.
func isZero(n *node, t reflect.Type) bool {
	v := reflect.New(t).Elem()
	name := isText(t) && !v.CanFloat() // the first of an enumeration is a value like the others
	if name || !v.CanInt() && !v.CanFloat() && !v.CanUint() {
		return false
	}
	var c decoder
	c.decode(n, v)
	return !c.any() && v.IsZero()
}
