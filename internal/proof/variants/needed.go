package main

import (
	"errors"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
)

// testFiles knows which test files of a package need which others. To compile all of
// them is most of the work in trying a variant, and one test needs only a few.
type testFiles struct {
	home  map[string]string          // the file of each test function
	needs map[string]map[string]bool // what a file refers to in other files
}

// readTestFiles reads the test files in a folder.
func readTestFiles(dir string) (*testFiles, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	packages := make(map[string][]*ast.File) // a folder may have two
	for _, name := range names {
		if ok, err := build.Default.MatchFile(dir, filepath.Base(name)); err != nil {
			return nil, err
		} else if !ok { // for another system
			continue
		}
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		packages[file.Name.Name] = append(packages[file.Name.Name], file)
	}
	t := &testFiles{home: make(map[string]string), needs: make(map[string]map[string]bool)}
	fileOf := func(p token.Pos) string { return fset.Position(p).Filename }
	for name, files := range packages {
		for _, file := range files {
			t.needs[fileOf(file.Pos())] = make(map[string]bool)
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && isTest.MatchString(f.Name.Name) {
					t.home[f.Name.Name] = fileOf(f.Pos())
				}
			}
		}
		// Nothing is imported, so there are errors without end. But what one file
		// declares and another one uses is resolved all the same.
		uses := make(map[*ast.Ident]types.Object)
		config := types.Config{Importer: noImporter{}, Error: func(error) {}}
		_, _ = config.Check(name, fset, files, &types.Info{Uses: uses})
		for id, object := range uses {
			if object.Pos() != token.NoPos {
				t.needs[fileOf(id.Pos())][fileOf(object.Pos())] = true
			}
		}
	}
	return t, nil
}

var isTest = regexp.MustCompile(`^(Test|Fuzz|Example|Benchmark)`)

// dispensable returns the files that a test function can do without. Files without
// tests are never among them: the other one of two packages may need them.
func (t *testFiles) dispensable(test string) (files []string) {
	keep := make(map[string]bool)
	var visit func(string)
	visit = func(file string) {
		if !keep[file] {
			keep[file] = true
			for other := range t.needs[file] {
				visit(other)
			}
		}
	}
	home, ok := t.home[test]
	if !ok {
		return nil
	}
	visit(home)
	for _, file := range t.home {
		if !keep[file] {
			files = append(files, file)
			keep[file] = true // once
		}
	}
	return files
}

type noImporter struct{}

func (noImporter) Import(string) (*types.Package, error) { return nil, errors.New("not wanted") }
