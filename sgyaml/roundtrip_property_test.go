package sgyaml_test

import (
	"encoding"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/adaptive"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/inject"
	"github.com/switchgear-go/switchgear/pipeline"
	"github.com/switchgear-go/switchgear/retry"
	"github.com/switchgear-go/switchgear/sghttp"
	"github.com/switchgear-go/switchgear/sgyaml"
)

// TestWhatIsWrittenIsReadBack fills configurations with random values, valid or not,
// and expects the same ones after they were written and read.
func TestWhatIsWrittenIsReadBack(t *testing.T) {
	rounds := 300
	if testing.Short() {
		rounds = 50
	}
	for _, zero := range []any{
		breaker.Config{}, retry.Config{}, pipeline.Config{}, sghttp.Config{}, sghttp.ServerConfig{}, inject.Config{}, adaptive.Config{},
	} {
		typ := reflect.TypeOf(zero)
		t.Run(typ.String(), func(t *testing.T) {
			filled := 0
			for seed := range uint64(rounds) {
				v, back := reflect.New(typ), reflect.New(typ)
				filler{rand.New(rand.NewPCG(seed, 1))}.fill(v.Elem(), 6)
				text, err := sgyaml.Marshal(v.Interface())
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				if err := sgyaml.Unmarshal("back.yaml", text, back.Interface()); err != nil {
					t.Fatalf("seed %d: %v\n%s", seed, err, text)
				}
				if !reflect.DeepEqual(v.Interface(), back.Interface()) {
					t.Fatalf("seed %d:\nwas %+v\nis  %+v\n%s", seed, v.Elem(), back.Elem(), text)
				}
				if string(text) != "{}\n" {
					filled++
				}
			}
			if filled < rounds/4 {
				t.Errorf("only %d of %d were not empty", filled, rounds)
			}
		})
	}
}

type filler struct{ *rand.Rand }

var texts = []string{"x", "", " ", "null", "off", "~", "true", "5", "a: b", "- a", "#c", "é", "two\nlines\n", "\n", " lead", "trail ", "\ttab", "'", `"`, "a\\b", "{}", "[", "*a", "&a", "!t", "%", "@", "`", "\u2028", "\u0085", "a\r\nb", "\ufeff", "😀", "---", "...", "<<", "0x1F", "1_000", ".inf", "2001-01-01"}

// fill sets a value at random, half of all parts at most.
func (f filler) fill(v reflect.Value, levels int) {
	if levels == 0 || f.IntN(2) == 0 || !v.CanSet() {
		return
	}
	switch {
	case v.Type() == reflect.TypeFor[time.Duration]():
		v.SetInt([]int64{0, switchgear.Off, 1, 1_500_000_000, int64(time.Hour), -5, f.Int64(), math.MinInt64}[f.IntN(8)])
		return
	case v.Type() == reflect.TypeFor[switchgear.Percent]():
		v.SetFloat([]float64{0, switchgear.Off, 50, float64(f.IntN(100_00)) / 100, -1}[f.IntN(5)])
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f.fill(v.Field(i), levels)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem(), levels-1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), f.IntN(3), 3))
		for i := range v.Len() {
			f.fill(v.Index(i), levels-1)
			f.name(v.Index(i))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range f.IntN(3) {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			key.SetInt(f.Int64N(1000))
			f.fill(value, levels-1)
			v.SetMapIndex(key, value)
		}
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString(texts[f.IntN(len(texts))])
	case reflect.Float64, reflect.Float32:
		v.SetFloat([]float64{0.5, 1e-9, switchgear.Off, math.Inf(1), math.Inf(-1), f.NormFloat64(), 1e15, math.SmallestNonzeroFloat64}[f.IntN(8)])
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt([]int64{1, -1, f.Int64N(100), -f.Int64N(100)}[f.IntN(4)])
		if v.Type() == reflect.TypeFor[int]() && f.IntN(4) == 0 {
			v.SetInt(switchgear.Off)
		}
		f.name(v)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(f.Uint64N(8))
		f.name(v)
	}
}

// name sees to it that an enumeration's value is one that has a name.
func (f filler) name(v reflect.Value) {
	if v.Kind() == reflect.Struct {
		for i := range v.NumField() {
			// The zero value is left out there, whether it has a name or not.
			if !v.Field(i).IsZero() {
				f.name(v.Field(i))
			}
		}
		return
	}
	for range 100 {
		m, ok := v.Interface().(encoding.TextMarshaler)
		if !ok {
			return
		}
		back := reflect.New(v.Type())
		text, err := m.MarshalText()
		if err == nil && back.Interface().(encoding.TextUnmarshaler).UnmarshalText(text) == nil && v.Equal(back.Elem()) {
			return
		}
		switch {
		case v.CanUint():
			v.SetUint(f.Uint64N(8))
		case v.CanInt():
			v.SetInt(f.Int64N(8))
		}
	}
}
