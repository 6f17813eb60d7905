package breaker

// Counters count over the whole life of a breaker (rule N1). Each only grows,
// over resets and in every state. When no call is in progress, the calls admitted
// are Successful + Failed + Ignored + Released + Late.
type Counters struct {
	// Successful and Failed are outcomes that counted, Slow those among them
	// that took longer than the slow-call duration.
	Successful uint64 `json:"successful"`
	Failed     uint64 `json:"failed"`
	Slow       uint64 `json:"slow"`
	// Ignored are outcomes that say nothing about the dependency; Released are
	// permits given up without an outcome.
	Ignored  uint64 `json:"ignored"`
	Released uint64 `json:"released"`
	// Rejected are calls refused.
	Rejected uint64 `json:"rejected"`
	// Late are outcomes that came after their period had ended (rule S5), or
	// after the breaker had settled their probe itself (rule H8).
	Late uint64 `json:"late"`
	// Trips are transitions to OPEN made by a rule, not by an operator.
	Trips uint64 `json:"trips"`
	// Probes are calls admitted in HALF_OPEN, GivenBack the slots that ignored
	// and released ones returned (rule H4), Overdue the probes that the breaker
	// settled itself because they were out too long (rule H8). The outcome of an
	// overdue probe itself is counted when it comes: as late.
	Probes    uint64 `json:"probes"`
	GivenBack uint64 `json:"given_back"`
	Overdue   uint64 `json:"overdue"`
	// ProbesGood and ProbesFailed are the probes by what they said about the
	// dependency, overdue ones among the failed. Those whose period had ended said
	// nothing.
	ProbesGood   uint64 `json:"probes_good"`
	ProbesFailed uint64 `json:"probes_failed"`
}
