package main

import "slices"

// variants returns all of them, package by package. How to add one: make the mistake in
// the source, see which test notices, and put both down here. If none does, a test is
// missing.
func variants() []variant {
	return slices.Concat(
		trippingVariants, outcomeVariants, callVariants, probeVariants, intervalVariants, stateVariants,
		countingVariants, configVariants, reconfigureVariants, savedVariants,
		windowVariants, eventVariants, evidenceVariants, clockVariants,
	)
}
