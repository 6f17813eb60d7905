package scenario_test

import (
	"context"
	"fmt"

	"github.com/switchgear-go/switchgear/sim"
	"github.com/switchgear-go/switchgear/sim/scenario"
)

// A scenario from the library, in both of its variants.
func Example() {
	doc, ok := scenario.Named("outage")
	if !ok {
		fmt.Println("there is no such scenario")
		return
	}
	s, err := doc.Scenario()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range s.Variants {
		one, err := sim.New(v.Config)
		if err != nil {
			fmt.Println(err)
			return
		}
		r, err := one.Run(context.Background(), 1)
		if err != nil {
			fmt.Println(err)
			return
		}
		f := r.Figures(1)
		fmt.Printf("%s: %.0f %% of the calls in the outage were sent\n", v.Name, f.Share())
	}
	// Output:
	// no breaker: 100 % of the calls in the outage were sent
	// breaker: 13 % of the calls in the outage were sent
}

// An error names the bound, or the nearest path.
func ExampleDocument_Set() {
	doc, ok := scenario.Named("outage")
	if !ok {
		fmt.Println("there is no such scenario")
		return
	}
	for _, path := range []string{"client.call.breaker.open.wait", "client.call.breaker.open.wiat", "breaker.open.wait"} {
		_, err := doc.Set(path, "1 second")
		fmt.Println(err)
	}
	// Output:
	// client.call.breaker.open.wait: 1 second: must be a duration, such as 1.5s, 200ms or 2m30s
	// client.call.breaker.open.wiat: there is no such key; did you mean client.call.breaker.open.wait?
	// breaker: there is no such key here; did you mean client.call.breaker?
}
