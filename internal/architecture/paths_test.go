package architecture

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"testing"
)

var (
	// climb matches a run of parent folders, "../.." or "..", "..", that does
	// not follow another path element or a dot.
	climb = regexp.MustCompile(`(?m)(?:^|[^\w./)}])(\.\.(?:/\.\.)*|"\.\."(?:, *"\.\.")*)(?:/|["'\s,)]|$)`)
	// homes matches an absolute path into somebody's own folders.
	homes = regexp.MustCompile(`(?m)(?:^|[^\w./)}-])(/(?:root|home|Users|work)/)`)
	// beside is a folder that lies beside this repository in one workplace
	// and in no clone of it.
	beside = regexp.MustCompile(`(\.\.` + `/shared)\b`)
)

// staysInside: no file names a place outside the repository, be it a path that
// climbs out of it or a path of one machine. A clone must be enough to build
// and to test. What the fuzzer wrote into testdata is exempt: it is noise.
func staysInside(r *repository) (bad []string) {
	for _, f := range r.texts {
		if strings.Contains(f.path, "testdata/fuzz/") {
			continue
		}
		depth := strings.Count(f.path, "/")
		report := func(at []int, format string) {
			line := 1 + strings.Count(f.body[:at[2]], "\n")
			bad = append(bad, fmt.Sprintf("%s:%d: "+format, f.path, line, f.body[at[2]:at[3]]))
		}
		for _, at := range climb.FindAllStringSubmatchIndex(f.body, -1) {
			if strings.Count(f.body[at[2]:at[3]], "..") > depth {
				report(at, "%s leads out of the repository")
			}
		}
		for _, at := range homes.FindAllStringSubmatchIndex(f.body, -1) {
			report(at, "%s is a path of one machine")
		}
		for _, at := range beside.FindAllStringSubmatchIndex(f.body, -1) {
			report(at, "%s is not part of the repository")
		}
	}
	return bad
}

func TestStaysInside(t *testing.T) { holds(t, staysInside) }

func TestStaysInsideNotices(t *testing.T) {
	// Put together here, so that this file does not break its own rule.
	up := func(n int) string { return strings.TrimSuffix(strings.Repeat("../", n), "/") }
	notices(t, staysInside, []breach{
		{"what looks like it and is not", map[string]string{
			"a.md":                      "1..9, ./..., wait ... and a/../b",
			"x/go.mod":                  "replace y => " + up(1) + "\n",
			"internal/x/x_test.go":      "package x\n\nvar root = [...]string{\"" + up(2) + "\", \"..\", \"a/b\"}\n",
			"x/y/testdata/fuzz/F/seed":  "string(\"" + up(9) + "/etc/passwd\")",
			"x/y/testdata/page.bin":     "\x00" + up(9),
			"x/y/testdata/requests.txt": "GET http://example.com/" + "home/ HTTP/1.1",
		}, nil},
		{"a path out of the repository", map[string]string{
			"a.md":            "see\n[there](" + up(1) + "/elsewhere)\n",
			"x/y/x_test.go":   "package y\n\nvar data = \"" + up(3) + "/data\"\n",
			"x/y/join.go":     "package y\n\nvar data = filepath.Join(" + strings.Repeat(`"..", `, 3) + "\"data\")\n",
			"x/testdata/t.sh": "cat " + up(3) + "/t\n",
		}, []string{
			"a.md:2: .. leads out of the repository",
			"x/testdata/t.sh:1: " + up(3) + " leads out of the repository",
			"x/y/join.go:3: " + strings.TrimSuffix(strings.Repeat(`"..", `, 3), ", ") + " leads out of the repository",
			"x/y/x_test.go:3: " + up(3) + " leads out of the repository",
		}},
		{"a path of one machine", map[string]string{
			"x/x.go": "package x\n\nvar data = \"/" + "home/me/data\"\n",
		}, []string{"x/x.go:3: /" + "home/ is a path of one machine"}},
		{"the folder beside", map[string]string{
			"x/y/z/x.go": "package z\n\n// See " + path.Join(up(1), "shared") + " for more.\n",
		}, []string{"x/y/z/x.go:3: " + path.Join(up(1), "shared") + " is not part of the repository"}},
	})
}
