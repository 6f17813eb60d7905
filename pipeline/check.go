package pipeline

// A Check is a reason to refuse a pipeline whose parts are valid, but defeat each
// other. [Config.Accept] and [Accept] overrule checks by name.
type Check string

const (
	// AttemptNotShorter: the limit of an attempt is not shorter than the total. The
	// total would end the first attempt, and no other could follow.
	AttemptNotShorter Check = "attempt-not-shorter-than-total"

	// SlowNotShorter: the slow-call duration is not shorter than the limit of an
	// attempt. Every slow call would be ended before it could be seen to be slow.
	SlowNotShorter Check = "slow-not-shorter-than-attempt"

	// UnboundedRetry: a retry with neither a limit on attempts, nor one on time, nor a
	// budget. It would go on for as long as the dependency is down, in every call.
	UnboundedRetry Check = "unbounded-retry"

	// UnbudgetedHedge: a hedge without a budget. When the dependency becomes slow, all
	// calls would be doubled at once.
	UnbudgetedHedge Check = "unbudgeted-hedge"

	// HedgeNotShorter: a hedge that starts when the attempt before it has been ended
	// by its limit already.
	HedgeNotShorter Check = "hedge-not-shorter-than-attempt"

	// TooManyAttempts: retries and hedges multiply to more than twelve attempts of
	// one call.
	TooManyAttempts Check = "too-many-attempts"

	// ProbeLimitShorter: the breaker gives a probe up before the limit of its attempt
	// has passed, and so counts probes as failed that are still under way.
	ProbeLimitShorter Check = "probe-limit-shorter-than-attempt"

	// QueueNotShorter: the longest wait in a queue of our own is not shorter than the
	// total. Calls would come to their turn when nobody waits for them any more.
	QueueNotShorter Check = "queue-not-shorter-than-total"

	// RetryInside: a retry inside the breaker, which was not asked for by name. The
	// breaker would see one outcome for many attempts.
	RetryInside Check = "retry-inside-breaker"

	// QueueOutside: a bulkhead outside the breaker. Calls would queue in front of a
	// dependency that is known to be down.
	QueueOutside Check = "bulkhead-outside-breaker"

	// QueueCounted: a bulkhead inside the limit of an attempt. Time spent in our own
	// queue would be held against the dependency.
	QueueCounted Check = "bulkhead-inside-attempt-limit"

	// TotalInside: the total limit is not outside the retry and the hedge. Each attempt
	// would have the whole time anew.
	TotalInside Check = "total-limit-inside-retry"

	// AttemptOutside: the limit of an attempt is not inside the retry or hedge, and so
	// limits all attempts together.
	AttemptOutside Check = "attempt-limit-outside-retry"

	// InjectUnseen: injected faults outside another policy, which would not see them.
	InjectUnseen Check = "injected-faults-not-innermost"
)
