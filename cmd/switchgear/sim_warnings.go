package main

import (
	"fmt"
	"io"

	"github.com/switchgear-go/switchgear/sgyaml"
	"github.com/switchgear-go/switchgear/sim"
	"github.com/switchgear-go/switchgear/sim/report"
)

// warnings are what is doubtful about the configuration of a simulator.
func warnings(s *sim.Simulator) (list []report.Warning) {
	for _, w := range s.Warnings() {
		p := sgyaml.Spelled(w)
		list = append(list, report.Warning{Path: p.Path, Value: p.Value, Text: p.Bound})
	}
	return list
}

// mostWarnings bounds what is printed: a sweep may have one in each row.
const mostWarnings = 20

// warn prints the warnings about all configurations, each once.
func (s *simulation) warn(w io.Writer) {
	seen := map[string]bool{}
	of := func(cfg sim.Config) {
		simulator, err := sim.New(cfg)
		if err != nil {
			return // whoever runs it will say so
		}
		for _, one := range warnings(simulator) {
			text := plain(one.String())
			if !seen[text] && len(seen) < mostWarnings {
				fmt.Fprintf(w, "warning: %s\n", text)
			}
			seen[text] = true
		}
	}
	for i := range s.shown {
		of(s.shown[i].cfg)
	}
	for i := range s.points {
		of(s.points[i].Config)
	}
	if more := len(seen) - mostWarnings; more > 0 {
		fmt.Fprintf(w, "and %d more warnings\n", more)
	}
}
