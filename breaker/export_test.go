package breaker

// IssuedBy returns the state and the number of the period that issued the permit, for
// tests of who is let through. The permit must not be settled yet.
func (p *Permit) IssuedBy() (State, uint64) { return p.period.state, p.period.id }
