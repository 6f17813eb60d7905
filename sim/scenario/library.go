package scenario

import "embed"

//go:embed library/*.yaml
var library embed.FS

// Library returns the built-in scenarios in the order of their names.
func Library() []*Document {
	entries, err := library.ReadDir("library")
	if err != nil {
		return nil
	}
	var list []*Document
	for _, e := range entries {
		if d, err := named(e.Name()); err == nil {
			list = append(list, d)
		}
	}
	return list
}

func named(file string) (*Document, error) {
	data, err := library.ReadFile("library/" + file)
	if err != nil {
		return nil, err
	}
	return Parse(file, data)
}

// Named returns the built-in scenario with this name.
func Named(name string) (*Document, bool) {
	d, err := named(name + ".yaml")
	return d, err == nil
}

// Source returns the text of the built-in scenario with this name, to be read and to
// begin one's own with.
func Source(name string) (text []byte, ok bool) {
	text, err := library.ReadFile("library/" + name + ".yaml")
	return text, err == nil
}
