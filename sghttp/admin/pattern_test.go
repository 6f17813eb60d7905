package admin_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/switchgear-go/switchgear/sghttp/admin"
)

func TestMatch(t *testing.T) {
	for _, tt := range []struct {
		pattern, name string
		want          bool
	}{
		{"", "", true}, {"", "a", false}, {"*", "", true}, {"*", "a/b", true}, {"?", "", false}, {"?", "ä", true},
		{"shop/*", "shop/a", true}, {"shop/*", "shops/a", false}, {"*shop", "a/shop", true}, {"*shop", "shop2", false},
		{"a*b*c", "a-b-b-c", true}, {"a*b*c", "a-c-b", false}, {"a?c", "abc", true}, {"[a]", "a", false}, {"a.c", "abc", false},
		{strings.Repeat("*a", 100), strings.Repeat("a", 99), false},
	} {
		equal(t, tt.pattern+" "+tt.name, admin.Match(tt.pattern, tt.name), tt.want)
	}
}

// FuzzMatch compares with a regular expression.
func FuzzMatch(f *testing.F) {
	f.Add("a*b?c", "aXbYc")
	f.Add("**", "\n")
	f.Add("*ab*abc", "abababc")
	f.Fuzz(func(t *testing.T, pattern, name string) {
		if len(pattern) > 100 || len(name) > 100 {
			return
		}
		pattern, name = strings.ToValidUTF8(pattern, "x"), strings.ToValidUTF8(name, "x")
		e := regexp.QuoteMeta(pattern)
		e = strings.NewReplacer(`\*`, `.*`, `\?`, `.`).Replace(e)
		if want := regexp.MustCompile(`(?s)\A` + e + `\z`).MatchString(name); admin.Match(pattern, name) != want {
			t.Errorf("%q %q: want %v", pattern, name, want)
		}
	})
}
