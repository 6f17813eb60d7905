// Package term writes text for people, on a terminal or into a pipe.
//
// A [Screen] is told once what it writes to. On a terminal it paints, and can
// show a live line that is replaced as time goes by. Anywhere else the same
// calls yield plain lines: no escape codes, no carriage returns, no goroutine.
// So the code that has something to tell does not ask where it is going.
//
// It is not a terminal library: there is no cursor, no size and no input.
package term
