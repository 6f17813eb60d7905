package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"text/tabwriter"
	"time"
)

func main() {
	rounds := flag.Int("rounds", 9, "`rounds` of measuring all subjects in turn, at least 5")
	slice := flag.Duration("slice", 20*time.Millisecond, "`time` for one subject in one round")
	asJSON := flag.Bool("json", false, "print JSON")
	flag.Parse()
	if *rounds < 5 || *slice < time.Millisecond || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "bench: --rounds must be at least 5, --slice at least 1ms, and there are no arguments")
		os.Exit(2)
	}
	figures := measure(all(), *rounds, *slice, func(round int) {
		fmt.Fprintf(os.Stderr, "\rround %d of %d", round, *rounds)
	})
	fmt.Fprintln(os.Stderr)
	memory := measureMemory()
	if *asJSON {
		e := json.NewEncoder(os.Stdout)
		e.SetIndent("", "  ")
		e.Encode(map[string]any{
			"figures": figures, "memory": memory, "processors": runtime.GOMAXPROCS(0), "goroutines": goroutines,
			"rounds": *rounds, "go": runtime.Version(),
		})
		return
	}
	print(os.Stdout, figures, memory)
}

func print(w io.Writer, figures []figure, memory []footprint) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "ns a call, and × one uncontended atomic addition; %d goroutines on %d processors in parallel\n\n",
		goroutines, runtime.GOMAXPROCS(0))
	fmt.Fprintln(t, "serial\t\tto reach\tparallel\t\tto reach\tallocations\t")
	group := ""
	for _, f := range figures {
		if f.Group != group {
			group = f.Group
			of := ""
			if f.Of != "" {
				of = ", × " + f.Of
			}
			fmt.Fprintf(t, "\t\t\t\t\t\t\t  %s%s\n", group, of)
		}
		fmt.Fprintf(t, "%.1f\t%.1f ×\t%s\t%.1f\t%.1f ×\t%s\t%g\t    %s\n", f.Serial, f.SerialTimes, target(f.Target),
			f.Parallel, f.ParallelTimes, target(f.ParallelTarget), f.Allocs, f.Name)
	}
	t.Flush()
	fmt.Fprintln(w)
	for _, m := range memory {
		fmt.Fprintf(w, "%6d bytes  %s (to reach %d)\n", m.Bytes, m.Name, m.Target)
	}
}

func target(t float64) string {
	if t == 0 {
		return ""
	}
	return fmt.Sprintf("%g", t)
}
