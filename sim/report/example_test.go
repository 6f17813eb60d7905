package report_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/sim"
	"github.com/switchgear-go/switchgear/sim/report"
)

// Two runs that differ in one thing, side by side.
func Example() {
	r := &report.Report{Title: "Ten seconds without an answer"}
	for _, b := range []*breaker.Config{nil, {Window: breaker.WindowConfig{Length: 5 * time.Second}}} {
		s, err := sim.New(sim.Config{
			Duration: 30 * time.Second,
			Client:   sim.Client{Call: sim.Call{Timeout: time.Second, Breaker: b}},
			Services: []sim.Service{{Faults: []sim.Fault{{From: 10 * time.Second, To: 20 * time.Second}}}},
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		result, err := s.Run(context.Background(), 1)
		if err != nil {
			fmt.Println(err)
			return
		}
		name := "breaker"
		if b == nil {
			name = "no breaker"
		}
		r.Runs = append(r.Runs, report.Run{Name: name, Config: s.Config(), Result: result})
	}
	var text strings.Builder
	if err := report.Text(&text, r, 80); err != nil {
		fmt.Println(err)
		return
	}
	for line := range strings.Lines(text.String()) {
		if strings.Contains(line, "no breaker  ") || strings.Contains(line, "share that reached") {
			fmt.Print(line)
		}
	}
	// Output:
	//                        no breaker  breaker
	//   share that reached      100.0 %   27.0 %
}

// A page needs a file, and nothing else.
func ExampleHTML() {
	f, err := os.CreateTemp("", "*.html")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.Remove(f.Name())
	defer f.Close()
	err = report.HTML(f, &report.Report{Title: "Nothing has been run yet"})
	fmt.Println(err)
	// Output: <nil>
}
