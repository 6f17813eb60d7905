package schedule

// A Span is an operation of a thread: it begins just before its first step, which is as
// late as can be, and ends just after its last, which is as early as can be. Whoever
// judges a history by what came before what gets the strictest history that the steps
// allow.
type Span struct {
	thread  *thread
	stamp   func()
	observe func() uint64
	began   bool
}

// Begin announces that what follows in this goroutine is one operation. When it begins,
// stamp is called. Where the judgement depends on something else that threads change and
// an operation meets at its beginning and its end, such as the time, observe returns it;
// it must have no effect and may be nil.
func Begin(stamp func(), observe func() uint64) *Span {
	s := &Span{thread: running, stamp: stamp, observe: observe}
	if s.thread == nil {
		s.begin()
	} else {
		s.thread.begun = append(s.thread.begun, s)
	}
	return s
}

// End tells that the operation is over.
func (s *Span) End() {
	t := s.thread
	if t == nil {
		return
	}
	if !s.began { // it took no step
		t.hash = s.mixed(t.hash)
		s.begin()
		t.begun = t.begun[:len(t.begun)-1]
	}
	t.hash = s.mixed(t.hash)
	t.program.returned += mix(uint64(t.index), t.spans)
	t.spans++
}

func (s *Span) begin() {
	s.began = true
	s.stamp()
}

// mixed returns the hash of a thread in which the span begins or ends. What has ended
// before it begins is part of the outcome.
func (s *Span) mixed(hash uint64) uint64 {
	seen := uint64(0)
	if s.observe != nil {
		seen = s.observe()
	}
	if s.began {
		return mix(hash, seen)
	}
	return mix(hash, s.thread.program.returned, seen)
}

// begin begins the operations whose first step is being taken.
func (t *thread) begin() {
	for _, s := range t.begun {
		s.begin()
	}
	t.begun = t.begun[:0]
}
