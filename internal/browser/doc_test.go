// Package browser holds tests, and only tests, that look at pages as a reader does:
// in a real browser. It is a module of its own because of what it needs to drive one.
//
// A page that looks right in its source can still draw nothing, fetch something, or
// be cut off on paper. These tests open what package report writes, in a headless
// Chromium with an empty profile, and ask the browser: what was requested, what was
// said on the console, which colours are on each canvas, which values show under the
// pointer, how it is in the dark, on a small screen, and on paper.
//
// They need a Chromium or Chrome on the PATH. Without one they are skipped, which is
// the one reason in this repository to skip a test; the checks of the repository
// install it, and let nothing be skipped.
//
// With SWITCHGEAR_SCREENSHOTS=DIR the pictures are kept in that folder, otherwise in
// the folder of artifacts of each test (go test -artifacts).
package browser
