package admin

// maxPattern is how many bytes a pattern may have.
const maxPattern = 256

// match reports whether a name matches a pattern, in which * stands for any text and ?
// for any one character. It takes at most len(pattern) × len(name) steps.
func match(pattern, name string) bool {
	p, n := []rune(pattern), []rune(name)
	i, j := 0, 0
	star, from := -1, 0 // the last *, and where the text begins that it does not stand for
	for j < len(n) {
		switch {
		case i < len(p) && p[i] == '*':
			star, from = i, j
			i++
		case i < len(p) && (p[i] == '?' || p[i] == n[j]):
			i++
			j++
		case star >= 0: // let it stand for one character more
			from++
			i, j = star+1, from
		default:
			return false
		}
	}
	for i < len(p) && p[i] == '*' {
		i++
	}
	return i == len(p)
}
