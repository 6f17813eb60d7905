package explain

var (
	Plain  = plain
	Span   = span
	Wilson = wilson
)
