package report

import (
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear/sim"
)

// A span is a stretch of time in which something is wrong.
type span struct {
	from, to time.Duration
	what     string
}

// maxSpans bounds the spans of one flapping fault; with more it is marked as one.
const maxSpans = 200

// faults returns when something is wrong in any of the runs, each span once.
func faults(runs []Run) (all []span) {
	seen := map[span]bool{}
	for i := range runs {
		c := &runs[i].Config
		for j := range c.Services {
			for k := range c.Services[j].Faults {
				for _, s := range spans(&c.Services[j].Faults[k], c.Services[j].Name, c.Duration) {
					if !seen[s] && len(all) < 10*maxSpans {
						seen[s] = true
						all = append(all, s)
					}
				}
			}
		}
	}
	return all
}

func spans(f *sim.Fault, service string, end time.Duration) (all []span) {
	to := f.To
	if to <= 0 {
		to = end
	}
	to = min(to, end)
	what := fmt.Sprintf("%s: %v", service, f.Kind)
	if f.Every <= 0 || (to-f.From)/f.Every > maxSpans {
		return append(all, span{f.From, to, what})
	}
	for at := f.From; at < to; at += f.Every {
		all = append(all, span{at, min(at+f.For, to), what})
	}
	return all
}

// describe says what goes wrong in any of the runs, each fault once.
func describe(runs []Run) (all []string) {
	seen := map[string]bool{}
	for i := range runs {
		c := &runs[i].Config
		for j := range c.Services {
			for k := range c.Services[j].Faults {
				s := c.Services[j].Name + ": " + sentence(&c.Services[j].Faults[k], c.Duration)
				if !seen[s] && len(all) < maxDescribed {
					seen[s] = true
					all = append(all, s)
				}
			}
		}
	}
	return all
}

// maxDescribed bounds how many faults are put into words.
const maxDescribed = 20

func sentence(f *sim.Fault, end time.Duration) string {
	s := ""
	switch f.Kind {
	case sim.Outage:
		s = "no answer at all"
	case sim.Errors:
		s = fmt.Sprintf("%v of the answers are errors", f.Probability)
		if f.Took > 0 {
			s += " after " + round(f.Took)
		}
	case sim.Slow:
		s = fmt.Sprintf("answers take %s times as long", trim(f.Factor))
	case sim.Throttle:
		s = fmt.Sprintf("calls beyond %d a second are refused", f.Limit)
	case sim.Fragile:
		s = fmt.Sprintf("it falls over for %s when more than %d calls come in a second", round(f.Down), f.Limit)
	default:
		s = f.Kind.String()
	}
	if f.Share > 0 && f.Share < 100 {
		s += fmt.Sprintf(", for %v of the keys", f.Share)
	}
	to := f.To
	if to <= 0 {
		to = end
	}
	s += ", from " + round(f.From) + " to " + round(to)
	if f.Every > 0 {
		s += ", each time for " + round(f.For) + " of " + round(f.Every)
	}
	return s
}
