package evidence_test

import (
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear/evidence"
)

// What a configuration means, before it ever sees a call.
func ExampleNewTest() {
	t, err := evidence.NewTest(evidence.Config{Healthy: 0.01, Sick: 0.30}, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("a failure brings %d points, the trip is at %d\n", t.Points(), t.Threshold())
	for _, rate := range []float64{1, 0.5, 0.3, 0.1} {
		fmt.Printf("%3.0f %% failing: tripped after %.0f calls on average\n", 100*rate, t.CallsToTrip(rate))
	}
	fmt.Printf("chance of a false trip in a day at 10 calls/s: %.2g %%\n", 100*t.DailyFalseTripChance(10))
	// Output:
	// a failure brings 10 points, the trip is at 75
	// 100 % failing: tripped after 8 calls on average
	//  50 % failing: tripped after 17 calls on average
	//  30 % failing: tripped after 33 calls on average
	//  10 % failing: tripped after 383 calls on average
	// chance of a false trip in a day at 10 calls/s: 0.77 %
}

// One score watches one stream of outcomes. Here every third call fails.
func ExampleScore() {
	t, err := evidence.NewTest(evidence.Config{}, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	var s evidence.Score
	for i := 0; ; i++ {
		now := time.Duration(i) * 100 * time.Millisecond // from the monotonic clock
		if s.Record(t, now, i%3 == 0) {
			fmt.Println(s.Report(t, now).Text("failure"))
			s.Reset()
			break
		}
	}
	// Output:
	// evidence 27.7 nats of 25.4 needed: 10 failures in 28 calls over 2.7 s (healthy 1 %, sick 30 %, at most one false trip per 100 million calls)
}

// Two tests, one for failures and one for slow calls, share one budget.
func ExampleConfig_WithSlowDefaults() {
	budget := evidence.CallsPerFalseTrip(30*24*time.Hour, 100) // one in 30 days at 100 calls/s
	failures, err := evidence.NewTest(evidence.Config{CallsPerFalseTrip: budget}, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	slow, err := evidence.NewTest(evidence.Config{CallsPerFalseTrip: budget}.WithSlowDefaults(), 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("failures:", failures.Points(), "points each, trip at", failures.Threshold())
	fmt.Println("slow calls:", slow.Points(), "points each, trip at", slow.Threshold())
	// Output:
	// failures: 10 points each, trip at 83
	// slow calls: 4 points each, trip at 46
}

// A healthy rate that is not what was configured is worth a warning.
func ExampleTest_Drift() {
	t, err := evidence.NewTest(evidence.Config{Healthy: 0.01, Sick: 0.30}, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	if calls, exceeded := t.Drift(0.03); exceeded {
		fmt.Printf("failing at 3 %% where 1 %% was configured: a false trip every %.2g calls, not %.2g\n",
			calls, t.FalseTripCalls(0.01))
	}
	// Output:
	// failing at 3 % where 1 % was configured: a false trip every 6.9e+05 calls, not 1.1e+08
}
