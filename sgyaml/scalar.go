package sgyaml

import (
	"math"
	"path"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/switchgear-go/switchgear"
)

var durationType = reflect.TypeFor[time.Duration]()

// text lets a value read itself.
func (c *decoder) text(n *node, v reflect.Value) {
	err := v.Addr().Interface().(textUnmarshaler).UnmarshalText([]byte(n.text))
	if err == nil {
		return
	}
	// In Go the error's beginning says what it is about; here path and value do.
	bound := strings.TrimPrefix(err.Error(), path.Base(v.Type().PkgPath())+": ")
	bound = strings.TrimPrefix(bound, strconv.Quote(n.text)+" ")
	c.wrong(n.at, n.text, bound)
}

// scalar sets a value of a type that Go has built in, or one made of it.
func (c *decoder) scalar(n *node, v reflect.Value) {
	switch k := v.Kind(); {
	case v.Type() == durationType:
		c.duration(n, v)
	case k == reflect.String:
		v.SetString(n.text)
	case k == reflect.Bool:
		if n.text != "true" && n.text != "false" {
			c.wrong(n.at, n.text, "must be true or false")
		}
		v.SetBool(n.text == "true")
	case v.CanFloat():
		c.float(n, v)
	case v.CanInt():
		c.int(n, v)
	case v.CanUint():
		x, err := strconv.ParseUint(n.text, 10, v.Type().Bits())
		if err != nil {
			c.wrong(n.at, n.text, "must be a whole number, from 0 to "+strconv.FormatUint(math.MaxUint64>>(64-v.Type().Bits()), 10))
		}
		v.SetUint(x)
	}
}

const (
	offText = "off"
	// sayOff is for a number that would be taken for [switchgear.Off].
	sayOff = `must be the word "off" if that is what is meant`
)

// isOff reports whether the value is the word that switches off.
func isOff(n *node) bool { return n.text == offText || n.text == "Off" }

func (c *decoder) int(n *node, v reflect.Value) {
	const bound = "must be a whole number, such as 20"
	off := v.Type().Bits() >= 32
	if off && isOff(n) {
		v.SetInt(switchgear.Off)
		return
	}
	x, err := strconv.ParseInt(n.text, 10, v.Type().Bits())
	switch {
	case err != nil:
		c.wrong(n.at, n.text, bound)
	case off && x == switchgear.Off:
		c.wrong(n.at, n.text, sayOff)
	}
	v.SetInt(x)
}

func (c *decoder) float(n *node, v reflect.Value) {
	switch n.text {
	case offText, "Off":
		v.SetFloat(switchgear.Off)
		return
	case ".inf", "+.inf":
		v.SetFloat(math.Inf(1))
		return
	case "-.inf":
		v.SetFloat(math.Inf(-1))
		return
	}
	x, err := strconv.ParseFloat(n.text, v.Type().Bits())
	switch {
	case err != nil || math.IsNaN(x) || math.IsInf(x, 0) || strings.ContainsAny(n.text, "xX_"):
		c.wrong(n.at, n.text, "must be a number, such as 0.5")
		return
	case x == switchgear.Off:
		c.wrong(n.at, n.text, sayOff)
	}
	v.SetFloat(x)
}

func (c *decoder) duration(n *node, v reflect.Value) {
	if isOff(n) {
		v.SetInt(switchgear.Off)
		return
	}
	x, err := time.ParseDuration(n.text)
	switch {
	case err == nil && x != switchgear.Off:
		v.SetInt(int64(x))
	case err == nil:
		c.wrong(n.at, n.text, sayOff)
	case isNumber(n.text):
		c.wrong(n.at, n.text, "must have a unit, as in "+n.text+"s or "+n.text+"ms")
	default:
		c.wrong(n.at, n.text, "must be a duration, such as 1.5s, 200ms or 2m30s")
	}
}

func isNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil && strings.ContainsAny(s, "0123456789") && !strings.ContainsAny(s, "xXpPeE_")
}

// durationText writes a duration as people do: 2m, not 2m0s.
func durationText(d time.Duration) string {
	if d == switchgear.Off {
		return offText
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = s[:len(s)-2]
	}
	if strings.HasSuffix(s, "h0m") {
		s = s[:len(s)-2]
	}
	return s
}
