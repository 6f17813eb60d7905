package registry

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/pipeline"
)

// taken is the error for a name under which something else stands.
func taken(name, what string) error { return fmt.Errorf("%w: %q %s", ErrExists, name, what) }

const otherConfig = "has another configuration, which stays in effect"

// breakerRequest wants a breaker with a configuration.
type breakerRequest struct{ given breaker.Config }

func (q *breakerRequest) make(r *Registry, name string, gates []*gate) (*entry, error) {
	opts := slices.Clone(r.breaker)
	for _, g := range gates {
		opts = append(opts, breaker.WithListener(g))
	}
	b, err := breaker.New(name, q.given, opts...)
	if err != nil {
		return nil, err
	}
	return &entry{Entry: Entry{Name: name, Breaker: b}, request: &breakerRequest{clone(q.given)}, made: true}, nil
}

func (q *breakerRequest) same(e *entry) error {
	if e.Pipeline != nil {
		return taken(e.Name, "is a pipeline")
	}
	first, ok := e.request.(*breakerRequest)
	if ok && reflect.DeepEqual(q.given, first.given) {
		return nil
	}
	// What differs on paper may come to the same. A trial tells, and whether it is valid.
	trial, err := breaker.New(e.Name, q.given)
	if err != nil {
		return err
	}
	want := trial.Config()
	if reflect.DeepEqual(want, e.Breaker.Config()) || ok && reflect.DeepEqual(want, e.settings.breaker) {
		return nil
	}
	return taken(e.Name, otherConfig)
}

// madeBy reports whether the entry is a breaker made with a configuration that is equal
// to cfg at first sight. It is what is asked with most calls, so it is quick.
func madeBy(e *entry, cfg *breaker.Config) bool {
	first, ok := e.request.(*breakerRequest)
	return ok && first.given == *cfg
}

// pipelineRequest wants a pipeline with a configuration.
type pipelineRequest struct{ given pipeline.Config }

func (q *pipelineRequest) make(r *Registry, name string, gates []*gate) (*entry, error) {
	opts := slices.Clone(r.pipeline)
	for _, g := range gates {
		opts = append(opts, pipeline.WithListener(g))
	}
	given := clone(q.given) // before anybody else sees it, and can change it
	p, err := pipeline.New(name, given, opts...)
	if err != nil {
		return nil, err
	}
	return &entry{Entry: Entry{Name: name, Breaker: p.Breaker(), Pipeline: p}, request: &pipelineRequest{clone(given)}, made: true}, nil
}

func (q *pipelineRequest) same(e *entry) error {
	if e.Pipeline == nil {
		return taken(e.Name, "is a breaker")
	}
	first, ok := e.request.(*pipelineRequest)
	switch {
	case !ok:
		return taken(e.Name, "was made elsewhere")
	case reflect.DeepEqual(q.given, first.given), reflect.DeepEqual(clone(q.given), first.given):
		return nil
	}
	return taken(e.Name, otherConfig)
}

// ready wants what has been made already.
type ready Entry

func (q ready) make(*Registry, string, []*gate) (*entry, error) {
	return &entry{Entry: Entry(q), request: q}, nil
}

func (q ready) same(e *entry) error {
	if e.Breaker == q.Breaker && e.Pipeline == q.Pipeline {
		return nil
	}
	return taken(e.Name, "is another one")
}

func (r *Registry) addBreaker(b *breaker.Breaker) error {
	if b == nil {
		return missing("Breaker")
	}
	_, err := r.obtain(b.Name(), ready{b.Name(), b, nil})
	return err
}

func (r *Registry) addPipeline(p *pipeline.Pipeline) error {
	if p == nil {
		return missing("Pipeline")
	}
	_, err := r.obtain(p.Name(), ready{p.Name(), p.Breaker(), p})
	return err
}

func missing(path string) error {
	return &switchgear.ConfigError{Policy: source, Problems: []switchgear.Problem{{Path: path, Value: "nil", Bound: "must be given"}}}
}

// clone returns a copy of plain data that shares nothing with v. An empty slice becomes
// nil, so that two configurations that say the same are equal.
func clone[T any](v T) T {
	separate(reflect.ValueOf(&v).Elem())
	return v
}

// separate makes everything that v refers to its own.
func separate(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			own := reflect.New(v.Type().Elem())
			own.Elem().Set(v.Elem())
			v.Set(own)
			separate(own.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			separate(v.Field(i))
		}
	case reflect.Slice:
		own := reflect.Zero(v.Type())
		if v.Len() > 0 {
			own = reflect.AppendSlice(own, v)
		}
		v.Set(own)
		for i := range v.Len() {
			separate(v.Index(i))
		}
	}
}
