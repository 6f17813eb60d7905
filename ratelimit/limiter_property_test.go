package ratelimit_test

import (
	"cmp"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear/ratelimit"
)

// A naive bucket has fractions for tokens, and as many of them as it takes.
type naiveBucket struct {
	rate, burst *big.Rat // tokens a nanosecond; tokens
	tokens      *big.Rat // below zero while calls wait
	at          time.Duration
}

func newNaiveBucket(cfg ratelimit.Config) *naiveBucket {
	rate := big.NewRat(0, 1)
	if cfg.Rate != off {
		rate = new(big.Rat).SetFrac64(int64(math.Round(cfg.Rate*1e9)), 1e18)
	}
	burst := big.NewRat(int64(cfg.Burst), 1)
	return &naiveBucket{rate: rate, burst: burst, tokens: new(big.Rat).Set(burst)}
}

// reserve returns the wait, in nanoseconds rounded up, or -1.
func (b *naiveBucket) reserve(now time.Duration, n int, most time.Duration) time.Duration {
	b.tokens.Add(b.tokens, new(big.Rat).Mul(b.rate, big.NewRat(int64(now-b.at), 1)))
	if b.tokens.Cmp(b.burst) > 0 {
		b.tokens.Set(b.burst)
	}
	b.at = now
	need := big.NewRat(int64(n), 1)
	left := new(big.Rat).Sub(b.tokens, need)
	if need.Cmp(b.burst) > 0 {
		return -1
	}
	var wait time.Duration
	if left.Sign() < 0 {
		if b.rate.Sign() == 0 {
			return -1
		}
		ns := new(big.Rat).Quo(new(big.Rat).Neg(left), b.rate)
		up := new(big.Int).Add(ns.Num(), new(big.Int).Sub(ns.Denom(), big.NewInt(1)))
		up.Quo(up, ns.Denom())
		if !up.IsInt64() || up.Int64() > int64(most) {
			return -1
		}
		wait = time.Duration(up.Int64())
	}
	b.tokens.Set(left)
	return wait
}

// A naive window has a list of all calls there ever were.
type naiveWindow struct {
	length time.Duration
	limit  int
	calls  []time.Duration
}

func (w *naiveWindow) reserve(now time.Duration, n int, most time.Duration) time.Duration {
	if n > w.limit {
		return -1
	}
	due := now
	if len(w.calls) > 0 {
		due = max(due, w.calls[len(w.calls)-1])
	}
	for {
		inside, leaves := 0, time.Duration(math.MaxInt64)
		for _, at := range w.calls {
			if at > due-w.length {
				inside++
				leaves = min(leaves, at+w.length)
			}
		}
		if inside+n <= w.limit {
			break
		}
		due = leaves
	}
	if due-now > most {
		return -1
	}
	for range n {
		w.calls = append(w.calls, due)
	}
	return due - now
}

// Rates that bring a whole number of nanoseconds a token are compared exactly; so are
// all windows.
var exactly = []ratelimit.Config{
	bucket(10, 10), bucket(10, 1), bucket(1000, 7), bucket(0.5, 3), bucket(0.1, 1), bucket(125_000, 400), bucket(1e8, 20), bucket(off, 5),
	window(10, 10), window(10, 1), window(3, 7), window(999_983, 50), window(0.3, 2),
}

var nearly = []ratelimit.Config{
	bucket(3, 1), bucket(3, 10), bucket(7.7, 2), bucket(0.3, 4), bucket(999_983, 50), bucket(12_345.678901234, 20),
}

// fresh makes random requests of a limiter and compares it with a naive model.
func fresh(t *testing.T, cfg ratelimit.Config, steps int, slack time.Duration, next func(n int) int) {
	r := newRig(t, cfg)
	var model interface {
		reserve(now time.Duration, n int, most time.Duration) time.Duration
	} = newNaiveBucket(r.Config())
	token := time.Second
	if cfg.Rate != off {
		token = time.Duration(math.Round(1e9 / cfg.Rate))
	}
	if cfg.Kind == ratelimit.SlidingWindow {
		length := time.Duration(math.Ceil(float64(cfg.Burst) * 1e18 / math.Round(cfg.Rate*1e9)))
		model = &naiveWindow{length: length, limit: cfg.Burst}
	}
	began := r.clock.Mono()
	for step := range steps {
		n := 1
		if next(3) == 0 {
			n += next(cfg.Burst + 1)
		}
		most := time.Duration(next(4)) * token * 3 / 2
		now := r.clock.Mono() - began
		want := model.reserve(now, n, most)
		got := time.Duration(-1)
		res, err := r.Reserve(n, most)
		if err == nil {
			got = res.Wait()
		}
		if off := got - want; off < -slack || off > slack || (got < 0) != (want < 0) {
			t.Fatalf("%+v: step %d at %d: %d within %v: got %v, want %v", cfg, step, now, n, most, got, want)
		}
		// Often to the very instant of the next token.
		switch next(4) {
		case 0:
			r.clock.Advance(token)
		case 1:
			r.clock.Advance(max(r.Snapshot().Next, 0))
		case 2:
			r.clock.Advance(time.Duration(next(int(min(3*token, 1<<30)))))
		}
	}
}

func TestAgainstTheModel(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, cfg := range exactly {
		fresh(t, cfg, 1500, 0, rng.IntN)
	}
}

// A rate whose tokens fall between nanoseconds may be off by one, and stays so: the
// steps are few enough for no decision to lie in between.
func TestNearTheModel(t *testing.T) {
	for _, cfg := range nearly {
		for seed := range uint64(20) {
			r := newRig(t, cfg)
			m := newNaiveBucket(cfg)
			rng := rand.New(rand.NewPCG(seed, 0))
			began := r.clock.Mono()
			for range 300 {
				n := 1 + rng.IntN(cfg.Burst)
				want := m.reserve(r.clock.Mono()-began, n, 24*time.Hour)
				res := r.reserved(n, 25*time.Hour)
				if d := res.Wait() - want; d < -2 || d > 2 {
					t.Fatalf("%+v, seed %d: wait is %v, want %v", cfg, seed, res.Wait(), want)
				}
				r.clock.Advance(time.Duration(rng.Float64() * 2 * float64(cfg.Burst) / cfg.Rate * 1e9))
			}
		}
	}
}

// Whatever is reserved and cancelled in whatever order, the calls that are made keep
// the limit in every interval, and cancelling mints nothing.
func TestCancelKeepsTheLimit(t *testing.T) {
	type made struct {
		res ratelimit.Reservation
		at  time.Duration
		n   int
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, cfg := range []ratelimit.Config{bucket(10, 1), bucket(10, 5), bucket(3, 10), window(10, 1), window(10, 5), window(3, 10)} {
		for range 60 {
			r := newRig(t, cfg)
			began := r.clock.Mono()
			var calls []made
			for range 60 {
				switch rng.IntN(4) {
				case 0, 1:
					n := 1 + rng.IntN(cfg.Burst)
					if res, err := r.Reserve(n, 2*time.Second); err == nil {
						calls = append(calls, made{res, r.clock.Mono() - began + res.Wait(), n})
					}
				case 2:
					if len(calls) == 0 {
						break
					}
					i := rng.IntN(len(calls))
					if c := calls[i]; c.at >= r.clock.Mono()-began {
						c.res.Cancel()
						calls = slices.Delete(calls, i, i+1)
					}
				case 3:
					r.clock.Advance(time.Duration(rng.IntN(4)) * 50 * ms)
				}
			}
			// Every interval that begins with a call and ends with one.
			slices.SortStableFunc(calls, func(a, b made) int { return cmp.Compare(a.at, b.at) })
			for i := range calls {
				n := 0
				for _, c := range calls[i:] {
					n += c.n
					length := (c.at - calls[i].at).Seconds()
					most := float64(cfg.Burst) + cfg.Rate*length + 1e-6
					if cfg.Kind == ratelimit.SlidingWindow {
						if length >= float64(cfg.Burst)/cfg.Rate {
							break
						}
						most = float64(cfg.Burst)
					}
					if float64(n) > most {
						t.Fatalf("%+v: %d calls in %v s, at most %v", cfg, n, length, most)
					}
				}
			}
		}
	}
}
