package term

import (
	"os"
	"syscall"
)

// console reports whether f is a console.
func console(f *os.File) bool {
	var mode uint32
	return syscall.GetConsoleMode(syscall.Handle(f.Fd()), &mode) == nil
}

var setConsoleMode = syscall.NewLazyDLL("kernel32.dll").NewProc("SetConsoleMode")

// paints makes the console understand escape codes, which it does not always do
// by itself, and reports whether it now does.
func paints(f *os.File) bool {
	const enableVirtualTerminalProcessing = 0x4
	var mode uint32
	if syscall.GetConsoleMode(syscall.Handle(f.Fd()), &mode) != nil {
		return false
	}
	if mode&enableVirtualTerminalProcessing != 0 {
		return true
	}
	ok, _, _ := setConsoleMode.Call(f.Fd(), uintptr(mode|enableVirtualTerminalProcessing))
	return ok != 0
}
