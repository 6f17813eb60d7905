// Package demo plays an outage in six acts, with a real breaker, in front of
// people.
//
// [Play] starts the inventory service of package flaky on loopback, and each act
// lets it fail and calls it over real HTTP, as a user of the library would. An
// act says what to look at, shows what happens, and compares what was measured
// with what was expected. All times are those of a real outage divided by the
// speed; nothing else is scaled.
//
// Counts are exact: one that is off fails its act. Times depend on the machine
// as well: one above its band is noted and does not fail the act. One below its
// band does, since a wait that is cut short is a mistake and not a slow machine.
//
// What an act expects holds while the machine keeps running. If it stands still
// for so long that a wait is over before its time in the act, the act is played
// again; it is not made to pass.
//
// The package prints through a [term.Screen] and knows nothing of flags. The same
// [Report] that it prints can be written as JSON.
package demo
