package architecture

import (
	"fmt"
	"testing/fstest"
)

// A check reads any tree and answers with what is wrong in it.
func Example() {
	r, err := load(fstest.MapFS{
		"go.mod":         {Data: []byte("module " + rootPath + "\n")},
		"clock/clock.go": {Data: []byte("package clock\n\nimport _ \"" + rootPath + "/breaker\"\n")},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, violation := range importsRunOneWay(r) {
		fmt.Println(violation)
	}
	// Output: clock/clock.go:3: clock (foundations) must not import breaker (policies)
}
