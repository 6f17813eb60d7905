package fallback_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/switchgear-go/switchgear/fallback"
)

// A sketch is a handler before it is made: the errors it is for, and what it does.
type sketch struct {
	causes  []error // none: any error
	results []error // of its providers in turn; one for a function; nil error = answer
}

// predict is the model: loops over sketches, written without a look at the package.
// It returns the name of who answers ("" if nobody) and all errors on the way.
func predict(first error, sketches []sketch) (who string, errs []error) {
	if first == nil {
		return "call", nil
	}
	errs = []error{first}
	for i, s := range sketches {
		for j, result := range s.results {
			match := len(s.causes) == 0
			for _, c := range s.causes {
				match = match || c == errs[len(errs)-1]
			}
			if !match {
				break // and none of its other providers, since the error stays the same
			}
			if result == nil {
				return fmt.Sprint(i, ".", j), errs
			}
			errs = append(errs, result)
		}
	}
	return "", errs
}

func TestModel(t *testing.T) {
	pool := []error{errors.New("a"), errors.New("b"), errors.New("c")}
	for seed := range uint64(scale(3000, 300)) {
		r := rand.New(rand.NewPCG(seed, 1))
		result := func(goodIn int) error {
			if r.IntN(goodIn) == 0 {
				return nil
			}
			return pool[r.IntN(len(pool))]
		}
		var sketches []sketch
		var handlers []fallback.Handler[string]
		for i := range 1 + r.IntN(5) {
			var s sketch
			for _, err := range pool {
				if r.IntN(2) == 0 {
					s.causes = append(s.causes, err)
				}
			}
			var h fallback.Handler[string]
			ender := func(j int, err error) func(context.Context) (string, error) {
				return func(context.Context) (string, error) { return fmt.Sprint(i, ".", j), err }
			}
			switch r.IntN(3) {
			case 0:
				if len(s.causes) == 0 {
					s.causes = pool
				}
				s.results = []error{nil}
				h = fallback.Value(fmt.Sprint(i, ".", 0))
			case 1:
				s.results = []error{result(4)}
				h = fallback.Func(fn(ender(0, s.results[0])))
			default:
				var providers []fallback.Provider[string]
				for j := range 1 + r.IntN(3) {
					s.results = append(s.results, result(5))
					providers = append(providers, provider("", ender(j, s.results[j])))
				}
				h = fallback.Chain(providers...)
			}
			if len(s.causes) > 0 {
				h = h.When(fallback.Is(s.causes...))
			}
			sketches, handlers = append(sketches, s), append(handlers, h)
		}
		f, err := fallback.New("price", handlers...)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		var answered, primary, failed uint64
		for range 20 {
			first := result(3)
			who, errs := predict(first, sketches)
			call := func(context.Context) (string, error) { return "call", first }
			v, meta, err := f.DoMeta(context.Background(), call)
			free, freeErr := fallback.Do(context.Background(), call, handlers...)

			var got []error
			for _, e := range []error{meta.Err} {
				if both, ok := errors.AsType[*fallback.Error](e); ok {
					got = both.Unwrap()
				} else if e != nil {
					got = []error{e}
				}
			}
			switch {
			case fmt.Sprint(got) != fmt.Sprint(errs):
				t.Fatalf("seed %d: errors %v, want %v", seed, got, errs)
			case who != "" && (err != nil || v != who):
				t.Fatalf("seed %d: got %q, %v, want an answer by %s", seed, v, err, who)
			case who == "" && err == nil:
				t.Fatalf("seed %d: got %q, want an error", seed, v)
			case v != free || fmt.Sprint(err) != fmt.Sprint(freeErr):
				t.Fatalf("seed %d: without counters it is %q, %v, with them %q, %v", seed, free, freeErr, v, err)
			}
			switch {
			case first == nil:
				primary++
			case who == "":
				failed++
			default:
				answered++
			}
		}
		c := f.Counters()
		var stepAnswers uint64
		for _, h := range c.Handlers {
			stepAnswers += h.Used - h.Failed
		}
		if c.Calls != 20 || c.Primary != primary || c.Failed != failed || stepAnswers != answered {
			t.Fatalf("seed %d: counters %+v, want %d primary, %d answered, %d failed", seed, c, primary, answered, failed)
		}
	}
}
