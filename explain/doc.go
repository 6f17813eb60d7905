// Package explain says why: what a breaker's event means, why it is in the state
// it is in, whether it flaps, and what its refusals have cost and spared.
//
// # Model
//
//   - [Of] turns an event of a breaker into a [Record]: facts for machines, and one
//     line for people. [Now] does the same with a snapshot, for whoever asks later.
//   - A [FlapDetector] is a listener that counts how often each breaker opens in an
//     hour, and raises one event when that is too often and one when it is over.
//   - A [Ledger] is a listener that keeps a [Book] for each breaker: calls refused,
//     time spent open, probes, and an estimate of how many refused calls would have
//     been good.
//
// # Contract
//
// Of, Now and the methods of Record are pure functions of what they are given. They
// never fail: an event that is none of a breaker's, or of a kind that nobody has to
// be told about, is answered with false.
//
// A line is one line. Whatever comes from outside (names, errors, authors, reasons)
// is bounded in length, and what is not printable in it is escaped: line feeds,
// terminal sequences, marks that turn the direction of writing. Authors and reasons
// are quoted, so that they cannot be taken for something that the breaker says.
//
// The names of fields in JSON do not change, nor does their meaning. New ones may be
// added. Lines are for people and may change.
//
// Detector and ledger are bounded in the number of breakers they know. Breakers are
// told apart by name, so those with one listener need names of their own. Both are
// quick, and need no [event.Async].
//
// # What it does not do
//
// It holds no history of records; a stream's ring of recent events does that. It
// counts no calls: what happened inside a period it knows when the period has ended.
package explain
