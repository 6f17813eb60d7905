package sim

import "reflect"

// reportPolicies adds up what the policies of a place have counted.
func (p *place) reportPolicies(i int, res *Result) {
	if !p.policed {
		return
	}
	r := PolicyResult{Place: i, Name: p.name, Calls: p.calls, Attempts: p.attempts}
	for j := range p.policies {
		m := &p.policies[j]
		if m.total != nil {
			addTo(&r.Total, m.total.Counters())
		}
		if m.rate != nil {
			addTo(&r.RateLimit, m.rate.Counters())
		}
		if m.adaptive != nil {
			m.report(&r)
		}
		if m.throttle != nil {
			addTo(&r.Throttle, m.throttle.Counters())
		}
		if m.retry != nil {
			addTo(&r.Retry, m.retry.Counters())
		}
		if m.hedge != nil {
			addTo(&r.Hedge, m.hedge.Counters())
		}
		if m.budget != nil {
			addTo(&r.Budget, m.budget.Counters())
		}
		if m.bulkhead != nil {
			addTo(&r.Bulkhead, m.bulkhead.Counters())
		}
		if m.attempt != nil {
			addTo(&r.Timeout, m.attempt.Counters())
		}
	}
	if r.Adaptive != nil {
		r.Adaptive.Last /= float64(len(p.policies))
	}
	res.Policies = append(res.Policies, r)
}

// report adds an adaptive limit.
func (m *policies) report(r *PolicyResult) {
	a := r.Adaptive
	if a == nil {
		a = &AdaptiveResult{Lowest: m.lowest, Highest: m.highest}
		r.Adaptive = a
	}
	add(reflect.ValueOf(&a.Counters).Elem(), reflect.ValueOf(m.adaptive.Counters()))
	a.Lowest, a.Highest = min(a.Lowest, m.lowest), max(a.Highest, m.highest)
	a.Last += float64(m.adaptive.Limit())
}

// addTo adds the counters of one instance to a sum, nil at first.
func addTo[T any](sum **T, of T) {
	if *sum == nil {
		*sum = new(T)
	}
	add(reflect.ValueOf(*sum).Elem(), reflect.ValueOf(of))
}

// add adds counters field by field, whatever a policy counts: so none that it comes
// to have is forgotten.
func add(to, from reflect.Value) {
	switch to.Kind() {
	case reflect.Uint64:
		to.SetUint(to.Uint() + from.Uint())
	case reflect.Struct:
		for i := range to.NumField() {
			add(to.Field(i), from.Field(i))
		}
	case reflect.Slice:
		if to.Len() == 0 {
			to.Set(from)
			return
		}
		for i := range min(to.Len(), from.Len()) {
			add(to.Index(i), from.Index(i))
		}
	}
}
