package architecture

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// rootPath is the module path of the root; each nested module's path is this
// and its folder.
const rootPath = "github.com/switchgear-go/switchgear"

// repository is what the checks need to know of a tree. All paths have
// slashes and start at its root, which is ".".
type repository struct {
	modules map[string]modfile // by folder
	work    modfile            // go.work, empty if there is none
	sources []source           // Go files outside testdata, in order of path
	texts   []text             // every file that is text, in order of path
	fset    *token.FileSet
}

type source struct {
	path, dir string
	test      bool // the name ends in _test.go
	external  bool // and the package's name ends in _test
	ast       *ast.File
}

type text struct {
	path, body string
}

// load reads the tree. A Go file that does not parse is an error.
func load(fsys fs.FS) (*repository, error) {
	r := &repository{modules: map[string]modfile{}, fset: token.NewFileSet()}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		body, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		return r.add(name, body)
	})
	return r, err
}

func (r *repository) add(name string, body []byte) error {
	if bytes.IndexByte(body, 0) >= 0 {
		return nil // not text
	}
	r.texts = append(r.texts, text{name, string(body)})
	if inTestdata(name) {
		return nil
	}
	switch dir, base := path.Split(name); {
	case base == "go.mod":
		r.modules[path.Clean(dir)] = parseModfile(string(body))
	case name == "go.work":
		r.work = parseModfile(string(body))
	case path.Ext(base) == ".go":
		f, err := parser.ParseFile(r.fset, name, body, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		test := strings.HasSuffix(base, "_test.go")
		r.sources = append(r.sources, source{
			path:     name,
			dir:      path.Clean(dir),
			test:     test,
			external: test && strings.HasSuffix(f.Name.Name, "_test"),
			ast:      f,
		})
	}
	return nil
}

func inTestdata(name string) bool {
	return slices.Contains(strings.Split(name, "/"), "testdata")
}

// moduleOf returns the folder of the module that the folder dir belongs to.
func (r *repository) moduleOf(dir string) string {
	for dir != "." {
		if _, ok := r.modules[dir]; ok {
			return dir
		}
		dir = path.Dir(dir)
	}
	return "."
}

// folderOf returns the folder that an import path of this repository stands
// for, and false for an import path from elsewhere.
func folderOf(importPath string) (dir string, ok bool) {
	if importPath == rootPath {
		return ".", true
	}
	return strings.CutPrefix(importPath, rootPath+"/")
}

// at formats a violation at a place in a Go file.
func (r *repository) at(pos token.Pos, format string, args ...any) string {
	p := r.fset.Position(pos)
	return fmt.Sprintf("%s:%d: %s", p.Filename, p.Line, fmt.Sprintf(format, args...))
}

// importPath returns the path that spec names.
func importPath(spec *ast.ImportSpec) string {
	p, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return spec.Path.Value // the parser has accepted it, so this is not reached
	}
	return p
}
