package schedule

// Thread returns the index of the thread that an exploration is running, 0 while it makes a
// program, and false outside of explorations. Code under test that behaves by goroutine, or
// by the address of its stack, is made to behave by thread with it.
func Thread() (index int, ok bool) {
	if running == nil {
		return 0, exploring
	}
	return running.index, true
}

// wrong is the name of the mistake that the code under test is to make.
var wrong string

// GoWrong makes the code under test make a mistake, by name, so that it can be seen that
// a test notices it. It must be called before that code runs. "" is for no mistake.
func GoWrong(name string) { wrong = name }

// Wrong reports whether the code under test is to make the mistake. Calls of it are put
// into a copy of the code by whoever compiles it for a test.
func Wrong(name string) bool { return wrong == name }
