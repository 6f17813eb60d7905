// Package switchgear holds the words that all parts of Switchgear share, and
// nothing else.
//
// Switchgear keeps a Go program standing while the services it calls fall
// over. The circuit breaker is in package breaker; the other policies, the
// adapters and the tools stand beside it, a folder each. What they must agree
// on is here:
//
//   - [Outcome], what a call says about the health of the dependency, and the
//     marks [MarkSuccess], [MarkFailure] and [MarkIgnored] with which the code
//     that made the call can decide it on the spot;
//   - [Judgement], both answers that a result gives: the health, and whether
//     the call is worth repeating; [Judge] finds them for all policies alike;
//   - [Attempt], what the code inside a pipeline may want to know about the
//     attempt it makes;
//   - [ErrRejected], which every refusal by any policy matches, so that one
//     policy never holds another's refusal against the dependency;
//   - [WithRetryAfter], a dependency's own word on when to come back;
//   - [Percent], [Off] and [ConfigError], the common manners of configuration.
//
// The package imports no policy. All of it is safe for concurrent use.
package switchgear
