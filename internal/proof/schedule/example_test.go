package schedule_test

import (
	"errors"
	"fmt"

	"github.com/switchgear-go/switchgear/internal/proof/schedule"
)

// Two threads read a number and write it back, greater by one. In one of the orders of
// their steps an addition is lost.
func ExampleExplore() {
	_, err := schedule.Explore(schedule.Options{}, func() schedule.Program {
		var x schedule.Uint64
		add := func() { x.Store(x.Load() + 1) }
		return schedule.Program{
			Threads: []func(){add, add},
			After: func() error {
				if x.Load() != 2 {
					return errors.New("an addition is lost")
				}
				return nil
			},
		}
	})
	fmt.Println(err != nil)
	// Output: true
}
