package proof

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/budget"
)

// A retryRule is what a published rule says about retries.
type retryRule interface {
	// ended is told how each attempt that was made has ended. cost is what it has been
	// granted for, 0 for a call's first attempt.
	ended(o switchgear.Outcome, cost int)
	// grants is whether there is one more attempt now, and what it costs.
	grants(timedOut bool) (cost int, ok bool)
	// never is told that an attempt that was granted will not be made.
	never(cost int)
	tokens() float64
}

// throttlingA6 is the retry throttling of gRFC A6. A count of tokens begins at maxTokens
// and stays between 0 and that. A failure takes 1, a success adds tokenRatio, of which
// three decimals count. There are no retries while the count is at or below a half of
// maxTokens. Failures that say nothing of the server count as neither.
type throttlingA6 struct{ maxTokens, tokenRatio, tokenCount *big.Rat }

func (r *throttlingA6) ended(o switchgear.Outcome, _ int) {
	switch o {
	case switchgear.Failure:
		r.tokenCount.Sub(r.tokenCount, big.NewRat(1, 1))
	case switchgear.Success:
		r.tokenCount.Add(r.tokenCount, r.tokenRatio)
	}
	if r.tokenCount.Sign() < 0 {
		r.tokenCount.SetInt64(0)
	}
	if r.tokenCount.Cmp(r.maxTokens) > 0 {
		r.tokenCount.Set(r.maxTokens)
	}
}

func (r *throttlingA6) grants(bool) (int, bool) {
	threshold := new(big.Rat).Quo(r.maxTokens, big.NewRat(2, 1))
	return 0, r.tokenCount.Cmp(threshold) > 0
}

func (*throttlingA6) never(int) {}

func (r *throttlingA6) tokens() float64 { f, _ := r.tokenCount.Float64(); return f }

// standardMode is the retry quota of the standard mode of the AWS SDKs, with the costs that
// it had until 2026: a capacity that every retry takes its cost from, more if the attempt before has timed out; a retry for
// which there is too little is not made. An attempt that succeeds releases what it has
// taken itself, or 1 if it was the first and took nothing, and the capacity is never more
// than at first. A failure releases nothing.
//
// What they do not have is a retry that is granted and not made. It costs nothing here.
type standardMode struct{ most, cost, timeoutCost, capacity int }

func (r *standardMode) ended(o switchgear.Outcome, cost int) {
	if o == switchgear.Success {
		r.capacity = min(r.most, r.capacity+max(1, cost))
	}
}

func (r *standardMode) grants(timedOut bool) (int, bool) {
	cost := r.cost
	if timedOut {
		cost = r.timeoutCost
	}
	if cost > r.capacity {
		return 0, false
	}
	r.capacity -= cost
	return cost, true
}

func (r *standardMode) never(cost int) { r.capacity = min(r.most, r.capacity+cost) }

func (r *standardMode) tokens() float64 { return float64(r.capacity) }

// TestOracleThrottling holds a budget of kind Throttling against gRFC A6.
func TestOracleThrottling(t *testing.T) {
	var ledger ledger
	rapid.Check(t, func(t *rapid.T) {
		most := pick(t, "max tokens", 10, 1, 2, 3, 7, 100, 1000)
		thousandths := int64(pick(t, "token ratio", 100, 1, 7, 333, 500, 999, 1000, 1001, 2002, 20_000))
		ratio := float64(thousandths) / 1000
		if oneIn(t, 3, "more decimals") {
			ratio += 0.0004
		}
		b := newBudget(t, budget.Config{Kind: budget.Throttling, Throttling: budget.ThrottlingConfig{MaxTokens: most, TokenRatio: ratio}})
		compareBudget(t, b, &throttlingA6{big.NewRat(int64(most), 1), big.NewRat(thousandths, 1000), big.NewRat(int64(most), 1)}, &ledger)
	})
	ledger.require(t, 50, "granted", "refused", "not made", "first attempt: success", "first attempt: failure", "first attempt: ignored",
		"retry: success", "retry: failure", "retry: ignored", "full", "empty", "refused, then granted")
}

// TestOracleQuota holds a budget of kind Quota against the standard mode of the AWS SDKs
// (K34 among the rest).
func TestOracleQuota(t *testing.T) {
	var ledger ledger
	rapid.Check(t, func(t *rapid.T) {
		rule := pick(t, "rule", standardMode{500, 5, 10, 500}, standardMode{10, 5, 10, 10}, standardMode{7, 2, 3, 7}, standardMode{20, 5, 1, 20}, standardMode{1, 1, 1, 1})
		cfg := budget.Config{Kind: budget.Quota, Quota: budget.QuotaConfig{Capacity: rule.most, Cost: rule.cost, TimeoutCost: rule.timeoutCost}}
		if rule.most == 500 {
			cfg.Quota = budget.QuotaConfig{} // the SDKs' numbers are the defaults
		}
		compareBudget(t, newBudget(t, cfg), &rule, &ledger)
	})
	ledger.require(t, 50, "granted", "granted after a timeout", "refused", "not made", "first attempt: success", "first attempt: failure", "first attempt: ignored",
		"retry: success", "retry: failure", "retry: ignored", "full", "empty", "refused, then granted")
}

func newBudget(t *rapid.T, cfg budget.Config) *budget.Budget {
	b, err := budget.New("stock", cfg)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// compareBudget makes random calls with retries, many at the same time.
func compareBudget(t *rapid.T, b *budget.Budget, rule retryRule, ledger *ledger) {
	type attempt struct {
		budget.Withdrawal
		cost  int
		first bool
	}
	tally := tally{}
	var running []attempt
	refused := false
	full := rule.tokens()
	outcome := func(t *rapid.T) (switchgear.Outcome, string) {
		switch pick(t, "outcome", "success", "failure", "ignored", "undecided") {
		case "success":
			return switchgear.Success, "success"
		case "failure":
			return switchgear.Failure, "failure"
		case "ignored":
			return switchgear.Ignored, "ignored"
		}
		return switchgear.Undecided, "undecided"
	}
	begin := func() {
		b.Begin()
		running = append(running, attempt{first: true})
	}
	withdraw := func(t *rapid.T, timedOut bool) {
		ask := b.Withdraw
		if timedOut {
			ask = b.WithdrawTimeout
		}
		cost, want := rule.grants(timedOut)
		w, got := ask()
		switch {
		case got != want:
			t.Fatalf("a retry, timed out: %v, with %v tokens: got %v, want %v", timedOut, rule.tokens(), got, want)
		case !got:
			tally.note("refused")
			refused = true
			return
		case timedOut:
			tally.note("granted after a timeout")
		}
		if refused {
			tally.note("refused, then granted")
		}
		tally.note("granted")
		running = append(running, attempt{Withdrawal: w, cost: cost})
	}
	end := func(i int, o switchgear.Outcome, name string) {
		a := running[i]
		running = slices.Delete(running, i, i+1)
		if rule.ended(o, a.cost); a.first {
			b.End(o)
			tally.note("first attempt: " + name)
			return
		}
		a.Settle(o)
		a.Settle(switchgear.Success) // a second one says nothing
		a.Cancel()
		tally.note("retry: " + name)
	}
	t.Repeat(map[string]func(*rapid.T){
		"": func(t *rapid.T) {
			s := b.Snapshot()
			if want := rule.tokens(); math.Abs(s.Available-want) > 1e-9 {
				t.Fatalf("tokens: got %v, want %v", s.Available, want)
			}
			switch rule.tokens() {
			case 0:
				tally.note("empty")
			case full:
				tally.note("full")
			}
		},
		"begin": func(*rapid.T) { begin() },
		"end": func(t *rapid.T) {
			if len(running) > 0 {
				o, name := outcome(t)
				end(pick(t, "attempt", 0, len(running)-1, len(running)/2), o, name)
			}
		},
		"retry":                 func(t *rapid.T) { withdraw(t, false) },
		"retry after a timeout": func(t *rapid.T) { withdraw(t, true) },
		"not made": func(t *rapid.T) {
			i := slices.IndexFunc(running, func(a attempt) bool { return !a.first })
			if i < 0 || !oneIn(t, 2, "really") {
				return
			}
			a := running[i]
			running = slices.Delete(running, i, i+1)
			rule.never(a.cost)
			a.Cancel()
			a.Settle(switchgear.Failure) // says nothing any more
			tally.note("not made")
		},
		"good times": func(*rapid.T) {
			for range 10 {
				begin()
				end(len(running)-1, switchgear.Success, "success")
			}
		},
		"bad times": func(t *rapid.T) { // calls that fail and are tried again, three attempts each
			for range 10 {
				begin()
				end(len(running)-1, switchgear.Failure, "failure")
				for range 2 {
					n := len(running)
					if withdraw(t, false); len(running) == n {
						break
					}
					end(len(running)-1, switchgear.Failure, "failure")
				}
			}
		},
	})
	c := b.Counters()
	if c.Granted != uint64(tally["granted"]) || c.Refused != uint64(tally["refused"]) {
		t.Fatalf("counters: got %+v, want %v", c, tally)
	}
	ledger.add(tally)
}
