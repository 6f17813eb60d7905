package throttle

import "github.com/switchgear-go/switchgear"

// A Permit is the right to make one call, and the duty to say how it ended. Settle it
// once, with Done or Release; what comes after the first does nothing, so that
//
//	defer permit.Release()
//
// is the safe habit. A Permit is one pointer and may be moved, but its copies do not
// know of each other: two copies settled count twice. A Permit itself is not safe for
// concurrent use.
//
// The zero Permit is settled.
type Permit struct{ t *Throttle }

// Done settles the permit: a success is a request that the dependency accepted, a
// failure one that it did not, and anything else is neither. See the package comment on
// what should count as a failure.
func (p *Permit) Done(o switchgear.Outcome) {
	t := p.t
	if t == nil {
		return
	}
	p.t = nil
	switch o {
	case switchgear.Success:
		t.accepted.Add(1)
		t.bucket().accepted.Add(1)
	case switchgear.Failure:
		t.failed.Add(1)
		t.bucket().failed.Add(1)
	case switchgear.Ignored:
		t.ignored.Add(1)
	default:
		t.released.Add(1)
	}
}

// Release gives the permit up: there was no call, or no outcome. It differs from an
// ignored outcome only in the counter.
func (p *Permit) Release() { p.Done(switchgear.Undecided) }
