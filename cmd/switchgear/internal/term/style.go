package term

// A Style is a way to paint text.
type Style string

// The styles. Those with a meaning are named by it.
const (
	Title Style = "1"  // bold
	Quiet Style = "2"  // faint: what may be skipped
	Good  Style = "32" // green
	Bad   Style = "31" // red
	Mixed Style = "33" // yellow: neither
	Plain Style = ""
)

// Paint returns text in a style, or as it is where the screen does not paint.
// Pad text before painting it: escape codes have no width but do have length.
func (s *Screen) Paint(style Style, text string) string {
	if !s.mode.Colour || style == Plain || text == "" {
		return text
	}
	return "\x1b[" + string(style) + "m" + text + "\x1b[0m"
}
