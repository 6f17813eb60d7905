package admin

import (
	"crypto/sha256"
	"crypto/subtle"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// A guard decides who may do what.
type guard struct {
	hosts       []string
	read, write *[sha256.Size]byte // hashes of tokens; nil for none
	writes      bool
	origin      *http.CrossOriginProtection
}

func newGuard(cfg *Config) guard {
	hash := func(token string) *[sha256.Size]byte {
		if token == "" {
			return nil
		}
		sum := sha256.Sum256([]byte(token))
		return &sum
	}
	return guard{
		hosts: cfg.Hosts, read: hash(cfg.Token), write: hash(cfg.WriteToken), writes: cfg.AllowWrites,
		origin: http.NewCrossOriginProtection(),
	}
}

// secure sets the headers that every answer has.
func secure(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}

// host refuses names that are not the handler's. An attacker's page can point a name of
// its own to this machine, and is then of the same origin as the handler; but it cannot
// change that the browser sends that name.
func (g *guard) host(r *http.Request) *problem {
	name := hostname(r.Host)
	if _, err := netip.ParseAddr(name); err == nil || name == "localhost" || slices.Contains(g.hosts, name) {
		return nil
	}
	if len(g.hosts) == 0 && g.read != nil && !onLoopback(r) {
		return nil // no page of an attacker's has the token
	}
	return &problem{status: http.StatusMisdirectedRequest, Error: "not addressed to this handler", Field: "Host", Bound: "localhost, an IP address, or one of Config.Hosts"}
}

// onLoopback reports whether the request came in on a loopback address. If that is not
// known it is taken to be so.
func onLoopback(r *http.Request) bool {
	addr, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return !ok || addr.IP.IsLoopback()
}

// hostname returns the name in a Host header, without port.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// check refuses who may not do what the path is for.
func (g *guard) check(w http.ResponseWriter, r *http.Request, what action) *problem {
	read, write := g.permissions(r)
	if !read {
		w.Header().Set("WWW-Authenticate", `Bearer realm="switchgear"`)
		return &problem{status: http.StatusUnauthorized, Error: "the token is missing or wrong", Field: "Authorization"}
	}
	if what == reading {
		return sameSite(r)
	}
	if err := g.origin.Check(r); err != nil {
		return &problem{status: http.StatusForbidden, Error: err.Error()}
	}
	switch {
	case !g.writes:
		return &problem{status: http.StatusForbidden, Error: "writing is off", Field: "Authorization"}
	case !write:
		return &problem{status: http.StatusForbidden, Error: "this token may not write", Field: "Authorization"}
	}
	// A page of another site can make a browser send a form, but not JSON, without asking.
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return &problem{status: http.StatusUnsupportedMediaType, Error: "the body must be JSON", Field: "Content-Type", Bound: "application/json"}
	}
	return nil
}

// sameSite refuses to read for another site's page, such as one that opens streams until
// there is no place left. It could not see the answer. A link that somebody follows is no
// page's request. Only a browser says so, and only to https and localhost.
func sameSite(r *http.Request) *problem {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return nil
	}
	if r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document" {
		return nil
	}
	return &problem{status: http.StatusForbidden, Error: "the request comes from another site's page"}
}

func (g *guard) permissions(r *http.Request) (read, write bool) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		token = ""
	}
	// Hashed first, all have the same length: nothing is learned from how long it takes.
	sum := sha256.Sum256([]byte(token))
	is := func(want *[sha256.Size]byte) bool {
		return want != nil && subtle.ConstantTimeCompare(sum[:], want[:]) == 1
	}
	write, read = is(g.write), is(g.read)
	read = read || write || g.read == nil
	write = write || g.write == nil && read
	return read, write
}
