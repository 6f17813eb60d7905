package main

import (
	"os"
	"strings"
	"testing"
)

func Example() {
	main()
	// Output: 42 <nil>
}

func TestREADME(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(readme), "```go\n")
	snippet, _, closed := strings.Cut(rest, "```\n")
	if !found || !closed {
		t.Fatal("the README has no Go snippet")
	}
	if snippet != string(source) {
		t.Error("the first snippet of the README is not examples/first/main.go")
	}
}
