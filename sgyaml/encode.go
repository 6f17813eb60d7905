package sgyaml

import (
	"encoding"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/switchgear-go/switchgear"
	"go.yaml.in/yaml/v4"
)

// Marshal writes a configuration as a document that [Unmarshal] reads back to an equal
// one. Fields that are zero are left out, as are those that have no place in a
// document. A pointer is left out if it is nil; one to a zero struct is {}.
//
// An error means that there is a value that cannot be written: an enumeration's that
// has no name, NaN, text that is not UTF-8, or something nested deeper than 50.
func Marshal(v any) ([]byte, error) {
	n, err := encode(reflect.ValueOf(v), Limits{}.settled().Depth)
	if err != nil {
		return nil, err
	}
	if n == nil {
		return nil, errors.New("sgyaml: nothing to write")
	}
	return yaml.Dump(n, yaml.WithLineWidth(-1))
}

// encode returns the node for a value, with at most so many levels; nil for what has
// none.
func encode(v reflect.Value, levels int) (*yaml.Node, error) {
	if levels == 0 {
		return nil, errors.New("sgyaml: too deep to write")
	}
	if !v.IsValid() || !settable(v.Type()) || v.Type() == documentType {
		return nil, nil
	}
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil, nil
		}
		return encode(v.Elem(), levels)
	}
	if isText(v.Type()) {
		return encodeText(v)
	}
	switch v.Kind() {
	case reflect.Struct:
		return encodeStruct(v, levels)
	case reflect.Map:
		return encodeMap(v, levels)
	case reflect.Slice:
		n := &yaml.Node{Kind: yaml.SequenceNode}
		for i := range v.Len() {
			item, err := encode(v.Index(i), levels-1)
			if err != nil {
				return nil, fmt.Errorf("%w, in entry %d", err, i)
			}
			if item == nil {
				item = plainNode("null")
			}
			n.Content = append(n.Content, item)
		}
		if plainItems(n) {
			n.Style = yaml.FlowStyle
		}
		return n, nil
	default:
		return encodeScalar(v)
	}
}

func plainItems(n *yaml.Node) bool {
	return !slices.ContainsFunc(n.Content, func(item *yaml.Node) bool { return item.Kind != yaml.ScalarNode })
}

func encodeStruct(v reflect.Value, levels int) (*yaml.Node, error) {
	n := &yaml.Node{Kind: yaml.MappingNode}
	for _, f := range fieldsOf(v.Type()) {
		x := v.Field(f.index)
		if x.IsZero() {
			continue
		}
		value, err := encode(x, levels-1)
		if err != nil {
			return nil, fmt.Errorf("%w, in %s", err, f.key)
		}
		if value != nil {
			n.Content = append(n.Content, plainNode(f.key), value)
		}
	}
	return n, nil
}

func encodeMap(v reflect.Value, levels int) (*yaml.Node, error) {
	type pair struct{ key, value *yaml.Node }
	var pairs []pair
	for key, x := range v.Seq2() {
		k, err := encode(key, 1)
		if err != nil {
			return nil, err
		}
		value, err := encode(x, levels-1)
		if err != nil {
			return nil, fmt.Errorf("%w, in %s", err, k.Value)
		}
		if value == nil {
			value = plainNode("null")
		}
		pairs = append(pairs, pair{k, value})
	}
	slices.SortFunc(pairs, func(a, b pair) int { return strings.Compare(a.key.Value, b.key.Value) })
	n := &yaml.Node{Kind: yaml.MappingNode}
	for _, p := range pairs {
		n.Content = append(n.Content, p.key, p.value)
	}
	return n, nil
}

// plainNode is for text that has no meaning of its own to YAML, or none that matters.
func plainNode(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: s} }

func encodeText(v reflect.Value) (*yaml.Node, error) {
	m, ok := v.Interface().(encoding.TextMarshaler)
	if !ok {
		return nil, fmt.Errorf("sgyaml: %v has no MarshalText", v.Type())
	}
	text, err := m.MarshalText()
	if err != nil {
		return nil, err
	}
	// Some write a value that has no name as if it were another one.
	back := reflect.New(v.Type())
	err = back.Interface().(textUnmarshaler).UnmarshalText(text)
	if err != nil || !reflect.DeepEqual(back.Elem().Interface(), v.Interface()) {
		return nil, fmt.Errorf("sgyaml: %q would not be read back as the same %v", text, v.Type())
	}
	return stringNode(string(text))
}

func stringNode(s string) (*yaml.Node, error) {
	if badText([]byte(s)) >= 0 {
		return nil, fmt.Errorf("sgyaml: %q is not plain text", shorten(s))
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Value: s, Tag: "!!str"}, nil
}

func encodeScalar(v reflect.Value) (*yaml.Node, error) {
	switch {
	case v.Type() == durationType:
		return plainNode(durationText(time.Duration(v.Int()))), nil
	case v.Kind() == reflect.Bool:
		return plainNode(strconv.FormatBool(v.Bool())), nil
	case v.Kind() == reflect.String:
		return stringNode(v.String())
	case v.CanUint():
		return plainNode(strconv.FormatUint(v.Uint(), 10)), nil
	case v.CanInt():
		if v.Int() == switchgear.Off && v.Type().Bits() >= 32 {
			return plainNode(offText), nil
		}
		return plainNode(strconv.FormatInt(v.Int(), 10)), nil
	}
	switch x := v.Float(); {
	case math.IsNaN(x):
		return nil, errors.New("sgyaml: NaN cannot be written")
	case math.IsInf(x, 1):
		return plainNode(".inf"), nil
	case math.IsInf(x, -1):
		return plainNode("-.inf"), nil
	case x == switchgear.Off:
		return plainNode(offText), nil
	default:
		return plainNode(strconv.FormatFloat(x, 'g', -1, v.Type().Bits())), nil
	}
}
