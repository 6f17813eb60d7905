package sgyaml_test

import (
	"fmt"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/pipeline"
	"github.com/switchgear-go/switchgear/sgyaml"
)

// A document says what a breaker shall do, in the words of its Config.
func Example() {
	var cfg breaker.Config
	err := sgyaml.Unmarshal("breaker.yaml", []byte(`
window: {length: 30s}
failureRate: 40%
open: {wait: 5s, jitter: off}
halfOpen: {verdict: streak, probes: 3}
`), &cfg)
	fmt.Println(cfg.FailureRate, cfg.Open.Wait, cfg.Open.Jitter, cfg.HalfOpen.Verdict, err)
	// Output:
	// 40 % 5s off streak <nil>
}

// Everything that is wrong is reported at once, with its place.
func ExampleUnmarshal_problems() {
	var cfg breaker.Config
	err := sgyaml.Unmarshal("breaker.yaml", []byte(`
minimum_calls: 20
failureRate: most
open:
  wait: 5
  wait: 6s
halfOpen:
  sucesses: 3
`), &cfg)
	fmt.Println(err)
	// Output:
	// breaker.yaml:2:1: minimum_calls: there is no such key; did you mean minimumCalls?
	// breaker.yaml:3:14: failureRate: most: is not a percentage such as 50 or 50%
	// breaker.yaml:5:9: open.wait: 5: must have a unit, as in 5s or 5ms
	// breaker.yaml:6:3: open.wait: is given twice, first in line 5
	// breaker.yaml:8:3: halfOpen.sucesses: there is no such key; did you mean halfOpen.successes?
}

// What a constructor finds wrong is given the line that says so.
func ExampleDocument_Locate() {
	doc, err := sgyaml.Parse("breaker.yaml", []byte(`
open:
  wait: 5s
halfOpen:
  probes: 1000000
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	var cfg breaker.Config
	if err := doc.Decode(&cfg); err != nil {
		fmt.Println(err)
		return
	}
	_, err = breaker.New("payments", cfg)
	fmt.Println(doc.Locate(err))
	// Output:
	// breaker.yaml:5:11: halfOpen.probes: 1000000: must be from 1 to 10000
}

// One value is varied, the rest stays as it was written.
func ExampleDocument_Set() {
	doc, err := sgyaml.Parse("breaker.yaml", []byte("open: {wait: 5s}"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, wait := range []string{"1s", "off", "10"} {
		varied, err := doc.Set("open.wait", wait)
		var cfg breaker.Config
		if err == nil {
			err = varied.Decode(&cfg)
		}
		fmt.Println(cfg.Open.Wait == switchgear.Off, cfg.Open.Wait, err)
	}
	// Output:
	// false 1s <nil>
	// true -2.147483648s <nil>
	// false 0s open.wait: 10: must have a unit, as in 10s or 10ms
}

// The configuration in effect, with every default filled in, as a document.
func ExampleMarshal() {
	cfg := pipeline.Config{Breaker: &breaker.Config{
		FailureRate: 40,
		Open:        breaker.OpenConfig{Jitter: switchgear.Off},
	}}
	text, err := sgyaml.Marshal(cfg)
	fmt.Print(string(text), err)
	// Output:
	// breaker:
	//   failureRate: 40%
	//   open:
	//     jitter: off
	// <nil>
}
