package admin

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
)

// A Setting is one field of a configuration, by its path and as people write it:
// "Open.Wait" is "30s".
type Setting struct {
	Path  string `json:"path"`
	Value string `json:"value"`
}

// settings lists the fields of a configuration in their order.
func settings(cfg breaker.Config) []Setting { return fields(nil, "", reflect.ValueOf(cfg)) }

func fields(found []Setting, path string, v reflect.Value) []Setting {
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		return append(found, Setting{strings.TrimPrefix(path, "."), readable(v)})
	}
	for i := range v.NumField() {
		found = fields(found, path+"."+v.Type().Field(i).Name, v.Field(i))
	}
	return found
}

func readable(v reflect.Value) string {
	if v.Kind() == reflect.Pointer { // nil: see fields
		return "off"
	}
	switch x := v.Interface(); x {
	case switchgear.Off, time.Duration(switchgear.Off):
		return "off"
	default:
		return fmt.Sprint(x)
	}
}
