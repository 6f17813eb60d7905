package proof

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"
	"time"

	"golang.org/x/time/rate"
	"pgregory.net/rapid"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/ratelimit"
)

// rounding is how far the two may be apart in time. The oracle keeps tokens in
// floating-point numbers and cuts waits off to whole nanoseconds, so that it may admit a
// call one early. The product keeps whole units of about a nanosecond, rounds the present
// down to one and waits up.
const rounding = 3 * time.Nanosecond

// TestOracleTokenBucket sends the same requests, at the same instants, to a token bucket
// and to golang.org/x/time/rate: the same ones are admitted, with the same waits, and the
// same tokens are left.
//
// Left out, because the two differ on purpose:
//
//   - To cancel a reservation when later ones have been made. The oracle gives back what
//     it reckons the later ones have not taken, which may put more than a burst at one
//     time, and does not see that a later one has been cancelled as well. Here nothing is
//     given back as long as a later one stands.
//   - To cancel twice, which gives back twice there and once here.
//   - To ask for nothing, which has to wait there for what others have reserved.
//   - Reservations with a rate of zero: see TestOracleRates.
//
// Where a decision lies within the rounding, both are made to admit the call.
func TestOracleTokenBucket(t *testing.T) {
	var ledger ledger
	// Thousandths, so that each is a rate that the product keeps exactly.
	for _, r := range []float64{0.1, 0.333, 0.5, 1, 3, 7.7, 10, 1000, 12_345.678, 999_983, 1e7, 1e8} {
		t.Run(fmt.Sprint(r), func(t *testing.T) { checkBucket(t, r, &ledger) })
	}
	ledger.require(t, 50, "admitted", "refused", "too many", "reserved now", "reserved for later", "later than allowed",
		"cancelled now", "cancelled before its time", "cancelled too late", "cancelled before a later one", "decided by rounding", "full again")
}

func checkBucket(t *testing.T, r float64, ledger *ledger) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPair(t, r)
		t.Repeat(map[string]func(*rapid.T){
			"":        p.compare,
			"allow 1": p.allow, "allow 2": p.allow, "reserve 1": p.reserve, "reserve 2": p.reserve,
			"reserve within": p.reserveWithin, "cancel 1": p.cancel, "cancel 2": p.cancel,
			"wait": func(t *rapid.T) {
				p.advance(p.token * pick[time.Duration](t, "tokens", 1, 0, 2, 5) / pick[time.Duration](t, "part", 1, 3))
			},
			"to the token": func(t *rapid.T) {
				p.advance(p.ours.Snapshot().Next + pick[time.Duration](t, "beside", 0, -1, 1))
			},
			"to a reservation": func(t *rapid.T) {
				if h := p.some(t); h != nil {
					p.advance(h.ours.Wait() + pick[time.Duration](t, "beside", 0, 0, -1, 1))
				}
			},
			"rest": func(t *rapid.T) {
				if oneIn(t, 4, "really") {
					p.advance(p.token * time.Duration(p.burst))
				}
			},
		})
		ledger.add(p.tally)
	})
}

// A pair is a token bucket and its oracle.
type pair struct {
	clk    *clock.Virtual
	ours   *ratelimit.Limiter
	theirs *rate.Limiter
	rate   float64
	burst  int
	token  time.Duration // about
	held   []*booking
	made   int // admissions and reservations so far
	tally  tally
}

// A booking is a reservation in both.
type booking struct {
	ours    ratelimit.Reservation
	theirs  *rate.Reservation
	at, due time.Duration // reserved at, and for
	number  int           // which of those made
	gone    bool          // cancelled
}

func drawPair(t *rapid.T, r float64) *pair {
	p := &pair{
		clk: clock.NewVirtual(time.Unix(1_700_000_000, 0)), rate: r, burst: pick(t, "burst", 5, 1, 2, 10, 100, 1000),
		token: time.Duration(math.Round(float64(time.Second) / r)), tally: tally{},
	}
	p.clk.Advance(12_345)
	p.ours = newLimiter(t, ratelimit.Config{Rate: r, Burst: p.burst}, p.clk)
	p.theirs = rate.NewLimiter(rate.Limit(r), p.burst)
	return p
}

func newLimiter(t rapid.TB, cfg ratelimit.Config, clk clock.Clock) *ratelimit.Limiter {
	l, err := ratelimit.New("stock", cfg, ratelimit.WithClock(clk))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func (p *pair) advance(d time.Duration) { p.clk.Advance(max(d, 0)) }

func (p *pair) drawN(t *rapid.T) int {
	return pick(t, "n", 1, 1, 2, 1+p.burst/2, p.burst, p.burst+1)
}

// wait is how long n tokens take to come, as the oracle has it.
func (p *pair) wait(n int) time.Duration {
	missing := float64(n) - p.theirs.TokensAt(p.clk.Now())
	return time.Duration(max(0, missing/p.rate*float64(time.Second)))
}

func near(got, want time.Duration) bool { return -rounding <= got-want && got-want <= rounding }

func (p *pair) compare(t *rapid.T) {
	want := max(0, p.theirs.TokensAt(p.clk.Now()))
	got := p.ours.Snapshot().Available
	if math.Abs(got-want) > rounding.Seconds()*p.rate+1e-9 {
		t.Fatalf("tokens at %v: got %v, want %v", p.clk.Mono(), got, want)
	}
	if got == float64(p.burst) && p.made > 0 {
		p.tally.note("full again")
	}
}

// refused checks a refusal against when the oracle would admit the call.
func (p *pair) refused(t *rapid.T, err error, n int, want time.Duration) {
	var r *ratelimit.Rejection
	if !errors.As(err, &r) {
		t.Fatalf("%d refused: %v", n, err)
	}
	got, known := r.RetryAfter()
	switch {
	case known != (n <= p.burst):
		t.Fatalf("a retry of %d: got %v, %v", n, got, known)
	case known && !near(got, want):
		t.Fatalf("a retry of %d: got %v, want %v", n, got, want)
	case !known:
		p.tally.note("too many")
	}
	p.tally.note("refused")
}

func (p *pair) allow(t *rapid.T) {
	n := p.drawN(t)
	want := p.wait(n)
	theirs := p.theirs.AllowN(p.clk.Now(), n)
	err := p.ours.AllowN(n)
	switch {
	case theirs && err == nil:
		p.tally.note("admitted")
	case !theirs && err != nil:
		p.refused(t, err, n, want)
		return
	case theirs:
		p.tally.note("decided by rounding")
		if _, err := p.ours.Reserve(n, rounding); err != nil {
			t.Fatalf("%d at %v: got %v, want them admitted", n, p.clk.Mono(), err)
		}
	default:
		p.tally.note("decided by rounding")
		if r := p.theirs.ReserveN(p.clk.Now(), n); !r.OK() || r.DelayFrom(p.clk.Now()) > rounding {
			t.Fatalf("%d at %v: got them admitted, want a wait of %v", n, p.clk.Mono(), r.DelayFrom(p.clk.Now()))
		}
	}
	p.made++
}

func (p *pair) reserve(t *rapid.T) { p.reserveFor(t, p.drawN(t), 30*24*time.Hour) }

// reserveWithin asks with a bound, which the oracle's ReserveN does not have: it is asked
// only if its tokens tell that it would do.
func (p *pair) reserveWithin(t *rapid.T) {
	n := p.drawN(t)
	most := p.token * pick[time.Duration](t, "tokens", 1, 0, 2, 10)
	plenty := p.theirs.TokensAt(p.clk.Now()) >= float64(n)+rounding.Seconds()*p.rate
	switch want := p.wait(n); {
	case near(most, want) && !plenty:
		p.reserveFor(t, n, most+2*rounding) // the very bound is a matter of rounding
	case n > p.burst || want > most:
		_, err := p.ours.Reserve(n, most)
		if err == nil {
			t.Fatalf("%d within %v at %v: got them reserved, want a wait of %v", n, most, p.clk.Mono(), want)
		}
		p.refused(t, err, n, want)
		p.tally.note("later than allowed")
	default:
		p.reserveFor(t, n, most)
	}
}

func (p *pair) reserveFor(t *rapid.T, n int, most time.Duration) {
	want := p.wait(n)
	theirs := p.theirs.ReserveN(p.clk.Now(), n)
	ours, err := p.ours.Reserve(n, most)
	if theirs.OK() != (err == nil) {
		t.Fatalf("%d within %v at %v: got %v, want %v", n, most, p.clk.Mono(), err, theirs.OK())
	}
	if err != nil {
		p.refused(t, err, n, want)
		return
	}
	if got, want := ours.Wait(), theirs.DelayFrom(p.clk.Now()); !near(got, want) {
		t.Fatalf("%d at %v: got a wait of %v, want %v", n, p.clk.Mono(), got, want)
	} else if got > 0 {
		p.tally.note("reserved for later")
	} else {
		p.tally.note("reserved now")
	}
	p.made++
	now := p.clk.Mono()
	p.held = append(p.held, &booking{ours: ours, theirs: theirs, at: now, due: now + ours.Wait(), number: p.made})
}

// some draws one of the newest reservations, nil if there is none.
func (p *pair) some(t *rapid.T) *booking {
	if len(p.held) == 0 {
		return nil
	}
	return p.held[len(p.held)-1-min(pick(t, "reservation", 0, 0, 1, 2, 5), len(p.held)-1)]
}

func (p *pair) cancel(t *rapid.T) {
	h := p.some(t)
	if h == nil || h.gone {
		return
	}
	now := p.clk.Mono()
	switch {
	case now != h.at && near(now, h.due):
		return // whether its time has passed is a matter of rounding
	case now > h.due:
		p.tally.note("cancelled too late") // gives nothing back in either
		h.theirs.CancelAt(p.clk.Now())
		h.ours.Cancel()
	case h.number == p.made:
		if now == h.due {
			p.tally.note("cancelled now")
		} else {
			p.tally.note("cancelled before its time")
		}
		h.theirs.CancelAt(p.clk.Now())
		h.ours.Cancel()
	case p.stands(h.number + 1):
		p.tally.note("cancelled before a later one") // gives nothing back here
		before := p.ours.Snapshot()
		h.ours.Cancel()
		after := p.ours.Snapshot()
		if after.Available != before.Available || after.Next != before.Next {
			t.Fatalf("a reservation that others build upon: got %+v, want %+v", after, before)
		}
	default:
		return
	}
	h.gone = true
}

// stands reports whether any of what was made from a number on has not been cancelled.
func (p *pair) stands(from int) bool {
	cancelled := 0
	for _, h := range p.held {
		if h.gone && h.number >= from {
			cancelled++
		}
	}
	return p.made-from+1 > cancelled
}

// TestOracleRates compares the two rates that are no numbers.
func TestOracleRates(t *testing.T) {
	requests := []int{1, 3, 5, 2, 6, 1, 1}
	t.Run("infinite", func(t *testing.T) {
		clk := clock.NewVirtual(time.Unix(0, 0))
		ours, theirs := newLimiter(t, ratelimit.Config{Rate: math.Inf(1)}, clk), rate.NewLimiter(rate.Inf, 0)
		for range 100 {
			for _, n := range requests {
				a := theirs.ReserveN(clk.Now(), n)
				b, err := ours.Reserve(n, 0)
				if !a.OK() || err != nil || a.DelayFrom(clk.Now()) != b.Wait() {
					t.Fatalf("%d: got %v, %v; want %v, %v", n, b.Wait(), err, a.DelayFrom(clk.Now()), a.OK())
				}
				if got, want := ours.AllowN(n) == nil, theirs.AllowN(clk.Now(), n); got != want {
					t.Fatalf("%d: got %v, want %v", n, got, want)
				}
			}
		}
	})
	t.Run("zero", func(t *testing.T) {
		clk := clock.NewVirtual(time.Unix(0, 0))
		ours, theirs := newLimiter(t, ratelimit.Config{Rate: switchgear.Off, Burst: 10}, clk), rate.NewLimiter(0, 10)
		for range 100 {
			for _, n := range requests {
				if got, want := ours.AllowN(n) == nil, theirs.AllowN(clk.Now(), n); got != want {
					t.Fatalf("%d: got %v, want %v", n, got, want)
				}
			}
			clk.Advance(time.Hour)
		}
		// The oracle issues a reservation for the end of time; the product refuses it (K42).
		if r := theirs.ReserveN(clk.Now(), 1); !r.OK() || r.DelayFrom(clk.Now()) < 200*365*24*time.Hour {
			t.Fatalf("the oracle has changed: %v, %v", r.OK(), r.DelayFrom(clk.Now()))
		}
		if _, err := ours.Reserve(1, math.MaxInt64); !errors.Is(err, ratelimit.ErrRejected) {
			t.Fatalf("K42: a reservation with a rate of zero: got %v", err)
		}
	})
}

// A callLog is the oracle of a sliding window: all calls ever, and loops. It knows
// nothing of slots.
type callLog struct {
	length time.Duration
	limit  int
	calls  []logged
}

type logged struct {
	at time.Duration // when they begin
	n  int
}

func newCallLog(cfg ratelimit.Config) callLog {
	rate := big.NewRat(int64(math.Round(cfg.Rate*1000)), 1000) // 0.3 is no exact number
	length := new(big.Rat).Quo(big.NewRat(int64(cfg.Burst)*1e9, 1), rate)
	up := new(big.Int).Sub(new(big.Int).Add(length.Num(), length.Denom()), big.NewInt(1))
	return callLog{length: time.Duration(up.Quo(up, length.Denom()).Int64()), limit: cfg.Burst}
}

// full reports whether n more calls at an instant are too many for the window that ends
// with it.
func (l callLog) full(at time.Duration, n int) bool {
	for _, c := range l.calls {
		if c.at > at-l.length && c.at <= at {
			n += c.n
		}
	}
	return n > l.limit
}

// due returns when n calls may begin: not before calls that asked earlier.
func (l callLog) due(now time.Duration, n int) time.Duration {
	candidates := []time.Duration{now}
	for _, c := range l.calls {
		candidates[0] = max(candidates[0], c.at)
	}
	for _, c := range l.calls {
		candidates = append(candidates, c.at+l.length) // when it leaves the window
	}
	slices.Sort(candidates[1:])
	for _, at := range candidates {
		if at >= candidates[0] && !l.full(at, n) {
			return at
		}
	}
	panic("all calls have left the window, and still it is full")
}

// TestOracleSlidingWindow holds the other kind against the log: the same calls are
// admitted, with exactly the same waits. Cancelled calls stay in one copy of the log and
// are taken out of another. The product is in between: a cancelled call frees its place
// as far as the ring has not lost what stood there before, and no further, so never
// are there more calls in a window than its limit. As long as nobody has cancelled
// anything the copies are the same.
func TestOracleSlidingWindow(t *testing.T) {
	var ledger ledger
	for _, burst := range []int{1, 2, 3, 4, 10, 50} {
		t.Run(fmt.Sprint(burst), func(t *testing.T) { checkWindow(t, burst, &ledger) })
	}
	ledger.require(t, 50, "now, exactly", "later, exactly", "refused", "too many", "cancelled", "cancelled too late", "after a cancellation")
}

func checkWindow(t *testing.T, burst int, ledger *ledger) {
	rapid.Check(t, func(t *rapid.T) {
		tally := tally{}
		cfg := ratelimit.Config{Kind: ratelimit.SlidingWindow, Rate: pick(t, "rate", 10, 2, 0.3, 1000, 999_983, 1e8), Burst: burst}
		clk := clock.NewVirtual(time.Unix(0, 0))
		l := newLimiter(t, cfg, clk)
		most := newCallLog(cfg) // with the cancelled calls
		least := newCallLog(cfg)
		type reservation struct {
			ratelimit.Reservation
			logged
		}
		var held []reservation
		t.Repeat(map[string]func(*rapid.T){
			"reserve": func(t *rapid.T) {
				n := pick(t, "n", 1, 1, 1, 2, 1+cfg.Burst/2, cfg.Burst, cfg.Burst+1)
				within := most.length * pick[time.Duration](t, "windows", 2, 0, 1, 30)
				now := clk.Mono()
				r, err := l.Reserve(n, within)
				if n > cfg.Burst {
					if err == nil {
						t.Fatalf("%d calls are admitted", n)
					}
					tally.note("too many")
					return
				}
				from, to := least.due(now, n), most.due(now, n)
				if err != nil {
					rejection, _ := errors.AsType[*ratelimit.Rejection](err)
					after, known := rejection.RetryAfter()
					if due := now + after; !known || due < from || due > to || due <= now+within {
						t.Fatalf("%d at %v within %v: refused until %v, %v; want from %v to %v", n, now, within, due, known, from, to)
					}
					tally.note("refused")
					return
				}
				due := now + r.Wait()
				if due < from || due > to || due > now+within {
					t.Fatalf("%d at %v within %v: due at %v, want from %v to %v", n, now, within, due, from, to)
				}
				if least.full(due, n) {
					t.Fatalf("%d at %v: due at %v, but then there are more than %d in %v: %v", n, now, due, cfg.Burst, least.length, least.calls)
				}
				switch {
				case len(most.calls) != len(least.calls):
					tally.note("after a cancellation")
				case due > now:
					tally.note("later, exactly")
				default:
					tally.note("now, exactly")
				}
				c := logged{due, n}
				most.calls, least.calls = append(most.calls, c), append(least.calls, c)
				held = append(held, reservation{r, c})
			},
			"wait": func(t *rapid.T) {
				clk.Advance(most.length / pick[time.Duration](t, "part", 10, 1, 2, 50))
			},
			"to the next": func(t *rapid.T) {
				clk.Advance(max(0, l.Snapshot().Next+pick[time.Duration](t, "beside", 0, -1, 1)))
			},
			"cancel": func(t *rapid.T) {
				if len(held) == 0 || !oneIn(t, 3, "really") {
					return
				}
				i := len(held) - 1 - min(pick(t, "reservation", 0, 1, 2), len(held)-1)
				h := held[i]
				held = slices.Delete(held, i, i+1)
				h.Cancel()
				if clk.Mono() > h.at {
					tally.note("cancelled too late")
					return
				}
				tally.note("cancelled")
				at := slices.Index(least.calls, h.logged)
				least.calls = slices.Delete(least.calls, at, at+1)
			},
		})
		ledger.add(tally)
	})
}
