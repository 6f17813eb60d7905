package demo_test

import (
	"context"
	"fmt"

	"github.com/switchgear-go/switchgear/cmd/switchgear/internal/demo"
)

// Act 3 sends malformed requests, which say nothing against the service.
func ExamplePlay() {
	report, err := demo.Play(context.Background(), demo.Config{Speed: 20, Act: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, check := range report.Acts[0].Checks {
		fmt.Printf("%s: %v\n", check.Label, check.Measured)
	}
	fmt.Println("as expected:", report.Pass())
	// Output:
	// reached the service: 20
	// answered with status 400: 20
	// counted as failures of the service: 0
	// changes of state: 0
	// state: closed
	// as expected: true
}
