package sgyaml

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
)

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\ngot  %v\nwant %v", what, got, want)
	}
}

// sample has a field of each sort.
type sample struct {
	Duration time.Duration
	Percent  switchgear.Percent
	Int      int
	Small    int8
	Big      int64
	Seed     uint64
	Tiny     uint8
	Float    float64
	Single   float32
	Flag     bool
	Text     string
	Colour   colour
	Named    name
	Inner    inner
	Pointer  *inner
	Number   *int
	List     []inner
	Times    []time.Duration
	Rows     [][]int
	Colours  []colour
	Codes    map[int]colour
	Names    map[string]inner
	Raw      *Document
	TTL      time.Duration
	MaxRTT   time.Duration
	Again    *sample

	Func     func()
	Any      any
	Err      error
	Chan     chan int
	Complex  complex128
	hidden   int
	Funcs    []func()
	Pointers *any
}

type inner struct {
	Wait  time.Duration
	Probe deeper
}

type deeper struct{ HalfOpen int }

type name string

type colour uint8

const (
	red colour = iota
	green
)

func (c colour) MarshalText() ([]byte, error) {
	if c > green {
		return nil, fmt.Errorf("sgyaml: there is no colour %d", c)
	}
	return []byte([]string{"red", "green"}[c]), nil
}

func (c *colour) UnmarshalText(text []byte) error {
	i := slices.Index([]string{"red", "green"}, string(text))
	if i < 0 {
		return fmt.Errorf("sgyaml: %q is no colour; there are red, green", text)
	}
	*c = colour(i)
	return nil
}

// listed returns the problems of an error, one a line.
func listed(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	bad, ok := errors.AsType[*Error](err)
	if !ok {
		t.Fatalf("%T: %v", err, err)
	}
	if len(bad.Problems) == 0 || !errors.Is(err, switchgear.ErrConfig) {
		t.Fatal("an error without problems, or of another kind")
	}
	return strings.TrimPrefix(strings.ReplaceAll(bad.Error(), "\nf:", "\n"), "f:")
}

func parsed(t *testing.T, text string) *Document {
	t.Helper()
	d, err := Parse("f", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func same(a, b any) bool { return reflect.DeepEqual(a, b) }
