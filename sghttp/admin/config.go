package admin

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/switchgear-go/switchgear/internal/check"
)

const (
	minToken = 16
	maxToken = 512
	maxHosts = 100
)

// Config says who may do what, and how much is kept. It is plain data; a zero field means
// the default its comment names.
type Config struct {
	// Token is what a reader sends, as "Authorization: Bearer …". Default none: everybody
	// who can reach the handler may read. From 16 to 512 printable ASCII characters
	// without spaces.
	Token string

	// AllowWrites switches moves on. Default false.
	AllowWrites bool

	// WriteToken is what somebody sends to move a breaker; it may read too. Default none:
	// whoever may read may write, which suits a handler behind something that
	// authenticates. Bounds as for Token, from which it must differ; only with AllowWrites.
	WriteToken string

	// Hosts are the names by which the handler may be addressed, besides localhost and IP
	// addresses. Default none, so that no web page reaches the handler by a name that
	// somebody has pointed to its address; but any if there is a Token, which such a page
	// does not have, except on a loopback address. What stands in front of the handler may
	// pass on the name that it was addressed by itself. Names are without port; at most 100.
	Hosts []string

	// Recent is how many events are remembered. Default 1,000; at most 100,000.
	Recent int

	// Streams is how many streams of events may be open at a time. Default 16; at most
	// 1,000.
	Streams int

	// Heartbeat is how long a stream is silent before a comment is sent. Default 15 s;
	// from 1 s to 5 min.
	Heartbeat time.Duration

	// Stuck is how long the connection of a stream's reader may take for the next 4 KiB, or
	// for an event if that is all there is, before the reader is dropped. Default 10 s; from
	// 1 s to 5 min. What a reader takes may be seen only when its system makes room for
	// more, which can be 64 KiB later. In streams it takes the place of
	// [http.Server.WriteTimeout]. It needs a server whose response writers have deadlines,
	// such as net/http's.
	Stuck time.Duration

	// StreamLife is how long a stream may last, so that readers that are no longer there, but
	// whose connections are, give up their places. A reader that is there comes again with
	// Last-Event-ID and misses nothing. Default 1 h; from 1 min to 30 days.
	StreamLife time.Duration
}

// compile validates cfg and fills in its defaults.
func (cfg Config) compile() (Config, error) {
	var c check.Checker
	token(&c, "Token", cfg.Token)
	token(&c, "WriteToken", cfg.WriteToken)
	if cfg.WriteToken != "" && cfg.WriteToken == cfg.Token {
		c.Wrong("WriteToken", "the same as Token", "must be another one")
	}
	if cfg.WriteToken != "" && !cfg.AllowWrites {
		c.Wrong("WriteToken", "given", "must be empty without AllowWrites")
	}
	cfg.Hosts = slices.Clone(cfg.Hosts)
	if len(cfg.Hosts) > maxHosts {
		c.Wrong("Hosts", len(cfg.Hosts), "must be at most %d names", maxHosts)
		cfg.Hosts = nil
	}
	for i, host := range cfg.Hosts {
		if cfg.Hosts[i] = hostname(host); cfg.Hosts[i] == "" || strings.ContainsAny(host, "/ *[]") || hostname(host) != strings.ToLower(host) {
			c.Wrong(fmt.Sprintf("Hosts[%d]", i), fmt.Sprintf("%q", host), "must be a host name without port")
		}
	}
	c.Int("Recent", &cfg.Recent, 1000, 1, 100_000, false)
	c.Int("Streams", &cfg.Streams, 16, 1, 1000, false)
	c.Duration("Heartbeat", &cfg.Heartbeat, 15*time.Second, time.Second, 5*time.Minute, false)
	c.Duration("Stuck", &cfg.Stuck, 10*time.Second, time.Second, 5*time.Minute, false)
	c.Duration("StreamLife", &cfg.StreamLife, time.Hour, time.Minute, check.MaxDuration, false)
	return cfg, c.Err("admin handler", "")
}

// token never puts the token itself into an error.
func token(c *check.Checker, path, s string) {
	if s == "" {
		return
	}
	if len(s) < minToken || len(s) > maxToken {
		c.Wrong(path, fmt.Sprintf("%d characters", len(s)), "must have from %d to %d", minToken, maxToken)
	}
	if strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }) {
		c.Wrong(path, "what is not printable", "must be printable ASCII without spaces")
	}
}
