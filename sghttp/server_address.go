package sghttp

import (
	"net/http"
	"net/netip"
	"strings"
)

// ClientAddress is the default of [WithServerKey]: the address at the other end of the
// connection, without the port. An IPv6 address is cut to its first 64 bits, which is
// what a single subscriber usually gets, and an IPv4 address inside an IPv6 one is taken
// out. What is no address, such as the name of a Unix socket, stays as it is. It always
// returns true.
//
// Behind a proxy this is the proxy, and all clients are one: use a function that reads
// what the proxy says, and only what the proxy says. A header that a client can make up
// itself is no limit.
func ClientAddress(r *http.Request) (key string, ok bool) {
	remote := r.RemoteAddr
	if at, err := netip.ParseAddrPort(remote); err == nil {
		if at.Addr().Is4() { // without an allocation
			return remote[:strings.LastIndexByte(remote, ':')], true
		}
		return clientOf(at.Addr()), true
	}
	// Middleware that trusts a proxy may have put an address without a port here.
	if addr, err := netip.ParseAddr(remote); err == nil {
		return clientOf(addr), true
	}
	return remote, true
}

func clientOf(addr netip.Addr) string {
	addr = addr.Unmap()
	if addr.Is4() {
		return addr.String()
	}
	subscriber, _ := addr.Prefix(64) // never fails for an IPv6 address
	return subscriber.String()
}
