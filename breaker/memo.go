package breaker

import (
	"sync/atomic"

	"github.com/switchgear-go/switchgear/evidence"
)

// newest remembers the rules compiled last. A set of breakers, one a host for
// instance, is made from one configuration over and over; its members then share
// the rules, which never change, and their tests of evidence are computed once.
var newest atomic.Pointer[compiled]

type compiled struct {
	from  given
	rules *rules
}

// given is a configuration as it was given, comparable by what it says.
type given struct {
	cfg                  Config
	failures, slows      evidence.Config
	hasFailures, hasSlow bool
}

func valueOf(cfg Config) given {
	v := given{cfg: cfg}
	if e := cfg.Evidence; e != nil {
		v.failures, v.hasFailures = *e, true
	}
	if e := cfg.SlowEvidence; e != nil {
		v.slows, v.hasSlow = *e, true
	}
	v.cfg.Evidence, v.cfg.SlowEvidence = nil, nil
	return v
}

// rulesFor returns compiled rules for cfg, if possible those made last.
func rulesFor(name string, cfg Config) (*rules, error) {
	from := valueOf(cfg)
	if c := newest.Load(); c != nil && c.from == from {
		return c.rules, nil
	}
	r, err := compile(name, cfg)
	if err == nil {
		newest.Store(&compiled{from, r})
	}
	return r, err
}
