package sgyaml

import (
	"reflect"
	"strings"
	"unicode"
)

// keyOf returns the key for a Go name: HalfOpen is halfOpen, TTL is ttl. See the
// package comment.
func keyOf(name string) string {
	runes := []rune(name)
	n := 0
	for n < len(runes) && unicode.IsUpper(runes[n]) {
		n++
	}
	if n > 1 && n < len(runes) && unicode.IsLower(runes[n]) {
		n-- // the last capital begins the next word
	}
	return strings.ToLower(string(runes[:n])) + string(runes[n:])
}

var (
	documentType = reflect.TypeFor[*Document]()
	textType     = reflect.TypeFor[textUnmarshaler]()
)

type textUnmarshaler interface{ UnmarshalText([]byte) error }

// isText reports whether values of the type read themselves from a text.
func isText(t reflect.Type) bool { return reflect.PointerTo(t).Implements(textType) }

// a field is one of a struct that has a place in documents.
type field struct {
	key   string
	index int
	typ   reflect.Type
}

// fieldsOf returns the fields of a struct in their order.
func fieldsOf(t reflect.Type) []field {
	var list []field
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() && settable(f.Type) {
			list = append(list, field{keyOf(f.Name), i, f.Type})
		}
	}
	return list
}

// settable reports whether a document can have values of the type.
func settable(t reflect.Type) bool { return settableWithin(t, 10) }

// settableWithin looks through so many pointers, lists and maps: a type can be a list of
// itself.
func settableWithin(t reflect.Type, levels int) bool {
	if t == documentType || isText(t) {
		return true
	}
	if levels == 0 {
		return false
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		return settableWithin(t.Elem(), levels-1)
	case reflect.Map:
		k := t.Key()
		return (k.Kind() == reflect.String || k.Kind() == reflect.Int || isText(k)) && settableWithin(t.Elem(), levels-1)
	case reflect.Bool, reflect.String, reflect.Struct, reflect.Float32, reflect.Float64,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return true
	}
	return false
}

// suggest returns the known key that was most likely meant, or "": one that differs
// only in its writing, as half_open does from halfOpen, or by few letters.
func suggest(key string, fields []field) string {
	a := folded(key)
	best, least := "", max(1, len(a)/3)+1
	for _, f := range fields {
		b := folded(f.key)
		if d := distance(a, b); d < min(len(a), len(b), least) {
			best, least = f.key, d
		}
	}
	return best
}

func folded(key string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' {
			return -1
		}
		return unicode.ToLower(r)
	}, shorten(key))
}

// distance returns how many letters must be put in, taken out or changed, or swapped
// with their neighbour, to make b of a.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	rows := [3][]int{}
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
	}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := range x {
		before, last, next := rows[0], rows[1], rows[2]
		next[0] = i + 1
		for j := range y {
			change := 1
			if x[i] == y[j] {
				change = 0
			}
			next[j+1] = min(last[j+1]+1, next[j]+1, last[j]+change)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		rows[0], rows[1], rows[2] = last, next, before
	}
	return rows[1][len(y)]
}

// elsewhere returns the shortest path below a struct that ends with the key: somebody
// may know its name but not its place.
func elsewhere(key string, t reflect.Type) string {
	type spot struct {
		path string
		typ  reflect.Type
	}
	seen := map[reflect.Type]bool{t: true}
	for queue := []spot{{"", t}}; len(queue) > 0; queue = queue[1:] {
		for _, f := range fieldsOf(queue[0].typ) {
			path := queue[0].path + f.key
			if f.key == key {
				return path
			}
			inner := f.typ
			for inner.Kind() == reflect.Pointer && inner != documentType {
				inner = inner.Elem()
			}
			if inner.Kind() == reflect.Slice {
				inner, path = inner.Elem(), path+"[0]"
			}
			if inner.Kind() == reflect.Struct && !isText(inner) && !seen[inner] {
				seen[inner] = true
				queue = append(queue, spot{path + ".", inner})
			}
		}
	}
	return ""
}
