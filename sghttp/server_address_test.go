package sghttp

import (
	"net/http"
	"testing"
)

func TestClientAddress(t *testing.T) {
	for remote, want := range map[string]string{
		"192.0.2.7:41000":                      "192.0.2.7",
		"192.0.2.7":                            "192.0.2.7",
		"[::ffff:192.0.2.7]:41000":             "192.0.2.7",
		"[2001:db8:1:2:3:4:5:6]:41000":         "2001:db8:1:2::/64",
		"[2001:db8:1:2:ffff:ffff:ffff:ffff]:1": "2001:db8:1:2::/64",
		"2001:db8:1:2::9":                      "2001:db8:1:2::/64",
		"[fe80::1%eth0]:41000":                 "fe80::/64",
		"[::1]:41000":                          "::/64",
		"@":                                    "@",
		"":                                     "",
		"a header that somebody has made up":   "a header that somebody has made up",
		"192.0.2.7:not a port":                 "192.0.2.7:not a port",
	} {
		got, ok := ClientAddress(&http.Request{RemoteAddr: remote})
		equal(t, remote, got, want)
		equal(t, remote, ok, true)
	}
	r := &http.Request{RemoteAddr: "192.0.2.7:41000"}
	equal(t, "allocations", testing.AllocsPerRun(100, func() { ClientAddress(r) }), 0)
}
