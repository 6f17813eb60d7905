package architecture

import (
	"cmp"
	"fmt"
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	migration = "docs/coming-from.md"
	// snippets has the code of the page's own snippets as examples that run.
	snippets = "internal/architecture/comingfrom_example_test.go"
)

var (
	// codeBlock matches a fenced block: the language, and the code.
	codeBlock = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")
	// ourName matches a name of ours in code style and, after it, a default in
	// parentheses: `breaker.Config.MinimumCalls` (20).
	ourName = regexp.MustCompile("`([a-z]\\w*)((?:\\.[A-Z]\\w*)+)`(?: \\(([^)]*)\\))?")
	// pageLink matches the target of a link that stays in the repository.
	pageLink = regexp.MustCompile(`\]\(([^):#]+)(?:#[^)]*)?\)`)
	space    = regexp.MustCompile(`\s+`)
)

// elsewhere holds the packages that the page names and that are not ours.
var elsewhere = []string{"context", "errors", "http"}

// placed holds the configurations of which the page must name every field, so that a new
// one gets its place there too: with its counterpart elsewhere, or as one that has none.
var placed = []string{
	"breaker.Config", "pipeline.Config", "retry.Config", "timeout.Config",
	"bulkhead.Config", "ratelimit.Config", "hedge.Config",
}

// migrationIsTrue: whatever docs/coming-from.md calls ours exists, with the default that
// it states; its snippets are examples that run; its links lead somewhere.
func migrationIsTrue(r *repository) (bad []string) {
	page, examples := "", ""
	exists := map[string]bool{}
	for _, f := range r.texts {
		switch f.path {
		case migration:
			page = f.body
		case snippets:
			examples = f.body
		}
		for p := f.path; p != "."; p = path.Dir(p) {
			exists[p] = true
		}
	}
	if page == "" {
		return []string{migration + " is missing"}
	}
	report := func(at int, format string, args ...any) {
		line := 1 + strings.Count(page[:at], "\n")
		bad = append(bad, fmt.Sprintf("%s:%d: %s", migration, line, fmt.Sprintf(format, args...)))
	}

	ours := 0
	for _, m := range codeBlock.FindAllStringSubmatchIndex(page, -1) {
		code, ok := strings.CutPrefix(page[m[4]:m[5]], "// switchgear\n")
		if page[m[2]:m[3]] != "go" || !ok {
			continue
		}
		ours++
		if !strings.Contains(flat(examples), flat(code)) {
			report(m[0], "this snippet is not in %s", snippets)
		}
	}
	if ours == 0 {
		report(0, "no snippet of ours")
	}

	// What follows looks at the text alone. Lines keep their numbers.
	text := codeBlock.ReplaceAllStringFunc(page, func(block string) string {
		return strings.Repeat("\n", strings.Count(block, "\n"))
	})
	report = func(at int, format string, args ...any) {
		line := 1 + strings.Count(text[:at], "\n")
		bad = append(bad, fmt.Sprintf("%s:%d: %s", migration, line, fmt.Sprintf(format, args...)))
	}
	x := indexNames(r)
	named := map[string]bool{}
	for _, m := range ourName.FindAllStringSubmatchIndex(text, -1) {
		pkg, names := text[m[2]:m[3]], strings.Split(text[m[4]+1:m[5]], ".")
		full := pkg + "." + strings.Join(names, ".")
		named[full] = true
		dir, ok := x.folders[pkg]
		if !ok {
			if !slices.Contains(elsewhere, pkg) {
				report(m[0], "there is no package %s", pkg)
			}
			continue
		}
		field, ok := x.find(dir, names)
		switch {
		case !ok:
			report(m[0], "there is no %s", full)
		case m[6] >= 0 && field == nil:
			report(m[0], "%s is no field and has no default", full)
		case m[6] >= 0 && !states(field, text[m[6]:m[7]]):
			report(m[0], "the comment of %s states no default %q", full, text[m[6]:m[7]])
		}
	}
	for _, m := range pageLink.FindAllStringSubmatchIndex(text, -1) {
		if target := path.Join(path.Dir(migration), text[m[2]:m[3]]); !exists[target] {
			report(m[0], "there is no %s", target)
		}
	}

	for _, config := range placed {
		pkg, name, _ := strings.Cut(config, ".")
		d := x.names[x.folders[pkg]][name]
		if d == nil {
			continue // in a made-up repository
		}
		for _, leaf := range x.leaves(d, config) {
			if !named[leaf] {
				bad = append(bad, fmt.Sprintf("%s: %s has no place on the page", migration, leaf))
			}
		}
	}
	return bad
}

// flat returns the lines of code without their indentation, which is another one in a
// function than on a page.
func flat(code string) string {
	lines := strings.Split(strings.TrimSpace(code), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSpace(l)
	}
	return strings.Join(lines, "\n")
}

// states reports whether the field's comment has the default value, as in "Default 50;".
// The page writes "50 %" where the comment says 50, and no brackets around names.
func states(field *ast.Field, value string) bool {
	comment := strings.NewReplacer("[", "", "]", "").Replace(space.ReplaceAllString(field.Doc.Text(), " "))
	value = regexp.QuoteMeta(strings.TrimSuffix(value, " %"))
	return regexp.MustCompile(`(?i)\bdefault:? ` + value + `(?:[^\w.]|\.\D|\.?$)`).MatchString(comment)
}

// An index knows what the packages that can be imported declare.
type index struct {
	folders map[string]string               // of packages, by name
	names   map[string]map[string]*declared // by folder
}

type declared struct {
	dir     string
	file    *ast.File
	typ     ast.Expr // nil if it is no type
	methods map[string]bool
}

func indexNames(r *repository) *index {
	x := &index{folders: map[string]string{}, names: map[string]map[string]*declared{}}
	at := func(s source, name string) *declared {
		d := x.names[s.dir][name]
		if d == nil {
			d = &declared{dir: s.dir, methods: map[string]bool{}}
			x.names[s.dir][name] = d
		}
		d.file = cmp.Or(d.file, s.ast)
		return d
	}
	for _, s := range r.sources {
		if s.test || s.ast.Name.Name == "main" || strings.HasPrefix(s.dir, "internal/") || strings.Contains(s.dir, "/internal/") {
			continue
		}
		x.folders[s.ast.Name.Name] = s.dir
		if x.names[s.dir] == nil {
			x.names[s.dir] = map[string]*declared{}
		}
		for _, decl := range s.ast.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Recv == nil {
					at(s, decl.Name.Name)
				} else if name, ok := baseOf(decl.Recv.List[0].Type).(*ast.Ident); ok {
					at(s, name.Name).methods[decl.Name.Name] = true
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						d := at(s, spec.Name.Name)
						d.typ, d.file = spec.Type, s.ast
					case *ast.ValueSpec:
						for _, name := range spec.Names {
							at(s, name.Name)
						}
					}
				}
			}
		}
	}
	return x
}

// find looks a name up, and names in it, such as Config.Open.Wait. The field is nil where
// the last name is something else.
func (x *index) find(dir string, names []string) (*ast.Field, bool) {
	d := x.names[dir][names[0]]
	if d == nil || len(names) == 1 {
		return nil, d != nil
	}
	return x.member(d, names[1:])
}

func (x *index) member(d *declared, names []string) (*ast.Field, bool) {
	if d.methods[names[0]] {
		return nil, len(names) == 1
	}
	var members *ast.FieldList
	switch typ := d.typ.(type) {
	case *ast.StructType:
		members = typ.Fields
	case *ast.InterfaceType:
		members = typ.Methods
	default:
		return nil, false
	}
	for _, f := range members.List {
		inner := x.typeOf(d, f.Type)
		for _, name := range namesOf(f) {
			switch {
			case name != names[0]:
			case len(names) == 1:
				return f, true
			case inner != nil:
				return x.member(inner, names[1:])
			}
		}
		if len(f.Names) == 0 && inner != nil {
			if promoted, ok := x.member(inner, names); ok {
				return promoted, true
			}
		}
	}
	return nil, false
}

// leaves returns the fields of a struct, and in place of a field that is a struct of this
// repository the fields of that. What is behind a pointer is another configuration.
func (x *index) leaves(d *declared, prefix string) (all []string) {
	typ, ok := d.typ.(*ast.StructType)
	if !ok {
		return nil
	}
	for _, f := range typ.Fields.List {
		var inner *declared
		if _, pointer := f.Type.(*ast.StarExpr); !pointer {
			inner = x.typeOf(d, f.Type)
		}
		for _, name := range namesOf(f) {
			var below []string
			if inner != nil {
				below = x.leaves(inner, prefix+"."+name)
			}
			if below == nil {
				below = []string{prefix + "." + name}
			}
			all = append(all, below...)
		}
	}
	return all
}

// typeOf returns the declaration of a type that d's file names, nil for one from elsewhere.
func (x *index) typeOf(d *declared, expr ast.Expr) *declared {
	switch expr := baseOf(expr).(type) {
	case *ast.Ident:
		return x.names[d.dir][expr.Name]
	case *ast.SelectorExpr:
		pkg, ok := expr.X.(*ast.Ident)
		if !ok {
			return nil
		}
		for _, spec := range d.file.Imports {
			dir, ours := folderOf(importPath(spec))
			if ours && x.folders[pkg.Name] == dir {
				return x.names[dir][expr.Sel.Name]
			}
		}
	}
	return nil
}

// baseOf strips pointers and type arguments.
func baseOf(expr ast.Expr) ast.Expr {
	for {
		switch e := expr.(type) {
		case *ast.StarExpr:
			expr = e.X
		case *ast.IndexExpr:
			expr = e.X
		case *ast.IndexListExpr:
			expr = e.X
		default:
			return expr
		}
	}
}

// namesOf returns the names of a field; that of an embedded one is its type's.
func namesOf(f *ast.Field) (names []string) {
	for _, n := range f.Names {
		names = append(names, n.Name)
	}
	if len(names) == 0 {
		switch t := baseOf(f.Type).(type) {
		case *ast.Ident:
			names = []string{t.Name}
		case *ast.SelectorExpr:
			names = []string{t.Sel.Name}
		}
	}
	return names
}

func TestMigrationIsTrue(t *testing.T) { holds(t, migrationIsTrue) }

func TestMigrationIsTrueNotices(t *testing.T) {
	const fence = "```"
	repo := func(page string) map[string]string {
		return map[string]string{
			migration: page + "\n" + fence + "go\n// switchgear\nb := breaker.New(\n\t1)\n" + fence + "\n",
			snippets:  "package x_test\n\nfunc Example() {\n\tb := breaker.New(\n\t\t1)\n\t// Output:\n}\n",
			"breaker/b.go": `package breaker

import "` + rootPath + `/window"

type Config struct {
	// Calls is a number. Default 20; from 1 to 9.
	Calls int
	// Open is a part.
	Open OpenConfig
	// Evidence is optional.
	Evidence *window.Counts
}

type OpenConfig struct {
	// Wait is a time. Default
	// 30 s, or [Long].
	Wait int
}

type Breaker[T any] struct{ Numbers }

type Numbers struct{ window.Counts }

const Long = 1

func New(int) *Breaker[int] { return nil }

func (b *Breaker[T]) Do() {}
`,
			"window/w.go": "package window\n\ntype Counts struct{ Failed int }\n",
		}
	}
	const all = "`breaker.Config.Calls`, `breaker.Config.Open.Wait`, `breaker.Config.Evidence`\n"
	notices(t, migrationIsTrue, []breach{
		{"no page", map[string]string{"a.md": ""}, []string{migration + " is missing"}},
		{"all that is right, and a remark in parentheses that is no default", repo(all + "`breaker.Config.Calls` (20), `breaker.Config.Open.Wait` (30 s), `breaker.Breaker.Do`,\n" +
			"`breaker.Breaker.Failed`, `breaker.Config.Evidence.Failed`, `breaker.New` (theirs is unlike), `Polly.Thing`, `context.Canceled`,\n" +
			"[here](../breaker/b.go#x), [there](http://example.org/), `hystrix.command`\n"),
			[]string{migration + ":3: breaker.New is no field and has no default"}},
		{"names that do not exist", repo(all + "`breaker.Confg`, `breaker.Config.Open.Wiat`,\n`breakr.Config`, `breaker.Breaker.Missing`, `breaker.New.X`\n"),
			[]string{
				migration + ":2: there is no breaker.Confg",
				migration + ":2: there is no breaker.Config.Open.Wiat",
				migration + ":3: there is no package breakr",
				migration + ":3: there is no breaker.Breaker.Missing",
				migration + ":3: there is no breaker.New.X",
			}},
		{"defaults that are others", repo(all + "`breaker.Config.Calls` (2), `breaker.Config.Calls` (200),\n`breaker.Config.Open.Wait` (3 s), `breaker.Config.Evidence` (off)\n"),
			[]string{
				migration + `:2: the comment of breaker.Config.Calls states no default "2"`,
				migration + `:2: the comment of breaker.Config.Calls states no default "200"`,
				migration + `:3: the comment of breaker.Config.Open.Wait states no default "3 s"`,
				migration + `:3: the comment of breaker.Config.Evidence states no default "off"`,
			}},
		{"a field without a place", repo("`breaker.Config.Calls`, `breaker.Config.Open`, `breaker.Config.Evidence`\n"),
			[]string{migration + ": breaker.Config.Open.Wait has no place on the page"}},
		{"a link to nowhere", repo(all + "[gone](gone.md)\n"), []string{migration + ":2: there is no docs/gone.md"}},
		{"a snippet that does not run", repo(all + fence + "go\n// switchgear\nb := breaker.New(2)\n" + fence + "\n" +
			fence + "go\n// theirs\nb := other.New(2)\n" + fence + "\n"),
			[]string{migration + ":2: this snippet is not in " + snippets}},
	})
}
