package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

const rootModule = "github.com/switchgear-go/switchgear"

// Limits for one go test command's tests. They take a fraction of a second; the first is
// for a machine with much else to do, the second for tests that are expected to hang.
const (
	patience = 2 * time.Minute
	hanging  = 5 * time.Second
)

// atOnce is how many variants are tried at the same time. A go command keeps more than
// one processor busy while it compiles, and about none while it starts.
const atOnce = 2

// findRoot returns the folder of the root module, as seen from the current folder.
func findRoot(ctx context.Context) (string, error) {
	out, bad, err := goCommand(ctx, ".", "list", "-m", "-f", "{{.Dir}}", rootModule)
	if err != nil {
		return "", fmt.Errorf("go list %s: %w\n%s", rootModule, err, bad)
	}
	return strings.TrimSpace(string(out)), nil
}

// A result is what came of one variant.
type result struct {
	err    error    // it could not be judged: there is something wrong with the variant
	tests  []string // that noticed it; none if it survived
	report *report
	took   time.Duration
}

// A bench tries variants of the product in a folder.
type bench struct {
	root  string
	tests func(dir string) (*testFiles, error)
}

func newBench(root string) *bench {
	return &bench{root, onceEach(func(dir string) (*testFiles, error) {
		return readTestFiles(filepath.Join(root, filepath.FromSlash(dir)))
	})}
}

// onceEach returns f with a memory, for concurrent use.
func onceEach[T any](f func(string) (T, error)) func(string) (T, error) {
	var known sync.Map
	return func(s string) (T, error) {
		get, _ := known.LoadOrStore(s, sync.OnceValues(func() (T, error) { return f(s) }))
		return get.(func() (T, error))()
	}
}

// tryAll tries all variants, a few at a time, and hands over the results in their order,
// each as soon as it and those before it are there.
func (b *bench) tryAll(ctx context.Context, variants []variant, each func(*variant, result)) {
	results := make([]chan result, len(variants))
	for i := range results {
		results[i] = make(chan result, 1)
	}
	var workers sync.WaitGroup
	defer workers.Wait()
	for first := range atOnce {
		workers.Go(func() {
			for i := first; i < len(variants); i += atOnce {
				began := time.Now()
				r := b.try(ctx, &variants[i])
				r.took = time.Since(began)
				results[i] <- r
			}
		})
	}
	for i := range variants {
		each(&variants[i], <-results[i])
	}
}

// try lets the named test judge one variant. Nothing in the tree is touched: the go
// command is told to take another file for the one that is wrong.
func (b *bench) try(ctx context.Context, v *variant) result {
	temp, err := os.MkdirTemp("", "variant")
	if err != nil {
		return result{err: err}
	}
	defer os.RemoveAll(temp)
	overlay, err := b.writeOverlay(temp, v)
	if err != nil {
		return result{err: err}
	}
	limit := patience
	if v.hangs {
		limit = hanging
	}
	r, err := goTest(ctx, b.root, v.dir(), v.pattern(), overlay, limit)
	switch {
	case err != nil:
		return result{err: err}
	case !r.built:
		return result{err: fmt.Errorf("it does not build:\n%s", r.output)}
	case r.ok && !v.isJudgedBy(r.passed):
		return result{err: fmt.Errorf("there is no test %q", v.by)}
	case !r.ended && !v.hangs:
		return result{err: fmt.Errorf("the tests did not end in %v:\n%s", limit, r.output)}
	}
	return result{tests: r.innermost(), report: r}
}

// writeOverlay writes the wrong file and an overlay into a folder, and returns the
// overlay's name. It puts the wrong file in place of the right one, and nothing in place
// of the test files that are not needed.
func (b *bench) writeOverlay(temp string, v *variant) (string, error) {
	file := filepath.Join(b.root, filepath.FromSlash(v.file))
	right, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	wrong, err := v.apply(string(right))
	if err != nil {
		return "", err
	}
	replacement := filepath.Join(temp, filepath.Base(file))
	replace := map[string]string{file: replacement}
	tests, err := b.tests(v.dir())
	if err != nil {
		return "", err
	}
	for _, name := range tests.dispensable(v.levels()[0]) {
		replace[name] = ""
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	name := filepath.Join(temp, "overlay.json")
	return name, errors.Join(os.WriteFile(replacement, []byte(wrong), 0o600), os.WriteFile(name, overlay, 0o600))
}

// checkRight reports an error if a test that is to notice a variant does not exist, or
// fails without any variant: it would prove nothing.
func (b *bench) checkRight(ctx context.Context, variants []variant) error {
	patterns := make(map[string][]string)
	for _, v := range variants {
		patterns[v.dir()] = append(patterns[v.dir()], v.pattern())
	}
	var problems []error
	for dir, all := range patterns {
		r, err := goTest(ctx, b.root, dir, strings.Join(all, "|"), "", patience)
		switch {
		case err != nil:
			return err
		case !r.built:
			return fmt.Errorf("the tests of %s do not build:\n%s", dir, r.output)
		case !r.ok:
			problems = append(problems, fmt.Errorf("tests of %s fail without any mistake:\n%s", dir, r.output))
			continue
		}
		for _, v := range variants {
			if v.dir() == dir && !v.isJudgedBy(r.passed) {
				problems = append(problems, fmt.Errorf("%s: package %s has no test %q", v.name, dir, v.by))
			}
		}
	}
	return errors.Join(problems...)
}
