package report

import "github.com/switchgear-go/switchgear/sim"

// policies returns a group for each place that has more than a breaker and a timeout
// in any of the runs, with the figures of the policies that are there.
func policies(runs []Run) (all []group) {
	names := map[int]string{}
	last := -1
	for i := range runs {
		for _, p := range runs[i].Result.Policies {
			names[p.Place] = p.Name
			last = max(last, p.Place)
		}
	}
	for place := range last + 1 {
		name, ok := names[place]
		if !ok {
			continue
		}
		if place == 0 {
			name = "the client"
		}
		g := group{name: "Policies of " + name}
		for _, f := range policyFigures {
			one := figure{f.name, f.about, func(r *Run) string {
				for i := range r.Result.Policies {
					if p := &r.Result.Policies[i]; p.Place == place {
						return f.of(p)
					}
				}
				return none
			}}
			if one.exists(runs) {
				g.figures = append(g.figures, one)
			}
		}
		all = append(all, g)
	}
	return all
}

// policyFigures are what policies have counted; none where the policy is not there.
var policyFigures = []struct {
	name, about string
	of          func(*sim.PolicyResult) string
}{
	{"attempts per call", "how often something was sent for a call, refused calls included", func(p *sim.PolicyResult) string {
		if p.Calls == 0 {
			return none
		}
		return short(float64(p.Attempts) / float64(p.Calls))
	}},
	{"retries", "second and later attempts", func(p *sim.PolicyResult) string {
		if p.Retry == nil {
			return none
		}
		return count(p.Retry.Retries)
	}},
	{"recovered by a retry", "calls that ended well after one: what retries are for", func(p *sim.PolicyResult) string {
		if p.Retry == nil {
			return none
		}
		return count(p.Retry.Recovered)
	}},
	{"hedges", "extra attempts of slow calls", func(p *sim.PolicyResult) string {
		if p.Hedge == nil {
			return none
		}
		return count(p.Hedge.Hedges)
	}},
	{"won by a hedge", "calls whose answer came from an extra attempt", func(p *sim.PolicyResult) string {
		if p.Hedge == nil {
			return none
		}
		return count(p.Hedge.WonByHedge)
	}},
	{"extra attempts refused", "retries and hedges that the budget did not grant", func(p *sim.PolicyResult) string {
		if p.Budget == nil {
			return none
		}
		return count(p.Budget.Refused)
	}},
	{"refused by the rate limit", "calls beyond the rate", func(p *sim.PolicyResult) string {
		if p.RateLimit == nil {
			return none
		}
		return count(p.RateLimit.Refused)
	}},
	{"refused by the adaptive limit", "calls beyond the number in flight that the limit allowed just then", func(p *sim.PolicyResult) string {
		if p.Adaptive == nil {
			return none
		}
		return count(p.Adaptive.Rejected)
	}},
	{"adaptive limit, range", "its lowest and highest value", func(p *sim.PolicyResult) string {
		if p.Adaptive == nil {
			return none
		}
		return count(p.Adaptive.Lowest) + "–" + count(p.Adaptive.Highest)
	}},
	{"refused by the throttle", "calls that were likely to be turned away by the service", func(p *sim.PolicyResult) string {
		if p.Throttle == nil {
			return none
		}
		return count(p.Throttle.Refused)
	}},
	{"refused by the bulkhead", "attempts that found no permit, or waited for one in vain", func(p *sim.PolicyResult) string {
		if p.Bulkhead == nil {
			return none
		}
		return count(p.Bulkhead.Refused + p.Bulkhead.TimedOut)
	}},
	{"over the total time", "calls that took their limit or longer, all attempts together", func(p *sim.PolicyResult) string {
		if p.Total == nil {
			return none
		}
		return count(p.Total.TimedOut)
	}},
}
