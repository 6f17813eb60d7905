//go:build !windows

package term

import "os"

// console reports whether f is a terminal. It takes the null device for one as
// well, where escape codes do no harm; that is worth not needing a library.
func console(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// paints reports whether the terminal understands escape codes.
func paints(*os.File) bool { return true }
