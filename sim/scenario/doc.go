// Package scenario reads scenarios for package sim from YAML documents, and holds a
// library of them.
//
// # The document
//
//	name: outage
//	title: One line about it
//	teaches: |
//	  What is to be seen in it.
//	scenario:            # a sim.Config
//	  duration: 60s
//	  client: {call: {timeout: 2s, breaker: {open: {wait: 5s}}}}
//	  services:
//	    - faults: [{kind: outage, from: 20s, to: 40s}]
//	variants:            # optional: the same with a few values replaced
//	  - name: without breaker
//	    set: {client.call.breaker: null}
//
// Keys are the names of the fields of [sim.Config] and all that is in it, spelled as
// package sgyaml describes, and mean the same. One thing is stricter: where a zero would
// mean the default, it must not be written; leaving the key out says the same. The paths under set begin within
// scenario. Without variants there is one, named like the document. Only scenario is
// required: name is by default that of the file.
//
// [Parse] reads a document. What is wrong with it, unknown keys, values of the wrong
// sort and values out of bounds alike, is reported all at once, each with its line.
//
// # Settings
//
// [Document.Set] replaces one value in the scenario that all variants begin with. A
// variant keeps what it sets itself: one without a breaker does not get one by a
// setting of its open interval. Nor does the scenario itself, where it says that there is
// none: within null nothing can be set. What is absent is added.
//
// # The library
//
// [Library] has a scenario for each thing that a breaker, or what stands beside it, is
// good for, or can be set up wrongly for. What each of them teaches is what its
// variants show when they are run; the tests run them and compare.
//
// # Contract
//
// A [Document] never changes and is safe for concurrent use. Documents are bounded as
// package sgyaml says, and have at most [MaxVariants] variants.
//
// # What it does not do
//
// It runs nothing: that is for package sim.
package scenario
