// Package sgslog writes events to a log of package log/slog.
//
// # Model
//
// A [Listener] is an [event.Listener]: give it to the policies, to an adapter, or to a
// registry. Each event becomes one line: its message is for people, its attributes are
// for machines.
//
//	payments: CLOSED → OPEN after 12 of 20 calls failed (60 % ≥ 50 %), mostly connection refused; next probe in 27 s
//	source=breaker name=payments kind=transition from=CLOSED to=OPEN cause=failure_rate calls=20 failed=12 …
//
// The attributes are flat, and only those are there that the event has a value for:
//
//	source, name, kind, seq     whose event it is, of what kind, and its place there
//	from, to, period            states, and the number of the period
//	author, reason              the operator's, or the policy's own
//	cause                       of a breaker's transition: see explain.Cause
//	calls, failed, slow         the numbers of the state that ended
//	lasted, refused, probes     how long that was, calls it refused, probes it admitted
//	threshold, limit            what the trip rule compares with
//	consecutive                 failures in a row when it tripped
//	wait, hint                  the open interval, and the dependency's wish
//	error, error_kind           the newest error of the most frequent kind
//	expires                     when the operator's move runs out
//	config_version, changes     of a reconfiguration
//	detail                      the details of other policies, as text
//	left_out, lost              events before this one that were not written, see below
//
// # Contract
//
// OnEvent never blocks, whatever the handler does: lines are made and written on a
// goroutine of the listener's own, which exists only while there are some. If the
// handler hangs, the oldest events waiting are dropped; the next line that is written
// has their number as lost. A handler that returns an error or panics costs the line,
// and is counted. See [Listener.Counters].
//
// Events that come too often are not all written. Of each source, name and kind, Burst
// lines may follow each other at once, and further ones each after another Every. The
// newest event that is left out is written when there is room for it, with the number of
// those before it as left_out. So the last line of each source, name and kind tells of
// what is in force, as long as there are no more of them than MaxNames. Those beyond that
// are counted together, and of what they leave out only the newest of all is written: the
// last line of one of them may be an old one.
//
// Every text is bounded, and the listener remembers a bounded number of names.
//
// # What it does not do
//
// It makes no text safe for a terminal or a page: that is the handler's job, and those of
// log/slog quote what needs it.
package sgslog
