package main

import (
	"reflect"
	"testing"
)

func TestScenario(t *testing.T) {
	r := newRun(params{})
	virtual, bare, many := 0, 0, 0
	for number := range 1000 {
		sc := drawScenario(7, number, 100_000)
		if again := drawScenario(7, number, 100_000); !reflect.DeepEqual(sc, again) {
			t.Fatalf("round %d is drawn in two ways:\n%v\n%v", number, sc, again)
		}
		if reflect.DeepEqual(sc, drawScenario(8, number, 100_000)) {
			t.Errorf("round %d is the same with another seed", number)
		}
		equal(t, "focus", sc.focus, foci[number%len(foci)])
		if sc.breakers < 1 || sc.workers < 1 || sc.ops < 1 || sc.acts < 1 || sc.odds.sum() >= 1<<16 {
			t.Errorf("round %d: %v", number, sc)
		}
		if _, err := r.newRound(number, sc); err != nil {
			t.Errorf("round %d has a configuration that is not valid: %v", number, err)
		}
		if sc.virtual {
			virtual++
		}
		if sc.bare {
			bare++
		}
		if sc.breakers > 20 {
			many++
		}
	}
	for what, n := range map[string]int{"in virtual time": virtual, "without observers": bare, "with many breakers": many} {
		if n < 100 || n > 900 {
			t.Errorf("%d of 1000 rounds are %s", n, what)
		}
	}
}

func TestWeather(t *testing.T) {
	sc := drawScenario(7, 0, 1000)
	sc.climate = []weather{{failing: 0}, {failing: 1}, {failing: 2}, {failing: 3}}
	var seen [4]int
	for epoch := range 1000 {
		for subject := range 4 {
			seen[sc.weatherOf(subject, epoch).failing]++
		}
	}
	for i, n := range seen {
		if n < 800 || n > 1200 {
			t.Errorf("weather %d came %d times in 4000", i, n)
		}
	}
}
