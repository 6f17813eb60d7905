package admin_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/registry"
	"github.com/switchgear-go/switchgear/sghttp/admin"
)

const order = `{"to": "hold-open", "for": "forever", "reason": "drill", "author": "ana"}`

var paths = []string{"/breakers", "/breakers/stock", "/events", "/health"}

func at(ip string) change {
	return func(r *http.Request) {
		*r = *r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, &net.TCPAddr{IP: net.ParseIP(ip)}))
	}
}

func TestPermissions(t *testing.T) {
	both := admin.Config{Token: readToken, AllowWrites: true, WriteToken: writeToken}
	for _, tt := range []struct {
		name        string
		cfg         admin.Config
		change      change
		read, write int
	}{
		{"#01 nothing configured: reading for all, writing off", admin.Config{}, header("X", "x"), 200, 403},
		{"#02 writes allowed without tokens", writes(), header("X", "x"), 200, 200},
		{"#03 a token is wanted", both, header("X", "x"), 401, 401},
		{"#04 a wrong token", both, bearer("read-0123456789abcdeg"), 401, 401},
		{"#05 the beginning of a token", both, bearer(readToken[:20]), 401, 401},
		{"#06 a token and more", both, bearer(readToken + "x"), 401, 401},
		{"#07 the reader's token", both, bearer(readToken), 200, 403},
		{"#08 the writer's token", both, bearer(writeToken), 200, 200},
		{"#09 the scheme in small letters", both, header("Authorization", "bearer "+writeToken), 200, 200},
		{"#10 another scheme", both, header("Authorization", "Basic "+writeToken), 401, 401},
		{"#11 a token without scheme", both, header("Authorization", writeToken), 401, 401},
		{"#12 an empty token", both, bearer(""), 401, 401},
		{"#13 a writer's token alone: reading for all", admin.Config{AllowWrites: true, WriteToken: writeToken}, header("X", "x"), 200, 403},
		{"#14 and with it", admin.Config{AllowWrites: true, WriteToken: writeToken}, bearer(writeToken), 200, 200},
		{"#15 a reader's token alone allows both where writes are allowed", admin.Config{AllowWrites: true, Token: readToken}, bearer(readToken), 200, 200},
		{"#16 and nothing without it", admin.Config{AllowWrites: true, Token: readToken}, header("X", "x"), 401, 401},
		{"#17 writing off, with a token", admin.Config{Token: readToken}, bearer(readToken), 200, 403},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, tt.cfg)
			b := r.breaker("stock")
			for _, path := range paths {
				w := r.do(http.MethodGet, path, "", tt.change)
				equal(t, path, w.Code, tt.read)
				equal(t, "challenge", w.Header().Get("WWW-Authenticate") != "", tt.read == 401)
			}
			state := breaker.Closed
			if tt.write == 200 {
				state = breaker.ForcedOpen
			}
			equal(t, "move", r.do(http.MethodPost, "/breakers/stock/move", order, tt.change).Code, tt.write)
			equal(t, "state", b.State(), state)
			equal(t, "move all", r.do(http.MethodPost, "/breakers/move", strings.Replace(order, "{", `{"name": "*",`, 1), tt.change).Code, tt.write)
			equal(t, "state", b.State(), state)
		})
	}
}

func TestOtherSites(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change change
		want   int
	}{
		{"#20 not a browser", header("X", "x"), 200},
		{"#21 the same origin", header("Sec-Fetch-Site", "same-origin"), 200},
		{"#22 another site", header("Sec-Fetch-Site", "cross-site"), 403},
		{"#23 the same site", header("Sec-Fetch-Site", "same-site"), 403},
		{"#24 an old browser, another origin", header("Origin", "https://evil.example"), 403},
		{"#25 an old browser, no origin", header("Origin", "null"), 403},
		{"#26 an old browser, the same origin", header("Origin", "http://localhost:9090"), 200},
		{"#27 a form", header("Content-Type", "application/x-www-form-urlencoded"), 415},
		{"#28 what a script may send without asking", header("Content-Type", "text/plain"), 415},
		{"#29 no type", header("Content-Type", ""), 415},
		{"#30 JSON with a parameter", header("Content-Type", "Application/JSON; charset=utf-8"), 200},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, writes())
			b := r.breaker("stock")
			w := r.do(http.MethodPost, "/breakers/stock/move", order, tt.change)
			equal(t, "status", w.Code, tt.want)
			equal(t, "moved", b.State() == breaker.ForcedOpen, tt.want == 200)
		})
	}
	t.Run("#31 no answer is shared with other origins, and none is kept or interpreted", func(t *testing.T) {
		r := newRig(t, writes())
		for _, w := range []*httptest.ResponseRecorder{
			r.do(http.MethodGet, "/breakers", "", header("Origin", "https://evil.example")),
			r.do(http.MethodOptions, "/breakers/x/move", "", header("Origin", "https://evil.example")),
			r.do(http.MethodGet, "/nowhere", ""),
			r.do(http.MethodGet, "/breakers", "", header("Host", "evil.example")),
		} {
			for name := range w.Header() {
				if strings.HasPrefix(name, "Access-Control") {
					t.Errorf("%s: %s", name, w.Header().Get(name))
				}
			}
			equal(t, "sniffing", w.Header().Get("X-Content-Type-Options"), "nosniff")
			equal(t, "keeping", w.Header().Get("Cache-Control"), "no-store")
			equal(t, "content", w.Header().Get("Content-Security-Policy"), "default-src 'none'; frame-ancestors 'none'")
		}
	})
}

func TestHosts(t *testing.T) {
	own := admin.Config{Hosts: []string{"Admin.Example"}}
	for _, tt := range []struct {
		name string
		cfg  admin.Config
		host string
		at   string
		want int
	}{
		{"#40 localhost", admin.Config{}, "localhost:9090", "127.0.0.1", 200},
		{"#41 in capitals, with a dot", admin.Config{}, "LOCALHOST.", "127.0.0.1", 200},
		{"#42 an address", admin.Config{}, "127.0.0.1:9090", "127.0.0.1", 200},
		{"#43 an IPv6 address", admin.Config{}, "[::1]:9090", "::1", 200},
		{"#44 and without port", admin.Config{}, "[::1]", "::1", 200},
		{"#45 a foreign name that points here", admin.Config{}, "evil.example:9090", "127.0.0.1", 421},
		{"#46 a foreign name on IPv6", admin.Config{}, "evil.example", "::1", 421},
		{"#47 a name that begins well", admin.Config{}, "localhost.evil.example", "127.0.0.1", 421},
		{"#48 none", admin.Config{}, "", "127.0.0.1", 421},
		{"#49 elsewhere any name, if it takes a token", admin.Config{Token: readToken}, "admin.example", "10.0.0.1", 200},
		{"#50 a configured name", own, "admin.example:9090", "127.0.0.1", 200},
		{"#51 but no other one", own, "evil.example", "127.0.0.1", 421},
		{"#52 nor elsewhere", own, "evil.example", "10.0.0.1", 421},
		{"#54 where it is not known on which address", admin.Config{}, "admin.example", "", 421},
		{"#55 elsewhere without a token", admin.Config{}, "admin.example", "10.0.0.1", 421},
		{"#56 a token that is only for writing", admin.Config{AllowWrites: true, WriteToken: writeToken}, "admin.example", "10.0.0.1", 421},
		{"#57 an address, elsewhere", admin.Config{}, "10.0.0.1:9090", "10.0.0.1", 200},
		{"#58 a list with nothing in it is none", admin.Config{Token: readToken, Hosts: []string{}}, "admin.example", "10.0.0.1", 200},
		{"#59 on loopback even with a token", admin.Config{Token: readToken}, "evil.example", "127.0.0.1", 421},
		{"#53 an address is always right", own, "10.0.0.1", "10.0.0.1", 200},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, tt.cfg)
			changes := []change{header("Host", tt.host), bearer(tt.cfg.Token)}
			if tt.at != "" {
				changes = append(changes, at(tt.at))
			}
			equal(t, "status", r.do(http.MethodGet, "/breakers", "", changes...).Code, tt.want)
		})
	}
}

// In a container the handler listens on an address that is no loopback's, and there it took any
// name: a page at a name that its owner had pointed to the container was of the same origin for
// the browser, and could move every breaker.
func TestANameOfAnAttackersDoesNotWrite(t *testing.T) {
	for _, cfg := range []admin.Config{writes(), {AllowWrites: true, Hosts: []string{}}} {
		r := newRig(t, cfg)
		b := r.breaker("stock")
		page := []change{
			header("Host", "rebound.example:9090"), header("Origin", "http://rebound.example:9090"),
			header("Sec-Fetch-Site", "same-origin"), at("172.17.0.2"),
		}
		p := read[problem](t, r.do(http.MethodPost, "/breakers/stock/move", order, page...), http.StatusMisdirectedRequest)
		equal(t, "field", p.Field, "Host")
		equal(t, "state", b.State(), breaker.Closed)
		read[problem](t, r.do(http.MethodGet, "/breakers", "", page...), http.StatusMisdirectedRequest)
	}
}

// The other sites' pages were said to be refused, and were when they wrote. Reading they were
// answered, and a page full of streams kept everybody else from one.
func TestOtherSitesDoNotRead(t *testing.T) {
	r := newRig(t, admin.Config{})
	r.breaker("stock")
	for _, tt := range []struct {
		name             string
		site, mode, dest string
		want             int
	}{
		{"not a browser", "", "", "", 200},
		{"the same origin", "same-origin", "cors", "empty", 200},
		{"typed in", "none", "navigate", "document", 200},
		{"a link", "cross-site", "navigate", "document", 200},
		{"a script", "cross-site", "cors", "empty", 403},
		{"a script of the same site", "same-site", "no-cors", "empty", 403},
		{"a picture", "cross-site", "no-cors", "image", 403},
		{"a frame", "cross-site", "navigate", "iframe", 403},
	} {
		for _, path := range paths {
			w := r.do(http.MethodGet, path, "", header("Sec-Fetch-Site", tt.site), header("Sec-Fetch-Mode", tt.mode), header("Sec-Fetch-Dest", tt.dest))
			equal(t, tt.name+": "+path, w.Code, tt.want)
		}
	}
}

func TestConfig(t *testing.T) {
	reg := registry.Must(registry.New(registry.Config{}))
	for _, tt := range []struct {
		cfg  admin.Config
		want string
	}{
		{admin.Config{Token: "short"}, "Token = 5 characters: must have from 16 to 512"},
		{admin.Config{Token: "a token with spaces in it"}, "Token = what is not printable: must be printable ASCII without spaces"},
		{admin.Config{WriteToken: writeToken}, "WriteToken = given: must be empty without AllowWrites"},
		{admin.Config{AllowWrites: true, Token: readToken, WriteToken: readToken}, "WriteToken = the same as Token: must be another one"},
		{
			admin.Config{Hosts: []string{"ok", "a:80", ""}, Recent: -1, Streams: 1001, Heartbeat: 1, Stuck: -1, StreamLife: 1},
			`Hosts[1] = "a:80": must be a host name without port; Hosts[2] = "": must be a host name without port; ` +
				"Recent = -1: must be from 1 to 100000; Streams = 1001: must be from 1 to 1000; " +
				"Heartbeat = 1ns: must be from 1s to 5m0s; Stuck = -1ns: must be from 1s to 5m0s; StreamLife = 1ns: must be from 1m0s to 720h0m0s",
		},
		{admin.Config{Hosts: make([]string, 101)}, "Hosts = 101: must be at most 100 names"},
	} {
		_, err := admin.New(reg, tt.cfg, nil, admin.WithClock(nil))
		if !errors.Is(err, switchgear.ErrConfig) || err.Error() != `admin handler "": invalid configuration: `+tt.want {
			t.Errorf("got  %v\nwant … %s", err, tt.want)
		}
		for _, secret := range []string{"with spaces", readToken, writeToken} {
			if err != nil && strings.Contains(err.Error(), secret) {
				t.Errorf("the error has a token in it: %v", err)
			}
		}
	}
	if _, err := admin.New(nil, admin.Config{}); !errors.Is(err, switchgear.ErrConfig) {
		t.Errorf("no registry: %v", err)
	}
}
