package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"
	"unicode/utf8"
)

func main() {
	verbose := flag.Bool("v", false, "show each change, the tests that notice it, and what they say")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), "usage: variants [-v] [NAME...]\n\n"+
			"Makes the product wrong in one way after the other, and says which tests notice.\n"+
			"NAME is a part of a variant's name, such as T1 or K06. Default: all variants.\n\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Stdout, variants(), *verbose, flag.Args())
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "variants:", err)
		os.Exit(1)
	}
}

// run tries those of the variants that the words select and prints a table. It returns
// an error if one of them survives or cannot be judged.
func run(ctx context.Context, out io.Writer, all []variant, verbose bool, words []string) error {
	began := time.Now()
	some, err := selected(all, words)
	if err != nil {
		return err
	}
	root, err := findRoot(ctx)
	if err != nil {
		return err
	}
	b := newBench(root)
	if err := b.checkRight(ctx, some); err != nil {
		return err
	}
	width := 0
	for _, v := range some {
		width = max(width, utf8.RuneCountInString(v.name))
	}
	var caught, survived, unjudged int
	b.tryAll(ctx, some, func(v *variant, r result) {
		verdict, comment := "caught", summary(r.tests)
		switch {
		case r.err != nil:
			unjudged++
			verdict, comment = "ERROR", r.err.Error()
		case len(r.tests) == 0:
			survived++
			verdict, comment = "SURVIVED", v.by
		default:
			caught++
		}
		fmt.Fprintf(out, "%-8s  %-*s  %s\n", verdict, width, v.name, comment)
		if verbose {
			explain(out, v, r)
		}
	})
	fmt.Fprintf(out, "%d variants in %v: %d caught, %d survived, %d could not be judged\n",
		len(some), time.Since(began).Round(time.Second), caught, survived, unjudged)
	if caught < len(some) {
		return fmt.Errorf("%d of %d variants were not caught", len(some)-caught, len(some))
	}
	return nil
}

// summary names the test functions that tests belong to.
func summary(tests []string) string {
	var functions []string
	for _, t := range tests {
		name, _, _ := strings.Cut(t, "/")
		if len(functions) == 0 || functions[len(functions)-1] != name {
			functions = append(functions, name)
		}
	}
	return strings.Join(functions, ", ")
}

// explain prints what a variant changes and what the tests say about it.
func explain(out io.Writer, v *variant, r result) {
	fmt.Fprintf(out, "    %s, %.1f s\n", v.file, r.took.Seconds())
	mark(out, "-", v.old)
	mark(out, "+", v.new)
	for _, test := range r.tests {
		fmt.Fprintf(out, "    by %s\n", strings.ReplaceAll(test, "_", " "))
	}
	if len(r.tests) > 0 {
		fmt.Fprintf(out, "       %s\n", r.report.complaint())
	}
}

// mark prints the lines of a piece of source, each after a mark.
func mark(out io.Writer, with, source string) {
	for line := range strings.Lines(source) {
		fmt.Fprintf(out, "    %s %s\n", with, strings.TrimSpace(line))
	}
}
