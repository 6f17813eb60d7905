package breaker_test

import "testing"

// TestFaults replays mistakes that breakers have really made, each under its number
// in the collection of known faults. Those of other policies and adapters are tested
// there; those that take many goroutines are in TestFaultsUnderLoad.
func TestFaults(t *testing.T) {
	for _, fault := range []struct {
		name string
		test func(*testing.T)
	}{
		{"K01 late success admitted before the trip closes the fresh open state", faultLateSuccess},
		{"K02 stale result frees a half-open slot it never held", faultStaleProbe},
		{"K03 automatic timer survives an override", faultTimerSurvives},
		{"K04 reported state disagrees with the override in force", faultStateDisagrees},
		{"K06 trip comparison uses > instead of >=", faultStrictComparison},
		{"K07 remaining open time reported wrongly", faultRemaining},
		{"K09 nothing is evaluated until the count window is full", faultWindowNotFull},
		{"K10 clock goes backwards and wipes buckets", faultClockBackwards},
		{"K12 percent compare loses a rate exactly on the threshold", faultTruncation},
		{"K13 ignored error keeps its probe slot for ever", faultIgnoredProbe},
		{"K14 probe that never settles blocks the breaker for ever", faultForgottenProbe},
		{"K15 failing probe ignored because volume is not met", faultProbeVolume},
		{"K16 first probe not counted against the probe limit", faultFirstProbe},
		{"K17 outcome recording fails and the in-flight count leaks", faultClassifierPanics},
		{"K20 lock held during the protected call serialises everything", faultSerialised},
		{"K21 caller cancellation counted as failure", faultCancelled},
		{"K22 dependency timeout ignored because it looks like a context error", faultOwnTimeout},
		{"K23 client-side mistakes trip the breaker", faultClientMistakes},
		{"K24 the breaker's own rejections enter its statistics", faultRejectionsCounted},
		{"K25 panic or goroutine exit bypasses accounting", faultPanic},
		{"K58 changed parameter treated as the same rule", faultChangedParameter},
		{"K59 negative or zero durations accepted", faultBadValues},
		{"K63 transition event carries the new state's empty counters", faultEmptyCounters},
		{"K67 open breaker tells of every rejected call", faultNoisy},
		{"K73 minimum calls larger than the count window", faultMinimumTooLarge},
		{"K74 only asking the state uses up probes", faultAskingProbes},
		{"K75 calls admitted while closed pile up", faultPileUp},
		{"K77 hinted waits line up although jitter is on", faultHintsLineUp},
	} {
		t.Run(fault.name, fault.test)
	}
}
